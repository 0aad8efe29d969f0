import type { SourcePosition } from "../decision.ts";
import { compileRule, type CompiledRule } from "../matching/command-rules.ts";
import { SIGHTS, type Sight } from "../label.ts";
import type { CommandRule, Policy } from "../policy.ts";
import { isOver } from "../text/day.ts";
import { type Budget, SPENT } from "./budget.ts";
import type { Change } from "./change.ts";
import { exampleOf, furtherExamplesOf } from "./command-examples.ts";
import { blockedIn, hasDenyingBaseline } from "./policy-traits.ts";
import { indexRules, type RuleRegion, regionsOf, type Speakers, WordClasses } from "./rule-regions.ts";

/** What the command rules of a policy come to for one command. */
type Outcome = {
  readonly step: "deny" | "ask" | "allow" | "none";
  /** An allow that settles high risk, too. */
  readonly opensHighRisk: boolean;
  /** What a label tightens it to: nothing, ask, deny. */
  readonly tightened: 0 | 1 | 2;
};

/** The rules that only one of the two policies has, each with what it changes for the commands that it speaks about. */
export function ruleChanges(before: Policy, after: Policy, days: readonly number[], budget: Budget): readonly Change[] {
  const shared = new Map<string, CompiledRule>();
  const [older, newer] = [compileAll(before, shared), compileAll(after, shared)];
  const [oldIndex, newIndex] = [indexRules(older), indexRules(newer)];
  const [oldOnes, newOnes] = [new Set(older), new Set(newer)];
  const changed = [
    ...before.commands.rules.flatMap((rule, index) =>
      newOnes.has(older[index] as CompiledRule) ? [] : [{ rule, compiled: older[index] as CompiledRule, isGone: true }],
    ),
    ...after.commands.rules.flatMap((rule, index) =>
      oldOnes.has(newer[index] as CompiledRule) ? [] : [{ rule, compiled: newer[index] as CompiledRule, isGone: false }],
    ),
  ];
  const words = new WordClasses(budget);
  return changed.map(({ rule, compiled, isGone }) => {
    const found = regionsOf(compiled, { before: oldIndex, after: newIndex, words, budget });
    const isJudged = budget.take(judgingSteps(found.regions, days) + before.commands.rules.length + after.commands.rules.length);
    const [regions, isComplete] = [isJudged ? found.regions : [], isJudged && found.isComplete];
    const loosening = regions.filter((region) => isLooser(region, before, after, days));
    const tightening = regions.filter((region) => isLooser({ ...region, before: region.after, after: region.before }, after, before, days));
    const told = [...loosening, ...tightening].toSorted((one, other) => lengthOf(one) - lengthOf(other)).slice(0, MAX_REGIONS);
    const text = ruleText(rule);
    // A rule of the same name is the same rule to whoever changed it.
    const same = (isGone ? after : before).commands.rules.find(({ id }) => id === rule.id);
    const other = same === undefined ? null : ruleText(same);
    return {
      part: { what: `rule ${rule.id}`, was: isGone ? text : other, is: isGone ? other : text, at: isGone ? (same ?? rule).at : rule.at },
      mayLoosen: loosening.length > 0 || !isComplete,
      mayTighten: tightening.length > 0 || !isComplete,
      candidates: told.map(({ argv }) => exampleOf(argv)),
      further: told.flatMap(({ argv }) => furtherExamplesOf(argv, rule)),
      isConditional: true,
      isCauseOf: (one, other) => (isGone ? one.rule : other.rule).id === rule.id && isAt((isGone ? one.rule : other.rule).at, rule.at),
      ...(isComplete ? {} : { limit: budget.isSpent ? SPENT : "its patterns overlap with too many others to be told apart" }),
    };
  });
}

/** Of the commands that a rule speaks about, so many kinds are tried: those with the shortest commands. */
const MAX_REGIONS = 40;

function judgingSteps(regions: readonly RuleRegion[], days: readonly number[]): number {
  return regions.reduce((sum, { before, after }) => sum + 2 * SEEN.length * days.length * (4 + before.length + after.length), 0);
}

function lengthOf({ argv }: RuleRegion): number {
  return argv.join(" ").length;
}

function isAt(one: SourcePosition | undefined, other: SourcePosition): boolean {
  return one?.line === other.line && one.file === other.file;
}

/** Rules that say the same are one and the same, so that only what differs is looked at. */
function compileAll(policy: Policy, shared: Map<string, CompiledRule>): readonly CompiledRule[] {
  const blocked = blockedIn(policy);
  return policy.commands.rules.map((rule) => {
    const { verdict, words, when = [], expires = null, at } = rule;
    // Where high risk is blocked, it matters in which file an allow rule stands.
    const opens = verdict !== "allow" || blocked === null || at.file === blocked;
    const key = JSON.stringify([verdict, words.map((word) => (word.kind === "rest" ? null : word.glob)), [...when].toSorted(), expires, opens]);
    const known = shared.get(key);
    if (known !== undefined) return known;
    const made = compileRule(rule);
    shared.set(key, made);
    return made;
  });
}

/** As it stands in the file. */
export function ruleText({ verdict, words, when, expires }: CommandRule): string {
  const text = words.map((word) => (word.kind === "rest" ? "**" : word.glob)).join(" ");
  return `${verdict} \`${text}\`${when === undefined ? "" : ` when ${when.join(" and ")}`}${expires === undefined ? "" : ` until ${expires}`}`;
}

const SEEN: readonly (readonly Sight[])[] = [[], ["tainted"], ["sensitive"], SIGHTS];

/** Whether some command of the region might be decided more loosely afterwards, whatever its effects are. */
function isLooser(region: RuleRegion, before: Policy, after: Policy, days: readonly number[]): boolean {
  return SEEN.some((seen) =>
    days.some((day) => isLooserOutcome(outcomeOf(region.before, before, seen, day), outcomeOf(region.after, after, seen, day), before)),
  );
}

function isLooserOutcome(one: Outcome, other: Outcome, before: Policy): boolean {
  const strictness = Math.max(other.tightened, other.step === "deny" ? 2 : other.step === "ask" ? 1 : 0);
  if (one.tightened > strictness) return true;
  if (one.step === "deny") return strictness < 2;
  // An ask rule speaks before the baseline does, which may refuse. Where a command is not covered by an allow rule, it is asked about all the same.
  const mayHaveBeenDenied = hasDenyingBaseline(before) && one.step !== "ask";
  if (other.step === "ask") return mayHaveBeenDenied && other.tightened < 2;
  if (one.step === "ask") return strictness < 1;
  if (other.step === "allow") return strictness < 2 && (one.step === "none" || (other.opensHighRisk && !one.opensHighRisk));
  return false;
}

function outcomeOf(speakers: Speakers, policy: Policy, seen: readonly Sight[], nowMs: number): Outcome {
  const rules = speakers.map(({ rule }) => rule);
  const holding = rules.filter(({ when }) => when?.every((sight) => seen.includes(sight)) === true);
  const plain = rules.filter(({ when, expires, verdict }) => when === undefined && !(verdict === "allow" && expires !== undefined && isOver(expires, nowMs)));
  const has = (verdict: CommandRule["verdict"]): boolean => plain.some((rule) => rule.verdict === verdict);
  const blocked = blockedIn(policy);
  return {
    step: has("deny") ? "deny" : has("ask") ? "ask" : has("allow") ? "allow" : "none",
    opensHighRisk: plain.some(({ verdict, at }) => verdict === "allow" && (blocked === null || at.file === blocked)),
    tightened: holding.some(({ verdict }) => verdict === "deny") ? 2 : holding.length > 0 ? 1 : 0,
  };
}
