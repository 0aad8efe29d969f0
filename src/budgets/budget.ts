import { digestOf } from "../base/digest.ts";
import type { Clock } from "../base/clock.ts";
import type { Meter, RuleMeter } from "../policy/policy.ts";
import { isOwnerDead, ownerOfThisProcess } from "../store/lock/process-owner.ts";
import type { Store } from "../store/store.ts";

export type Counted = Meter | RuleMeter;

export function ruleMeter(id: string): RuleMeter {
  return `rule:${id}`;
}

/** The rule whose uses a meter counts; null: it is none of a rule. */
export function ruleOf(meter: Counted): string | null {
  return meter.startsWith("rule:") ? meter.slice("rule:".length) : null;
}

/** How the ledger calls it: uses of a rule are actions, in an account of that rule alone. */
export function inLedger(meter: Counted): Meter {
  return ruleOf(meter) === null ? (meter as Meter) : "actions";
}

/** One limit on one account: at most `max` in any `perMs`, or in all time for null. In the units of the ledger. */
export type BudgetWindow = {
  readonly account: string;
  readonly meter: Counted;
  readonly max: number;
  readonly perMs: number | null;
  /** Where it is stated, for a person: `limits.actions of nightly`. */
  readonly name: string;
  /** Refuses when nothing is left, and not when less is left than is wanted. */
  readonly isSoft: boolean;
};

/** Every limit that a run is held to, counted over all processes and restarts. No window for a meter: nothing is counted. */
export type Budget = {
  readonly store: Pick<Store, "ledger" | "exclusively">;
  readonly clock: Clock;
  readonly windows: readonly BudgetWindow[];
  readonly runId: string | null;
};

/** How much of what. */
export type Amounts = Readonly<Partial<Record<Counted, number>>>;

/** What was taken, until it is spent, settled or given back. */
export type Reservation = { readonly kind: "reserved"; readonly rows: readonly { readonly id: number; readonly meter: Counted }[] };

/** Nothing was taken: this window has too little left. */
export type Refused = { readonly kind: "spent"; readonly window: BudgetWindow };

/** What takes nothing. */
export const NO_RESERVATION: Reservation = { kind: "reserved", rows: [] };

/**
 * Of these the caller says before the first thing happens that it is spent, so a process that died before did nothing. The others cost from the
 * first moment, and nobody can say how much a dead process used: all of it counts.
 */
const COUNTED: ReadonlySet<Meter> = new Set(["actions", "calls", "asks"]);

/**
 * What a policy's limit is counted under: its name, its file and the workspace. An edit of the policy
 * changes none of them, so it does not give a new budget.
 */
export function budgetKey(policyName: string, policyFile: string, workspace: string): string {
  return digestOf([policyName, policyFile, workspace]);
}

/** How much every window leaves; null without one. With `isStrict` soft windows are left out. Throws `store-unavailable`. */
export function left(budget: Budget, meter: Counted, isStrict = false): number | null {
  const windows = budget.windows.filter((window) => window.meter === meter && !(isStrict && window.isSoft));
  if (windows.length === 0) return null;
  return budget.store.exclusively(() => {
    releaseWhatDied(budget, windows);
    return Math.max(0, Math.min(...windows.map((window) => window.max - used(budget, window))));
  });
}

/** The first limit that has too little left for the amounts, without taking any; null: all have enough. Throws `store-unavailable`. */
export function fullWindow(budget: Budget, amounts: Amounts): BudgetWindow | null {
  const windows = countingWindows(budget, amounts);
  return windows.length === 0 ? null : budget.store.exclusively(() => firstFull(budget, windows, amounts));
}

/**
 * Takes the amounts from every account before the work begins, or nothing of it when one window has too little left. Counting and taking are one
 * step over all processes, so no limit is exceeded. Throws `store-unavailable`; then nothing may run.
 */
export function reserve(budget: Budget, amounts: Amounts): Reservation | Refused {
  const windows = countingWindows(budget, amounts);
  if (windows.length === 0) return NO_RESERVATION;
  return budget.store.exclusively(() => {
    const full = firstFull(budget, windows, amounts);
    if (full !== null) return { kind: "spent", window: full };
    return { kind: "reserved", rows: addRows(budget, windows, amounts) };
  });
}

/** Counts what a person does, whether there is room for it or not: whatever comes after has the less. Throws `store-unavailable`. */
export function charge(budget: Budget, amounts: Amounts): void {
  const windows = countingWindows(budget, amounts);
  if (windows.length > 0) budget.store.exclusively(() => spend(budget, { kind: "reserved", rows: addRows(budget, windows, amounts) }));
}

function countingWindows({ windows }: Budget, amounts: Amounts): readonly BudgetWindow[] {
  return windows.filter(({ meter }) => amounts[meter] !== undefined);
}

function addRows({ store, clock, runId }: Budget, windows: readonly BudgetWindow[], amounts: Amounts): Reservation["rows"] {
  return accountsIn(windows).map(({ account, meter }) => {
    const kind = inLedger(meter);
    const state = COUNTED.has(kind) ? "reserved" : "spent";
    return {
      id: store.ledger.add({ account, meter: kind, amount: amounts[meter] ?? 0, state, atMs: clock.nowMs(), run: runId, owner: ownerOfThisProcess() }),
      meter,
    };
  });
}

/** Says, before the first thing happens, that it counts from here on, whatever becomes of this process. */
export function spend({ store }: Budget, { rows }: Reservation): void {
  if (rows.length > 0) store.exclusively(() => rows.forEach(({ id }) => store.ledger.spend(id)));
}

/** Says what was really used. What it does not name stays as it was reserved. */
export function settle({ store }: Budget, { rows }: Reservation, amounts: Amounts): void {
  if (rows.length === 0) return;
  store.exclusively(() => {
    for (const { id, meter } of rows) {
      const amount = amounts[meter];
      if (amount !== undefined) store.ledger.settle(id, amount);
    }
  });
}

/** Gives back what was taken and not spent. */
export function release({ store }: Budget, { rows }: Reservation): void {
  if (rows.length > 0) store.exclusively(() => rows.forEach(({ id }) => store.ledger.release(id)));
}

function firstFull(budget: Budget, windows: readonly BudgetWindow[], amounts: Amounts): BudgetWindow | null {
  releaseWhatDied(budget, windows);
  return windows.find((window) => !hasRoom(budget, window, amounts[window.meter] ?? 0)) ?? null;
}

function hasRoom(budget: Budget, window: BudgetWindow, amount: number): boolean {
  const taken = used(budget, window);
  return window.isSoft ? taken < window.max : taken + amount <= window.max;
}

/** How often each rule with a limit was used within it, by its id. Throws `store-unavailable`. */
export function ruleUses(budget: Budget): ReadonlyMap<string, number> {
  const limited = budget.windows.flatMap((window) => {
    const rule = ruleOf(window.meter);
    return rule === null ? [] : [{ rule, window }];
  });
  if (limited.length === 0) return new Map();
  return budget.store.exclusively(() => {
    releaseWhatDied(
      budget,
      limited.map(({ window }) => window),
    );
    return new Map(limited.map(({ rule, window }) => [rule, used(budget, window)]));
  });
}

/** What counts in a window that ends now. */
export function used({ store, clock }: Budget, { account, meter, perMs }: BudgetWindow): number {
  return store.ledger.sum(account, inLedger(meter), perMs === null ? null : clock.nowMs() - perMs);
}

type Account = Pick<BudgetWindow, "account" | "meter">;

function accountsIn(windows: readonly BudgetWindow[]): readonly Account[] {
  return windows.filter((window, index) => windows.findIndex(({ account, meter }) => account === window.account && meter === window.meter) === index);
}

// A process that died between taking and spending did nothing: what it took is free again.
function releaseWhatDied({ store }: Budget, windows: readonly BudgetWindow[]): void {
  for (const { account, meter } of accountsIn(windows))
    for (const open of store.ledger.open(account, inLedger(meter))) if (isOwnerDead(open.owner)) store.ledger.release(open.id);
}
