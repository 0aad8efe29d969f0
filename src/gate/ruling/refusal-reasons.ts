import { digestOf } from "../../base/digest.ts";
import { unitsOf, type UnitCase } from "../../policy/deciding/units.ts";
import type { Decision } from "../../policy/decision.ts";
import type { Refusal } from "../gate.ts";
import type { Measured } from "../facts/measure.ts";
import type { Judgement } from "./judge.ts";

/** More reasons of one call are not told apart: a command may have a thousand units. */
const MAX_REASONS = 50;

/** Why a call was refused, by rule and subject: another text that does the same has the same reasons. */
export function refusalOf({ call, measured, decision }: Judgement): Refusal {
  const cases = unitsOf(call);
  const found = new Set<string>();
  for (const [index, { verdict, rule }] of decision.units.entries()) {
    const unit = cases[index];
    if (verdict !== decision.verdict || unit === undefined) continue;
    found.add(digestOf([rule.id, subjectOf(unit, measured)]));
    if (found.size === MAX_REASONS) break;
  }
  return found.size === 0 ? refusalAsSuch(decision, call.tool) : { rule: ruleOf(decision), reasons: [...found] };
}

/** The same where no unit was looked at. */
export function refusalAsSuch(decision: Decision, tool: string): Refusal {
  return { rule: ruleOf(decision), reasons: [digestOf([ruleOf(decision), tool])] };
}

function ruleOf({ rules }: Decision): string {
  return rules[0]?.id ?? "unknown";
}

/** The real path or the host that it is about; else what kind of thing which program would do, and of git which of its commands. */
function subjectOf({ unit, path, host, command, request }: UnitCase, { paths }: Measured): readonly (string | null)[] {
  if (path?.kind === "literal") return ["path", paths.get(path.path)?.real ?? path.path];
  if (path?.kind === "pattern") return ["path", path.glob];
  if (host?.kind === "literal") return ["host", host.host];
  const ofGit = request?.analysis.repositories?.find(({ simple }) => simple === unit.simple)?.program;
  return [unit.kind, ofGit ?? command?.program ?? null];
}
