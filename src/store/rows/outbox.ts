import type { Statements } from "../lock/statements.ts";

/** `waiting`: to be sent, or on its way; the others are ends. */
export type OutboxState = "waiting" | "delivered" | "failed" | "abandoned";

/** Something that somebody outside is to be told: stored in the transaction of what it tells of, and sent by whoever runs next. */
export type OutboxRow = {
  /** What a receiver knows a repeat by. */
  readonly id: string;
  readonly kind: "question" | "job-news";
  /** The approval, or the job. */
  readonly about: string;
  /** The webhook's name, or where a job's news go. */
  readonly receiver: string;
  readonly run: string | null;
  /** JSON, whose shape is the kind's. It holds no secret. */
  readonly body: string;
  readonly state: OutboxState;
  /** How often it was taken to be sent. */
  readonly attempts: number;
  /** When it may be taken next. */
  readonly nextAtMs: number;
  /** From then on nobody needs to know. */
  readonly expiresAtMs: number;
  /** The process that is sending it; null between two tries. */
  readonly owner: string | null;
  readonly detail: string;
};

export type NewMessage = Pick<OutboxRow, "id" | "kind" | "about" | "receiver" | "run" | "body" | "nextAtMs" | "expiresAtMs">;

export type OutboxRows = {
  add(message: NewMessage): void;
  byId(id: string): OutboxRow | null;
  /** The message about something for a receiver. */
  of(kind: OutboxRow["kind"], about: string, receiver: string): OutboxRow | null;
  /** The oldest first. */
  waiting(kind: OutboxRow["kind"], limit: number): readonly OutboxRow[];
  /** Makes one more try this owner's; false when it is no longer as `was` has it. */
  take(was: OutboxRow, change: { readonly owner: string; readonly nextAtMs: number }): boolean;
  /** The try came to nothing, and there is to be another. False when it is somebody else's by now. */
  putOff(taken: OutboxRow, change: { readonly nextAtMs: number; readonly detail: string }): boolean;
  /** Ends it, as it was taken and no later. */
  end(taken: OutboxRow, change: { readonly state: OutboxState; readonly detail: string }): boolean;
  /** Removes what nobody needs to know since before a moment. */
  prune(beforeMs: number): void;
};

const COLUMNS = "id, kind, about, receiver, run, body, state, attempts, next_at AS nextAtMs, expires_at AS expiresAtMs, owner, detail";

export function outboxRows(statements: Statements): OutboxRows {
  const add = statements.prepare(`INSERT INTO outbox (id, kind, about, receiver, run, body, next_at, expires_at)
    VALUES (@id, @kind, @about, @receiver, @run, @body, @nextAtMs, @expiresAtMs)`);
  const byId = statements.prepare<[string], OutboxRow>(`SELECT ${COLUMNS} FROM outbox WHERE id = ?`);
  const of = statements.prepare<[string, string, string], OutboxRow>(
    `SELECT ${COLUMNS} FROM outbox WHERE kind = ? AND about = ? AND receiver = ? ORDER BY rowid DESC LIMIT 1`,
  );
  const waiting = statements.prepare<[string, number], OutboxRow>(
    `SELECT ${COLUMNS} FROM outbox WHERE state = 'waiting' AND kind = ? ORDER BY next_at, rowid LIMIT ?`,
  );
  const take = statements.prepare(`UPDATE outbox SET owner = @owner, attempts = attempts + 1, next_at = @nextAtMs
    WHERE id = @id AND state = 'waiting' AND attempts = @attempts`);
  const putOff = statements.prepare(`UPDATE outbox SET owner = NULL, next_at = @nextAtMs, detail = @detail
    WHERE id = @id AND state = 'waiting' AND attempts = @attempts`);
  const end = statements.prepare(`UPDATE outbox SET owner = NULL, state = @state, detail = @detail
    WHERE id = @id AND state = 'waiting' AND attempts = @attempts`);
  const prune = statements.prepare<[number]>("DELETE FROM outbox WHERE expires_at < ?");
  return {
    add: (message) => void add.run(message),
    byId: (id) => byId.get(id) ?? null,
    of: (kind, about, receiver) => of.get(kind, about, receiver) ?? null,
    waiting: (kind, limit) => waiting.all(kind, limit),
    take: ({ id, attempts }, change) => take.run({ id, attempts, ...change }).changes === 1,
    putOff: ({ id, attempts }, change) => putOff.run({ id, attempts, ...change }).changes === 1,
    end: ({ id, attempts }, change) => end.run({ id, attempts, ...change }).changes === 1,
    prune: (beforeMs) => void prune.run(beforeMs),
  };
}
