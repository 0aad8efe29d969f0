import type { SourcePosition } from "../decision.ts";
import { compileRule, type CompiledRule } from "../matching/command-rules.ts";
import { SIGHTS, type Sight, whenText } from "../label.ts";
import type { CommandRule, Policy } from "../policy.ts";
import { type Moment, notInForce } from "../matching/rule-in-force.ts";
import { wordsText } from "../matching/rule-words.ts";
import { isUsedUp, type UseState, useStatesOf } from "../matching/use-states.ts";
import { hoursText } from "../text/hours.ts";
import { usesText } from "../text/uses.ts";
import { type Budget, SPENT } from "./budget.ts";
import type { Change } from "./change.ts";
import { commandText, exampleOf, furtherExamplesOf } from "./command-examples.ts";
import { blockedIn, hasDenyingBaseline } from "./policy-traits.ts";
import { indexRules, type RuleRegion, regionsOf, type Speakers, WordClasses } from "./rule-regions.ts";
import { alwaysHasSideEffect, type Places } from "./wanted.ts";

/** What the command rules of a policy come to for one command. */
type Outcome = {
  readonly step: "deny" | "ask" | "allow" | "none";
  /** An allow that settles high risk, too. */
  readonly opensHighRisk: boolean;
  /** What a label tightens it to: nothing, ask, deny. */
  readonly tightened: 0 | 1 | 2;
};

/** `moments`: all that rules tell apart; null: too many. */
type Proving = { readonly moments: readonly Moment[] | null; readonly places: Places; readonly budget: Budget };

/** The rules that only one of the two policies has, each with what it changes for the commands that it speaks about. */
export function ruleChanges(before: Policy, after: Policy, { moments, places, budget }: Proving): readonly Change[] {
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
    const isJudged = moments !== null && budget.take(judgingSteps(found.regions, moments.length) + before.commands.rules.length + after.commands.rules.length);
    const isCounted = found.regions.every((region) => statesOf(region) !== null);
    const [regions, isComplete] = [isJudged ? found.regions : [], isJudged && isCounted && found.isComplete];
    const isRefusedBy = (policy: Policy): boolean => isRefusedAnyway(compiled, policy, places);
    const loosening = isRefusedBy(after) ? [] : regions.filter((region) => isLooser(region, before, after, moments ?? []));
    const tightening = isRefusedBy(before)
      ? []
      : regions.filter((region) => isLooser({ ...region, before: region.after, after: region.before }, after, before, moments ?? []));
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
      ...(isComplete ? {} : { limit: budget.isSpent ? SPENT : moments === null ? TOO_MANY_HOURS : isCounted ? OVERLAP : TOO_MANY_LIMITS }),
    };
  });
}

/**
 * Whether a policy refuses all that an allow rule is about before it looks at any allow rule: programs that it does not list, and, where it is read-only, a command
 * alone which changes something.
 */
function isRefusedAnyway({ rule, words, isOpen }: CompiledRule, { autonomy, commands: { only } }: Policy, places: Places): boolean {
  const program = words[0]?.text ?? null;
  if (rule.verdict !== "allow" || program === null) return false;
  if (only !== null && !only.includes(program)) return true;
  const argv = words.flatMap(({ text }) => text ?? []);
  return autonomy === "read-only" && !isOpen && argv.length === words.length && alwaysHasSideEffect(commandText(argv), places);
}

const OVERLAP = "its patterns overlap with too many others to be told apart";
const TOO_MANY_LIMITS = "too many rules with a limit meet there to be told apart";
const TOO_MANY_HOURS = "the rules name too many hours of too many time zones to be told apart";

/** Of the commands that a rule speaks about, so many kinds are tried: those with the shortest commands. */
const MAX_REGIONS = 40;

function judgingSteps(regions: readonly RuleRegion[], moments: number): number {
  return regions.reduce((sum, region) => {
    const { before, after } = region;
    return sum + 4 * SEEN.length * moments * (statesOf(region)?.length ?? 1) * (4 + before.length + after.length);
  }, 0);
}

function statesOf({ before, after }: RuleRegion): readonly UseState[] | null {
  return useStatesOf([...before, ...after].map(({ compiled: { rule } }) => rule));
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
    const { verdict, words, when, expires = null, between = null, except = [], max, at } = rule;
    // Where high risk is blocked, it matters in which file an allow rule stands.
    const opens = verdict !== "allow" || blocked === null || at.file === blocked;
    const key = JSON.stringify([
      verdict,
      wordsText(words),
      except.map(wordsText).toSorted(),
      when === undefined ? null : [...when].toSorted(),
      expires,
      between,
      // What counts its uses goes by its name.
      max === undefined ? null : [rule.id, usesText(max)],
      opens,
    ]);
    const known = shared.get(key);
    if (known !== undefined) return known;
    const made = compileRule(rule);
    shared.set(key, made);
    return made;
  });
}

/** As it stands in the file. */
export function ruleText({ verdict, words, group, when, except, between, max, expires }: CommandRule): string {
  return [
    `${verdict} \`${wordsText(words)}\``,
    ...(group === undefined ? [] : [`of the group ${group.name}, version ${String(group.version)}`]),
    ...(except === undefined ? [] : [`except ${except.map((each) => `\`${wordsText(each)}\``).join(", ")}`]),
    ...(when === undefined ? [] : [`when ${whenText(when)}`]),
    ...(between === undefined ? [] : [`between ${hoursText(between)}`]),
    ...(max === undefined ? [] : [`at most ${usesText(max)}`]),
    ...(expires === undefined ? [] : [`until ${expires}`]),
  ].join(" ");
}

const SEEN: readonly (readonly Sight[])[] = [[], ["tainted"], ["sensitive"], SIGHTS];

/** Whether some command of the region might be decided more loosely afterwards, whatever its effects are: as it stands, and behind a wrapper, where no rule is certain of it. */
function isLooser(region: RuleRegion, before: Policy, after: Policy, moments: readonly Moment[]): boolean {
  const states = statesOf(region) ?? [NOTHING_USED];
  return SEEN.some((seen) =>
    moments.some((moment) =>
      [true, false].some((isPlain) =>
        states.some((used) => {
          const setting = { seen, moment, isPlain, used };
          return isLooserOutcome(outcomeOf(region.before, before, setting), outcomeOf(region.after, after, setting), before);
        }),
      ),
    ),
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

type Setting = { readonly seen: readonly Sight[]; readonly moment: Moment; readonly isPlain: boolean; readonly used: UseState };

const NOTHING_USED: UseState = new Map();

function outcomeOf(speakers: Speakers, policy: Policy, { seen, moment, isPlain, used }: Setting): Outcome {
  const rules = speakers
    .filter(({ compiled, isExcepted }) => (isPlain ? !isExcepted : compiled.rule.verdict !== "allow"))
    .map(({ compiled: { rule } }) => rule)
    .filter((rule) => notInForce(rule, moment) === null)
    .flatMap((rule): readonly CommandRule[] => {
      if (!isUsedUp(rule, used)) return [rule];
      return rule.verdict === "allow" ? [] : [{ ...rule, verdict: "deny" }];
    });
  const holding = rules.filter(({ when }) => when?.every((sight) => seen.includes(sight)) === true);
  const plain = rules.filter(({ when }) => when === undefined);
  const has = (verdict: CommandRule["verdict"]): boolean => plain.some((rule) => rule.verdict === verdict);
  const blocked = blockedIn(policy);
  return {
    step: has("deny") ? "deny" : has("ask") ? "ask" : has("allow") ? "allow" : "none",
    opensHighRisk: plain.some(({ verdict, at }) => verdict === "allow" && (blocked === null || at.file === blocked)),
    tightened: holding.some(({ verdict }) => verdict === "deny") ? 2 : holding.length > 0 ? 1 : 0,
  };
}
