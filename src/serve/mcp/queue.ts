import { groupsOf, waitsFor } from "../../agent/calls/schedule.ts";
import { createSlots } from "../../base/slots.ts";
import type { CallPlan } from "../../gate/gate.ts";

type Open = { readonly plan: CallPlan | null; readonly over: Promise<void> };

/** Does `work` when its turn has come. */
export type InTurn = <T>(plan: CallPlan | null, work: () => Promise<T>) => Promise<T>;

/** Calls run beside each other where those of one turn of a run would, `atOnce` at most; all others in the order in which they came. */
export function createQueue(atOnce: number): InTurn {
  const open = new Set<Open>();
  const slots = createSlots(atOnce);
  return async (plan, work) => {
    const before = [...open].flatMap((other) => (needOrder(other.plan, plan) ? [other.over] : []));
    const { promise, resolve } = Promise.withResolvers<void>();
    const own = { plan, over: promise };
    open.add(own);
    try {
      await Promise.all(before);
      await slots.take();
      try {
        return await work();
      } finally {
        slots.release();
      }
    } finally {
      open.delete(own);
      resolve();
    }
  };
}

function needOrder(before: CallPlan | null, after: CallPlan | null): boolean {
  const plans = [before, after];
  return groupsOf(plans, { kind: "parallel", atOnce: 2 }).length > 1 || waitsFor(1, [0, 1], plans).length > 0;
}
