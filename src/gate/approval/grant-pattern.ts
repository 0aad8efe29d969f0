import { posix } from "node:path";
import type { GrantPattern } from "../../approvals/card.ts";
import type { UnitDecision } from "../../policy/decision.ts";
import { rootAccess } from "../../policy/deciding/path-access.ts";
import type { Request } from "../../policy/request.ts";
import { coveredBy, soleOuter } from "./grant-coverage.ts";
import { openPattern, PLAIN_WORD } from "./open-operands.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";

/**
 * A pattern that would answer a question like this one from now on, or null: never for high risk, never where a rule or an effect of the
 * policy asks by itself, never for a whole tool or a whole workspace. It is offered only when it covers the very call that it was made from.
 */
export function grantPattern(call: RuledCall): GrantPattern | null {
  const { decision } = call.ruling;
  if (decision.risk === "high") return null;
  const asking = decision.units.filter((unit) => unit.verdict === "ask");
  if (asking.length === 0 || asking.some((unit) => unit.rule.step !== "baseline")) return null;
  for (const candidate of candidatesOf(call, asking)) if (coveredBy(call, [candidate]) !== null) return candidate;
  return null;
}

/** The wider ones first. */
function candidatesOf(call: RuledCall, asking: readonly UnitDecision[]): readonly GrantPattern[] {
  const effects = [...new Set(asking.map((unit) => unit.unit.kind))].toSorted();
  const { requests } = call.judgement.call;
  return [...pathCandidates(call, effects), ...requests.flatMap((request) => commandCandidates(request, effects))];
}

/** All files directly in a directory below the workspace, else the one file. */
function pathCandidates(call: RuledCall, effects: readonly string[]): readonly GrantPattern[] {
  const { policy, setting } = call.gate.parts;
  const real = [...new Set(writtenPaths(call.judgement.call.requests).map((path) => call.judgement.measured.paths.get(path)?.real ?? path))];
  const [path] = real;
  if (path === undefined || !PLAIN_WORD.test(path) || rootAccess(policy, path) !== "read-write") return [];
  const directory = posix.dirname(path);
  const exact: GrantPattern = { kind: "path", pattern: path, effects, place: directory };
  if (directory === setting.workspace || real.some((other) => posix.dirname(other) !== directory)) return real.length === 1 ? [exact] : [];
  return [{ ...exact, pattern: `${directory}/*` }, ...(real.length === 1 ? [exact] : [])];
}

function writtenPaths(requests: readonly Request[]): readonly string[] {
  return requests.flatMap((request) => {
    if (request.kind === "write") return [request.path];
    if (request.kind !== "command") return [];
    return request.analysis.effects.flatMap((effect) => (effect.kind === "writes" && effect.path?.kind === "literal" ? [effect.path.path] : []));
  });
}

/** With open operands, else the exact words. */
function commandCandidates(request: Request, effects: readonly string[]): readonly GrantPattern[] {
  const simple = request.kind === "command" ? soleOuter(request.analysis.simples) : null;
  if (request.kind !== "command" || simple === null) return [];
  const words = simple.argv.map((word) => (word.kind === "literal" ? word.value : ""));
  if (words.length < 2 || !PLAIN_WORD.test(words[0] ?? "")) return [];
  const grant = (pattern: string): GrantPattern => ({ kind: "command", pattern, effects, place: request.cwd });
  const open = openPattern(simple);
  return [...(open === null ? [] : [grant(open)]), ...(words.every((word) => PLAIN_WORD.test(word)) ? [grant(words.join(" "))] : [])];
}
