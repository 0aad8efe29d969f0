import { diffPolicies } from "../policy/comparing/diff-policies.ts";
import { outcomeOf } from "../policy/comparing/difference.ts";
import { Deciders } from "../policy/comparing/wanted.ts";
import type { Policy } from "../policy/policy.ts";
import type { Sight } from "../policy/label.ts";
import { type CallView, callOf, callView } from "./call.ts";
import { type ComparisonView, comparisonView } from "./comparison-view.ts";
import { PLACES } from "./places.ts";
import { compileSide, type Message } from "./side.ts";

export type PlaygroundInput = {
  /** The texts of two policies. They may extend the shipped ones. */
  readonly before: string;
  readonly after: string;
  /** A call a line; see {@link callOf}. */
  readonly calls: readonly string[];
  readonly containment: "profile" | "none";
  readonly seen: readonly Sight[];
  readonly nowMs: number;
};

/** What the page shows: plain values, so that a worker can send it. */
export type PlaygroundView = {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  /** Null unless both policies are valid. */
  readonly comparison: ComparisonView | null;
  readonly calls: readonly CallView[];
};

/** `shipped`: the texts of the shipped policies by name. Decides as Warder does in an empty workspace; runs nothing. */
export function evaluate(input: PlaygroundInput, shipped: ReadonlyMap<string, string>): PlaygroundView {
  const { containment, seen, nowMs } = input;
  const [before, after] = [compileSide("before.yaml", input.before, { shipped, nowMs }), compileSide("after.yaml", input.after, { shipped, nowMs })];
  const [one, other] = [before.policy, after.policy];
  return {
    before: before.messages,
    after: after.messages,
    comparison: one === null || other === null ? null : comparison(one, other, nowMs),
    calls: callViews(one, other, { lines: input.calls, circumstances: { containment, seen, nowMs } }),
  };
}

function comparison(before: Policy, after: Policy, nowMs: number): ComparisonView {
  const differences = diffPolicies(before, after, PLACES, nowMs);
  return comparisonView(differences, outcomeOf(differences), nowMs);
}

type Calls = { readonly lines: readonly string[]; readonly circumstances: Pick<PlaygroundInput, "containment" | "seen" | "nowMs"> };

function callViews(one: Policy | null, other: Policy | null, { lines, circumstances }: Calls): readonly CallView[] {
  const some = one ?? other;
  if (some === null) return [];
  const deciders = new Deciders(one ?? some, other ?? some, PLACES);
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const call = callOf(line);
      if ("problem" in call) return { text: line, problem: call.problem, before: null, after: null };
      const [before, after] = deciders.decide(call, circumstances);
      return callView(line, one === null ? null : before, other === null ? null : after);
    });
}
