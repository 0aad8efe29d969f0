import type { Clock } from "../base/clock.ts";
import type { OutboxRow, OutboxState } from "./rows/outbox.ts";
import { isOwnerDead, ownerOfThisProcess } from "./lock/process-owner.ts";
import type { Store } from "./store.ts";

/** What came of one try. `broken`: it may be tried again. */
export type SendEnd = { readonly kind: "delivered" | "failed" | "broken"; /** Nothing that the receiver wrote. */ readonly detail: string };

/** How a message stands. */
export type MessageEnd = { readonly state: OutboxState; readonly attempts: number; readonly detail: string };

/** How a message ends. */
export type MessageOver = Exclude<OutboxState, "waiting">;

export type MessageWork = {
  /** Whether anybody still needs to know. */
  readonly isWanted: (row: OutboxRow) => boolean;
  /** Sends it, once; never throws. It has to end before `leaseMs` are over. */
  readonly send: (row: OutboxRow) => Promise<SendEnd>;
  readonly leaseMs: number;
  /** How long to wait after each try that was broken; after the last of them it has failed. */
  readonly waitsMs: readonly number[];
  /** Records an end and lands it in the same transaction. False, and nothing is recorded, where `land` says that somebody else ended it. */
  readonly record: (end: MessageEnd & { readonly state: MessageOver }, land: () => boolean) => boolean;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Twelve tries within two days: a receiver that is away over night, or over a Saturday, is told when it is back. */
export const RETRY_WAITS_MS: readonly number[] = [
  1_000,
  4_000,
  16_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
];

/** A clock that was days ahead must not keep a message for as long. */
const LONGEST_WAIT_MS = 25 * HOUR_MS;
/** How long an end is remembered. */
const KEPT_MS = 30 * 24 * HOUR_MS;

type Parts = { readonly store: Store; readonly clock: Clock };

/** Whether a message may be taken: its time has come, or the process that was sending it is dead. */
export function isMessageDue({ state, owner, nextAtMs }: OutboxRow, nowMs: number): boolean {
  if (state !== "waiting") return false;
  return nextAtMs <= nowMs || nextAtMs > nowMs + LONGEST_WAIT_MS || (owner !== null && isOwnerDead(owner));
}

/**
 * Sends a message that waits, once, unless another process is on it: taken before it is sent, so that no two send it at the same time, and settled
 * after. A process that dies in between leaves it to the next one, which sends it again under the same id: at least once, and a receiver can tell.
 * `since`: the tries that the caller has seen; when there was none since, it need not be due.
 */
export async function tryMessage(parts: Parts, id: string, work: MessageWork, since: number | null = null): Promise<MessageEnd> {
  const { store, clock } = parts;
  const begun = store.exclusively(() => {
    store.outbox.prune(clock.nowMs() - KEPT_MS);
    return take(parts, store.outbox.byId(id), work, since);
  });
  if (begun.kind === "seen") return begun.end;
  const { taken } = begun;
  if (begun.kind === "unwanted") return end(parts, taken, work, { state: "abandoned", detail: taken.detail });
  const sent = await work.send(taken);
  if (sent.kind !== "broken") return end(parts, taken, work, { state: sent.kind, detail: sent.detail });
  const waitMs = work.waitsMs[taken.attempts - 1];
  if (!isWanted(parts, taken, work)) return end(parts, taken, work, { state: "abandoned", detail: sent.detail });
  if (waitMs === undefined) return end(parts, taken, work, { state: "failed", detail: sent.detail });
  store.exclusively(() => store.outbox.putOff(taken, { nextAtMs: clock.nowMs() + waitMs, detail: sent.detail }));
  return { state: "waiting", attempts: taken.attempts, detail: sent.detail };
}

/** Ends a message that nobody needs any more, and says how it stands. */
export function settleUnwanted(parts: Parts, id: string, work: MessageWork): MessageEnd | null {
  const row = parts.store.exclusively(() => parts.store.outbox.byId(id));
  if (row === null) return null;
  if (!isFree(row, parts) || isWanted(parts, row, work)) return endOf(row);
  return end(parts, row, work, { state: "abandoned", detail: row.detail });
}

type Begun = { readonly kind: "seen"; readonly end: MessageEnd } | { readonly kind: "taken" | "unwanted"; readonly taken: OutboxRow };

function take(parts: Parts, row: OutboxRow | null, work: MessageWork, since: number | null): Begun {
  const { store, clock } = parts;
  if (row === null) return { kind: "seen", end: PRUNED };
  if (isFree(row, parts) && !isWanted(parts, row, work)) return { kind: "unwanted", taken: row };
  const isNext = row.state === "waiting" && row.owner === null && row.attempts === since;
  if (!isNext && !isMessageDue(row, clock.nowMs())) return { kind: "seen", end: endOf(row) };
  const change = { owner: ownerOfThisProcess(), nextAtMs: clock.nowMs() + work.leaseMs };
  if (!store.outbox.take(row, change)) return { kind: "seen", end: endOf(row) };
  return { kind: "taken", taken: { ...row, ...change, attempts: row.attempts + 1 } };
}

function isWanted({ store, clock }: Parts, row: OutboxRow, work: MessageWork): boolean {
  return row.expiresAtMs > clock.nowMs() && store.exclusively(() => work.isWanted(row));
}

/** Whether it waits and no living process is sending it: what is on its way ends as its sender finds. */
function isFree(row: OutboxRow, { clock }: Parts): boolean {
  return row.state === "waiting" && (row.owner === null || isMessageDue(row, clock.nowMs()));
}

// A sender that was stopped for longer than its lease finds its message with another, or ended by it: there is one end of it in the log.
function end({ store }: Parts, taken: OutboxRow, work: MessageWork, change: { readonly state: MessageOver; readonly detail: string }): MessageEnd {
  const ended = { ...change, attempts: taken.attempts };
  if (work.record(ended, () => store.outbox.end(taken, change))) return ended;
  const present = store.exclusively(() => store.outbox.byId(taken.id));
  return present === null ? PRUNED : endOf(present);
}

/** Of a message that is gone: its time was over long ago. */
const PRUNED: MessageEnd = { state: "abandoned", attempts: 0, detail: "" };

function endOf({ state, attempts, detail }: OutboxRow): MessageEnd {
  return { state, attempts, detail };
}
