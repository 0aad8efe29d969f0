import { AgentError } from "../../base/errors.ts";
import type { CallPlan, PathScope } from "../../gate/gate.ts";

/** How the calls of one turn are carried out. */
export type Strategy =
  | { readonly kind: "sequential" }
  /** At most `atOnce` at a time. */
  | { readonly kind: "parallel"; readonly atOnce: number }
  /** So many at a time; the next ones begin when all of them have ended. */
  | { readonly kind: "batched"; readonly size: number };

export const DEFAULT_STRATEGY: Strategy = { kind: "parallel", atOnce: 8 };
const MOST_AT_ONCE = 64;

/** Throws `bad-configuration` for a number of calls that makes no sense. */
export function checkedStrategy(strategy: Strategy): Strategy {
  if (strategy.kind === "sequential") return strategy;
  const count = strategy.kind === "parallel" ? strategy.atOnce : strategy.size;
  if (Number.isInteger(count) && count >= 1 && count <= MOST_AT_ONCE) return strategy;
  throw new AgentError("bad-configuration", `The strategy ${strategy.kind} cannot have ${count} calls at a time: it takes 1 to ${MOST_AT_ONCE}.`);
}

/** What is known of a call before it runs; null: it names no tool, or its arguments are none. */
export type Plans = readonly (CallPlan | null)[];

/** The calls of a batch by index, in groups: those of a group may run at once, and a person's word is looked for between groups. */
export function groupsOf(plans: Plans, strategy: Strategy): readonly (readonly number[])[] {
  const all = plans.map((_, index) => index);
  const isExclusive = plans.some((plan) => plan?.traits.exclusiveSandbox === true);
  const size = strategy.kind === "sequential" || isExclusive ? 1 : strategy.kind === "batched" ? strategy.size : Math.max(all.length, 1);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, group) => all.slice(group * size, (group + 1) * size));
}

/** The earlier calls of its group that a call waits for: in a group without such pairs all run at once. */
export function waitsFor(index: number, group: readonly number[], plans: Plans): readonly number[] {
  const plan = plans[index];
  if (plan === null || plan === undefined) return [];
  return group.filter((other) => other < index && needOrder(plans[other] ?? null, plan));
}

/** Whether a call waits for an earlier one of a stream of calls, in which nobody knows what comes next. */
export function mustFollow(after: CallPlan | null, before: CallPlan | null): boolean {
  if (after === null || before === null) return false;
  return after.traits.exclusiveSandbox || before.traits.exclusiveSandbox || needOrder(before, after);
}

function needOrder(before: CallPlan | null, after: CallPlan): boolean {
  if (before === null) return false;
  if (!before.traits.parallelSafe || !after.traits.parallelSafe) return true;
  // Each has a copy of the workspace as it is, and none changes it.
  if (before.traits.subAgents === "own-overlay" && after.traits.subAgents === "own-overlay") return false;
  // What changes something without saying where may change anything.
  if (changesAnything(before) ? mutates(after) : changesAnything(after) && mutates(before)) return true;
  return meet(before.writes, [...after.reads, ...after.writes]) || meet(after.writes, before.reads);
}

const mutates = ({ traits }: CallPlan): boolean => traits.tier !== "read-only";
const changesAnything = (plan: CallPlan): boolean => mutates(plan) && plan.writes.length === 0;

function meet(left: readonly PathScope[], right: readonly PathScope[]): boolean {
  return left.some((one) => right.some((other) => one.path === other.path || holds(one, other) || holds(other, one)));
}

function holds(outer: PathScope, inner: PathScope): boolean {
  return outer.isRecursive && inner.path.startsWith(outer.path === "/" ? "/" : `${outer.path}/`);
}
