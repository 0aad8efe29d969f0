import { STEPS } from "../../../src/policy/comparing/budget.ts";
import { diffPolicies } from "../../../src/policy/comparing/diff-policies.ts";
import { type Outcome, outcomeOf } from "../../../src/policy/comparing/difference.ts";
import { compilePolicy } from "../../../src/policy/compiling/compile.ts";
import { decide, strictness } from "../../../src/policy/deciding/evaluate.ts";
import type { UnitDecision } from "../../../src/policy/decision.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { createRandom, type Random } from "../../shared/random.ts";
import { drawCall, NOW_MS, PLACES, type RandomCall } from "./random-calls.ts";
import { drawPolicy, editPolicy, policyLines } from "./random-pairs.ts";

export type Tally = {
  pairs: number;
  refused: number;
  /** Calls that brute force found to be decided more loosely, and those of them that lie in a region that was told. */
  widenings: number;
  inRegion: number;
  outcomes: Record<Outcome, number>;
  /** Pairs of which brute force found a widening, and those of them that were said to widen, not only that they may. */
  widened: number;
  widenedTold: number;
  failures: string[];
};

export function newTally(): Tally {
  return {
    pairs: 0,
    refused: 0,
    widenings: 0,
    inRegion: 0,
    outcomes: { same: 0, "only-tightens": 0, widens: 0, "may-widen": 0 },
    widened: 0,
    widenedTold: 0,
    failures: [],
  };
}

function compile(texts: readonly string[]): Policy | null {
  const sources = texts.map((text, index) => ({ file: index === 0 ? "policy.yaml" : `parent-${String(index)}.yaml`, text }));
  const result = compilePolicy(sources, { ...PLACES, stateDirectory: "/home/dev/.local/state/warder" });
  return result.kind === "compiled" ? result.policy : null;
}

/** Compares one pair drawn from a seed, and holds what is said against calls drawn at random. */
export function holdPair(seed: number, calls: readonly RandomCall[], tally: Tally, { mostRules = 40, steps = STEPS } = {}): void {
  const random = createRandom(seed);
  const pair = drawPair(random, mostRules);
  if (pair === null) {
    tally.refused += 1;
    return;
  }
  const [before, after, texts] = pair;
  tally.pairs += 1;
  const fail = (what: string): void =>
    void tally.failures.push(
      tally.failures.some((known) => known.startsWith(`seed ${String(seed)}:`)) ? `  ${what}` : `seed ${String(seed)}: ${what}\n${texts.join("\n---\n")}`,
    );
  const differences = diffPolicies(before, after, { ...PLACES, steps }, NOW_MS);
  const outcome = outcomeOf(differences);
  tally.outcomes[outcome] += 1;
  const loosening = differences.filter(({ direction }) => direction !== "tightens");
  let isWidened = false;
  for (const { text, call, facts } of calls) {
    const [one, other] = [decide(before, call, facts), decide(after, call, facts)];
    if (strictness(other.verdict) >= strictness(one.verdict)) continue;
    isWidened = true;
    tally.widenings += 1;
    const shown = `${text} (${facts.containment}, ${facts.measured}): ${one.verdict} ${one.rules[0]?.id ?? ""} → ${other.verdict} ${other.rules[0]?.id ?? ""}`;
    if (loosening.length === 0) fail(`said ${outcome}, and it widens: ${shown}`);
    const pairs = one.units.map((unit, index): readonly [UnitDecision, UnitDecision] => [unit, other.units[index] as UnitDecision]);
    const isIn = pairs.some(
      ([unit, next]) => strictness(next.verdict) < strictness(unit.verdict) && loosening.some(({ explains }) => explains?.(unit, next) === true),
    );
    if (isIn) tally.inRegion += 1;
    else fail(`in no region that was told: ${shown}`);
  }
  if (isWidened) {
    tally.widened += 1;
    if (outcome === "widens") tally.widenedTold += 1;
  }
}

function drawPair(random: Random, mostRules: number): readonly [Policy, Policy, readonly string[]] | null {
  const drawn = drawPolicy(random, mostRules);
  const changed = random.once(4) ? drawPolicy(random, mostRules) : editPolicy(random, drawn);
  const above = random.once(3) ? drawPolicy(random, 5) : null;
  const parents = (parent: typeof above): readonly string[] => (parent === null ? [] : [policyLines(parent, "parent")]);
  const older = [policyLines(drawn, "own"), ...parents(above)];
  const newer = [policyLines(changed, "own"), ...parents(above !== null && random.once(3) ? editPolicy(random, above) : above)];
  const [before, after] = [compile(older), compile(newer)];
  return before === null || after === null ? null : [before, after, [...older, "=====", ...newer]];
}

export function drawCalls(seed: number, count: number): readonly RandomCall[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => drawCall(random));
}
