import type { GrantPattern } from "../../approvals/card.ts";
import { decide } from "../../policy/deciding/evaluate.ts";
import type { UnitDecision } from "../../policy/decision.ts";
import type { Facts } from "../../policy/facts.ts";
import { PathPatternSet } from "../../policy/matching/path-patterns.ts";
import { isContained } from "../../policy/deciding/sealed-profile.ts";
import type { Policy, CommandRule } from "../../policy/policy.ts";
import type { Request } from "../../policy/request.ts";
import type { SimpleCommand } from "../../shell/model/model.ts";
import { readRuleWords } from "../../policy/matching/rule-words.ts";
import { factsOf } from "../ruling/judge.ts";
import { fillsOperands, hasOpenWords } from "./open-operands.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";

/** `job`: of those that hold for exactly one call, only that call's are looked at. */
type CoveringGrant = GrantPattern & { readonly job?: unknown };

const NOWHERE = { file: "grant", line: 1, column: 1 } as const;
const RULE_ID = "standing-grant";

/**
 * Which of the grants settle everything that a call was asked about, or null when something is left. Judged anew at each use, by the policy as
 * it is: nothing of high risk, nothing that a rule or an effect of the policy asks about by itself, no effect beyond those that the person saw,
 * no other directory. What the policy denies stays denied: a grant is looked at only for what would be asked.
 */
export function coveredBy<Grant extends CoveringGrant>(call: RuledCall, grants: readonly Grant[]): readonly Grant[] | null {
  const { judgement, gate } = call;
  // A grant is a person's word under the run's policy: it answers nothing that a narrower one asks.
  if ((judgement.narrowing ?? "allow") !== "allow") return null;
  const { policy } = gate.parts;
  const facts = factsOf(gate.bench, judgement.call.tool, judgement.measured);
  const used = new Set<Grant>();
  for (const request of judgement.call.requests) {
    const about: About = { policy, facts, tool: judgement.call.tool, request, settled: new Map(), covered: new Map() };
    const { verdict, risk, units } = decide(policy, { tool: about.tool, requests: [request] }, facts);
    if (verdict === "deny" || risk === "high") return null;
    for (const [index, unit] of units.entries()) {
      if (unit.verdict !== "ask") continue;
      const grant = unit.rule.step === "baseline" ? grants.find((candidate) => settles(candidate, about, { unit, index })) : undefined;
      if (grant === undefined) return null;
      used.add(grant);
    }
  }
  return used.size === 0 ? null : [...used];
}

/** A request, and what was worked out for it by grant: a command may have a thousand units, and all are asked about the same. */
type About = {
  readonly policy: Policy;
  readonly facts: Facts;
  readonly tool: string;
  readonly request: Request;
  readonly settled: Map<GrantPattern, readonly UnitDecision[]>;
  readonly covered: Map<GrantPattern, PathPatternSet>;
};
type Asked = { readonly unit: UnitDecision; readonly index: number };

function settles(grant: CoveringGrant, about: About, asked: Asked): boolean {
  const { kind } = asked.unit.unit;
  // It is for exactly this call, with all that this is bound to.
  if ((grant.job ?? null) !== null) return grant.effects.includes(kind);
  // Code is granted by its exact words: `npm exec *` would be any program.
  if (!grant.effects.includes(kind) || (kind === "runs-code" && hasOpenWords(grant))) return false;
  return grant.kind === "path" ? settlesPath(grant, about, asked) : settlesCommand(grant, about, asked);
}

/** A write whose real path lies where the pattern says. The units of a command stand in the order of its effects. */
function settlesPath(grant: GrantPattern, { request, facts, covered }: About, { unit, index }: Asked): boolean {
  if (unit.unit.kind !== "writes") return false;
  const path = request.kind === "write" ? request.path : request.kind === "command" ? literalPath(request, index) : null;
  const fact = path === null ? undefined : facts.paths.get(path);
  if (fact === undefined || (fact.error ?? "") !== "" || fact.type === "directory") return false;
  const found = onceFor(covered, grant, () => new PathPatternSet([{ pattern: grant.pattern, at: NOWHERE }])).find(fact.real);
  // A pattern covers what lies below it, too; a grant is for what lies directly there.
  return found !== null && fact.real.slice(0, fact.real.lastIndexOf("/")) === grant.place;
}

function literalPath(request: Extract<Request, { kind: "command" }>, index: number): string | null {
  const effect = request.analysis.effects[index];
  return effect?.kind === "writes" && effect.path?.kind === "literal" && effect.isWide !== true ? effect.path.path : null;
}

/** What an `allow` rule of these words would settle, in the one directory that the person saw. Such a rule settles no path and no host. */
function settlesCommand(grant: GrantPattern, about: About, { unit, index }: Asked): boolean {
  const { request } = about;
  if (request.kind !== "command") return false;
  const at = request.analysis.effects[index]?.simple ?? -1;
  return settlesWords(grant, about, index) || (unit.risk !== "high" && isStartedByGranted(grant, about, at));
}

function settlesWords(grant: GrantPattern, about: About, index: number): boolean {
  const { request, settled } = about;
  if (request.kind !== "command") return false;
  const simple = request.analysis.simples[request.analysis.effects[index]?.simple ?? -1];
  if (simple?.cwd.kind !== "known" || simple.cwd.path !== grant.place || !fillsOperands(grant, simple)) return false;
  const unit = onceFor(settled, grant, () => unitsUnder(grant, about))[index];
  return unit?.verdict === "allow" && unit.rule.id === RULE_ID;
}

/**
 * Whether a command is started by the one whose exact words a person granted: the script that `npm test` reads from a file. In a contained profile that
 * command runs code, so it could do the same without saying so; whatever its files hold by then is what was granted.
 */
function isStartedByGranted(grant: GrantPattern, about: About, at: number): boolean {
  const { policy, request } = about;
  if (request.kind !== "command" || hasOpenWords(grant) || !isContained(policy)) return false;
  const { simples, effects } = request.analysis;
  const outer = soleOuter(simples);
  if (outer === null || simples[at] === undefined || simples[at] === outer) return false;
  return effects.some((effect, index) => effect.kind === "runs-code" && simples[effect.simple ?? -1] === outer && settlesWords(grant, about, index));
}

/** The one command that stands in the text itself and is started by no other; null where there are more. */
export function soleOuter(simples: readonly SimpleCommand[]): SimpleCommand | null {
  const [outer, ...others] = simples.filter(({ via }) => via.length === 0);
  return outer === undefined || others.length > 0 ? null : outer;
}

/** The units of a request as they would be decided with a rule of the grant's words; none where these are no rule. */
function unitsUnder(grant: GrantPattern, { policy, facts, tool, request }: About): readonly UnitDecision[] {
  const words = readRuleWords(grant.pattern, "allow");
  if ("fault" in words) return [];
  const rule: CommandRule = { id: RULE_ID, verdict: "allow", words: words.words, because: "A person granted it.", at: NOWHERE };
  const widened: Policy = { ...policy, commands: { ...policy.commands, rules: [...policy.commands.rules, rule] } };
  return decide(widened, { tool, requests: [request] }, facts).units;
}

function onceFor<Value>(known: Map<GrantPattern, Value>, grant: GrantPattern, make: () => Value): Value {
  const found = known.get(grant) ?? make();
  known.set(grant, found);
  return found;
}
