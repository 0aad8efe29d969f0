import type { Decision, UnitDecision, Verdict } from "../decision.ts";
import { strictness } from "../deciding/evaluate.ts";
import { SIGHTS, type Sight } from "../label.ts";
import type { Policy } from "../policy.ts";
import { Budget, matchSteps, SPENT, STEPS, type Steps } from "./budget.ts";
import type { Change } from "./change.ts";
import { type Decided, type Difference, type Direction, type Group, groupOf, GROUPS } from "./difference.ts";
import { daysOf, hoursFrom, momentsOf } from "../matching/moments.ts";
import { usesToShow } from "../matching/use-states.ts";
import { effectChanges } from "./effect-changes.ts";
import { hostChanges } from "./network-changes.ts";
import { onlyChanges } from "./only-changes.ts";
import { pathChanges } from "./path-changes.ts";
import { ruleChanges } from "./rule-changes.ts";
import { settingDifferences } from "./setting-changes.ts";
import { toolChanges } from "./tool-changes.ts";
import { type Circumstances, Deciders, type Places, type Wanted } from "./wanted.ts";

/** Of the calls that one change decides differently, so many kinds are told. */
const MAX_KINDS = 6;

/**
 * What a change of a policy changes: every set of calls that is decided differently, and every setting that no call shows. Both policies were compiled for the same
 * places. Pure; runs nothing. What it calls a widening was decided by both evaluators; where none is told and none may be, there is none. What the budget does not
 * reach may widen.
 */
export function diffPolicies(before: Policy, after: Policy, places: Places & { readonly steps?: Steps }, nowMs: number): readonly Difference[] {
  const { steps = STEPS } = places;
  const days = daysOf([before, after], nowMs);
  const hours = hoursFrom([before, after], nowMs);
  const budget = new Budget(steps.proof);
  const others = [
    ...onlyChanges(before, after),
    ...effectChanges(before, after),
    ...pathChanges(before, after, places, budget),
    ...hostChanges(before, after, budget),
    ...toolChanges(before, after, budget),
  ];
  const settings = settingDifferences(before, after, budget);
  // Told first and proven last: theirs are the patterns that take most.
  const changes = [...ruleChanges(before, after, { moments: momentsOf([before, after], days), places, budget }), ...others].map(seeingBeneath);
  const found = new Findings(
    new Deciders(before, after, places),
    circumstancesOf(before, after, [...days.map((ms) => ({ nowMs: ms })), ...hours.map((ms) => ({ nowMs: ms, isOfHours: true as const }))]),
    changes,
    {
      policies: [before, after],
      budget: new Budget(steps.calls),
    },
  );
  for (const change of changes) found.look(change);
  return [...found.differences(), ...settings].toSorted(
    (one, other) => GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group) || Number(other.direction === "widens") - Number(one.direction === "widens"),
  );
}

/** A change is the cause of what it asks beneath a label's question, too: that question stands first and hides it. */
function seeingBeneath(change: Change): Change {
  const isCauseOf = (one: UnitDecision, other: UnitDecision): boolean => change.isCauseOf(one, other) || change.isCauseOf(beneath(one), beneath(other));
  return { ...change, isCauseOf };
}

function beneath(unit: UnitDecision): UnitDecision {
  return unit.askedAnyway === undefined ? unit : { ...unit, rule: unit.askedAnyway };
}

/** Of the limits of rules, so many are tried on calls. */
const MAX_LIMITS = 200;

type Time = Pick<Circumstances, "nowMs" | "isOfHours">;

function circumstancesOf(before: Policy, after: Policy, times: readonly Time[]): readonly Circumstances[] {
  const hasConditions = [before, after].some(({ commands: { rules, tightened = [] } }) => tightened.length > 0 || rules.some(({ when }) => when !== undefined));
  const seen: readonly (readonly Sight[])[] = hasConditions ? [[], ["tainted"], ["sensitive"], SIGHTS] : [[]];
  const all = times.flatMap((time) =>
    seen.flatMap((sights) => (["profile", "none"] as const).map((containment): Circumstances => ({ containment, seen: sights, ...time }))),
  );
  const hasKeys = [before, after].some(({ workspace: { forbidden } }) => forbidden.some(({ isOfKeys }) => isOfKeys === true));
  const plain = { containment: "profile", seen: [], nowMs: times[0]?.nowMs ?? 0 } as const;
  // Where roots differ, a path that is measured on one side is the image's on the other, where nothing is.
  const hasOtherPlaces = before.sandbox.runtime !== after.sandbox.runtime || JSON.stringify(before.workspace.roots) !== JSON.stringify(after.workspace.roots);
  const used = usesToShow(before, after).slice(0, MAX_LIMITS);
  return [
    ...all,
    ...used.map((uses) => ({ ...plain, uses })),
    ...(hasKeys ? [{ ...plain, isPublic: true } as const] : []),
    ...(hasOtherPlaces ? [{ ...plain, isUnmeasured: true } as const] : []),
  ];
}

/** More labels only tighten, on both sides alike, so what shows with one and comes of neither a rule nor a condition shows without any. */
function isPlain({ seen, nowMs, uses }: Circumstances, now: number): boolean {
  return seen.length === 0 && nowMs === now && uses === undefined;
}

type Limits = { readonly policies: readonly Policy[]; readonly budget: Budget };

class Findings {
  readonly #deciders: Deciders;
  readonly #circumstances: readonly Circumstances[];
  readonly #nowMs: number;
  readonly #changes: readonly Change[];
  readonly #known = new Map<Change, Map<string, Difference>>();
  readonly #told = new Set<string>();
  readonly #budget: Budget;
  readonly #entries: number;
  readonly #tokens: number;

  constructor(deciders: Deciders, circumstances: readonly Circumstances[], changes: readonly Change[], limits: Limits) {
    this.#deciders = deciders;
    this.#circumstances = circumstances;
    this.#nowMs = circumstances[0]?.nowMs ?? 0;
    this.#changes = changes;
    this.#budget = limits.budget;
    this.#entries = limits.policies.reduce((sum, policy) => sum + entriesOf(policy), 0);
    this.#tokens = limits.policies.reduce((sum, policy) => sum + tokensOf(policy), 0);
  }

  /** Asks both evaluators about the calls that would show a change. */
  look(change: Change): void {
    for (const wanted of change.candidates) this.#tryCall(change, wanted);
    for (const wanted of change.further ?? []) if (this.#isWanting(change)) this.#tryCall(change, wanted);
  }

  /** Whether nothing was found yet that may be there. */
  #isWanting(change: Change): boolean {
    const found = [...(this.#known.get(change)?.values() ?? [])];
    const has = (direction: Direction): boolean => found.some((one) => one.direction === direction);
    return change.mayLoosen ? !has("widens") : change.mayTighten && !has("tightens");
  }

  #tryCall(change: Change, wanted: Wanted): void {
    for (const circumstances of this.#circumstances)
      if ((change.isConditional === true || isPlain(circumstances, this.#nowMs)) && this.#budget.take(this.#stepsOf(wanted)))
        this.#note(change, wanted, circumstances);
  }

  #stepsOf(wanted: Wanted): number {
    const characters = wanted.kind === "command" ? wanted.text.length : 16;
    return DECISION_STEPS + this.#entries + matchSteps(characters, this.#tokens);
  }

  #note(change: Change, wanted: Wanted, circumstances: Circumstances): void {
    const [before, after] = this.#deciders.decide(wanted, circumstances);
    if (before.verdict === after.verdict) return;
    const [one, other] = decidersOf(before, after);
    const isOther = !change.isCauseOf(one, other) && this.#budget.take(CAUSE_STEPS * this.#changes.length);
    const cause = isOther ? (this.#changes.find(({ isCauseOf }) => isCauseOf(one, other)) ?? change) : change;
    const known = this.#known.get(cause) ?? new Map<string, Difference>();
    this.#known.set(cause, known);
    const kind = [before.verdict, after.verdict, nameOf(one), nameOf(other)].join(" ");
    if (known.has(kind)) return;
    this.#budget.take(WITNESS_STEPS);
    const direction = strictness(after.verdict) < strictness(before.verdict) ? "widens" : "tightens";
    known.set(kind, {
      group: groupOf(before.verdict, after.verdict),
      direction,
      part: cause.part,
      witness: { wanted, circumstances, before: decidedBy(before.verdict, one), after: decidedBy(after.verdict, other) },
      explains: cause.isCauseOf,
    });
  }

  differences(): readonly Difference[] {
    return this.#changes.flatMap((change) => {
      const all = [...(this.#known.get(change)?.values() ?? [])];
      const isFound = (direction: Direction): boolean => all.some((one) => one.direction === direction);
      const rest = change.mayLoosen && !isFound("widens") ? [this.#conservative(change, "may-widen")] : [];
      // What one call shows of two parts is told of both once, and no more.
      const own = all.filter((one, index) => !this.#isTold(one) || index === all.findIndex(({ direction }) => direction === one.direction));
      const told = [...own.filter(({ direction }) => direction === "widens"), ...own.filter(({ direction }) => direction !== "widens")].slice(0, MAX_KINDS);
      const isTold = change.isDerived !== true || this.#budget.isSpent;
      if (all.length + rest.length === 0 && change.mayTighten && isTold) return [this.#conservative(change, "tightens")];
      return [...told, ...rest];
    });
  }

  #conservative({ part, limit, isCauseOf }: Change, direction: "may-widen" | "tightens"): Difference {
    const group: Group = direction === "may-widen" ? "may-widen" : "refused";
    const why = this.#budget.isSpent ? SPENT : "no call was found that is decided differently, and it is not proven that there is none";
    return { group, direction, part, why: limit ?? why, explains: isCauseOf };
  }

  #isTold({ witness }: Difference): boolean {
    const key = JSON.stringify(witness);
    const isKnown = this.#told.has(key);
    this.#told.add(key);
    return isKnown;
  }
}

/** What a decision by both policies is beside what it looks at in them. */
const DECISION_STEPS = 1000;
/** What it is to ask whether a change is the cause of a difference. */
const CAUSE_STEPS = 4;
/** What it is to have the gate judge a call again, and to show it. */
const WITNESS_STEPS = 10_000;

function entriesOf({ commands, workspace, tools, sandbox }: Policy): number {
  return [
    commands.rules,
    commands.only ?? [],
    workspace.forbidden,
    workspace.protected,
    workspace.roots,
    tools.allow,
    tools.deny,
    sandbox.network.allow,
  ].reduce((sum, list) => sum + list.length, 0);
}

/** Of what is matched against each word. */
function tokensOf({ commands, workspace, tools }: Policy): number {
  const words = commands.rules.flatMap((rule) => rule.words.map((word) => (word.kind === "rest" ? 1 : word.glob.length)));
  const patterns = [...workspace.forbidden, ...workspace.protected].map(({ pattern }) => pattern.length);
  return [...words, ...patterns, ...[...tools.allow, ...tools.deny].map(({ length }) => length)].reduce((sum, length) => sum + length, 0);
}

/** The units that decide the call on the two sides: the same one, if there is one that both decide differently. */
function decidersOf(before: Decision, after: Decision): readonly [UnitDecision, UnitDecision] {
  const pairs = before.units.map((unit, index) => [unit, after.units[index] ?? unit] as const);
  const wanted = pairs.filter(([one, other]) => one.verdict !== other.verdict);
  const found =
    wanted.find(([one, other]) => one.verdict === before.verdict && other.verdict === after.verdict) ??
    wanted.find(([one]) => one.verdict === before.verdict) ??
    wanted[0];
  return found ?? [before.units[0] as UnitDecision, after.units[0] as UnitDecision];
}

function decidedBy(verdict: Verdict, { rule }: UnitDecision): Decided {
  return { verdict, rule: rule.id, ...(rule.at === undefined ? {} : { at: rule.at }) };
}

/** Of the last step one risk shows as much as another. */
function nameOf({ rule: { id, step } }: UnitDecision): string {
  return step === "baseline" ? step : id;
}
