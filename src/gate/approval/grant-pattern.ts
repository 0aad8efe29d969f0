import { posix } from "node:path";
import type { GrantPattern } from "../../approvals/card.ts";
import type { UnitDecision } from "../../policy/decision.ts";
import { rootAccess } from "../../policy/deciding/path-access.ts";
import type { Request } from "../../policy/request.ts";
import type { SimpleCommand } from "../../shell/model/model.ts";
import { coveredBy } from "./grant-coverage.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";

/** Words that stand for themselves in a rule: no wildcard, no quote, no blank. */
const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/u;
const OPTION = /^--?[A-Za-z0-9][A-Za-z0-9-]*$/u;
const SUBCOMMAND = /^[a-z][a-z0-9-]*$/u;

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

/** `git commit -m *` for `git commit -m "fix"`: program, subcommand and options stay, at least two words of them; then the exact words. */
function commandCandidates(request: Request, effects: readonly string[]): readonly GrantPattern[] {
  if (request.kind !== "command" || request.analysis.simples.length !== 1) return [];
  const [simple] = request.analysis.simples as [SimpleCommand];
  const words = simple.argv.map((word) => (word.kind === "literal" ? word.value : null));
  if (words.some((word) => word === null) || words.length < 2) return [];
  const literal = words as string[];
  const [program = "", second = ""] = literal;
  if (!PLAIN_WORD.test(program)) return [];
  const grant = (pattern: string): GrantPattern => ({ kind: "command", pattern, effects, place: request.cwd });
  const general = [program, ...literal.slice(1).map((word, index) => ((index === 0 && SUBCOMMAND.test(word)) || OPTION.test(word) ? word : "*"))];
  const isWide = !SUBCOMMAND.test(second) || general.filter((word) => word !== "*").length < 2;
  return [...(isWide ? [] : [grant(general.join(" "))]), ...(literal.every((word) => PLAIN_WORD.test(word)) ? [grant(literal.join(" "))] : [])];
}
