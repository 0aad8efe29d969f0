import { isMessageDue, type MessageEnd } from "../../store/outbox.ts";
import type { OutboxRow } from "../../store/rows/outbox.ts";
import type { Records } from "../records/records.ts";

export type Delivering = {
  readonly signal: AbortSignal;
  /** Told what could not be sent, and why. */
  readonly say: (line: string) => void;
};

/** Sends one message, once. Null when it cannot be sent from here. */
export type SendRow = (row: OutboxRow) => Promise<MessageEnd | null>;

/** In one go; the rest has its turn a few seconds later. */
const MOST_AT_ONCE = 64;

/** Sends what lies in the outbox of a kind and is due, each message once. Throws only when the store or the log cannot be written. */
export async function deliverDue({ store, approvals }: Records, kind: OutboxRow["kind"], { signal, say }: Delivering, send: SendRow): Promise<void> {
  const nowMs = approvals.clock.nowMs();
  const due = store.outbox.waiting(kind, MOST_AT_ONCE).filter((row) => isMessageDue(row, nowMs));
  const inTurn = async (rows: readonly OutboxRow[]): Promise<void> => {
    for (const row of rows) {
      const end = signal.aborted ? null : await send(row);
      if (end === null) return;
      if (end.state === "delivered" || end.state === "abandoned") continue;
      say(`${row.about}: ${row.receiver} could not be told (${end.detail})${end.state === "waiting" ? "; it is tried again later" : ""}`);
      // A receiver that is away is not asked for each message.
      if (end.state === "waiting") return;
    }
  };
  // Receivers do not wait for each other.
  await Promise.all([...Map.groupBy(due, ({ receiver }) => receiver).values()].map(inTurn));
}
