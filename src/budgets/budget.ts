import { digestOf } from "../base/digest.ts";
import type { Clock } from "../base/clock.ts";
import type { WindowLimit } from "../policy/policy.ts";
import { isOwnerDead, ownerOfThisProcess } from "../store/process-owner.ts";
import type { ReservationKind } from "../store/reservation-rows.ts";
import type { Store } from "../store/store.ts";

/** A limit on how often something may happen in a sliding window, counted over all processes and restarts. */
export type Budget = {
  readonly store: Store;
  readonly clock: Clock;
  readonly kind: ReservationKind;
  /** {@link budgetKey} */
  readonly key: string;
  /** Null: no limit; nothing is counted. */
  readonly limit: WindowLimit | null;
  readonly runId: string | null;
};

/** One unit of a budget that is taken until it is settled. */
export type Reservation = { readonly kind: "reserved"; readonly id: number } | { readonly kind: "unlimited" };

/**
 * What a limit is counted under: the policy's name, its file and the workspace. An edit of the policy
 * changes none of them, so it does not give a new budget.
 */
export function budgetKey(policyName: string, policyFile: string, workspace: string): string {
  return digestOf([policyName, policyFile, workspace]);
}

/** How many are left in the window that ends now; null without a limit. Throws `store-unavailable`. */
export function actionsLeft(budget: Budget): number | null {
  const { limit } = budget;
  if (limit === null) return null;
  return budget.store.exclusively(() => {
    releaseWhatDied(budget);
    return Math.max(0, limit.max - taken(budget, limit));
  });
}

/**
 * Takes one before the work begins, or returns null when none is left. Counting and taking are one step over
 * all processes, so the limit is never exceeded. Throws `store-unavailable`; then nothing may run.
 */
export function reserve(budget: Budget): Reservation | null {
  const { limit } = budget;
  if (limit === null) return { kind: "unlimited" };
  return budget.store.exclusively(() => {
    releaseWhatDied(budget);
    if (taken(budget, limit) >= limit.max) return null;
    const row = { key: budget.key, kind: budget.kind, atMs: budget.clock.nowMs(), run: budget.runId, owner: ownerOfThisProcess() };
    return { kind: "reserved", id: budget.store.reservations.add(row) };
  });
}

/** Settles before the first thing happens: from here on it counts, whatever becomes of this process. */
export function spend(budget: Budget, reservation: Reservation): void {
  if (reservation.kind === "reserved") budget.store.exclusively(() => budget.store.reservations.spend(reservation.id));
}

/** Gives back what was taken and not spent. */
export function release(budget: Budget, reservation: Reservation): void {
  if (reservation.kind === "reserved") budget.store.exclusively(() => budget.store.reservations.release(reservation.id));
}

function taken(budget: Budget, limit: WindowLimit): number {
  return budget.store.reservations.count(budget.key, budget.kind, budget.clock.nowMs() - limit.perMs);
}

// A process that died between taking and spending did nothing: its unit is free again.
function releaseWhatDied(budget: Budget): void {
  for (const open of budget.store.reservations.open(budget.key, budget.kind)) {
    if (isOwnerDead(open.owner)) budget.store.reservations.release(open.id);
  }
}
