import type { Database } from "better-sqlite3";

export type RunRow = {
  readonly id: string;
  readonly workspace: string;
  readonly policyName: string;
  readonly policyDigest: string;
  readonly task: string | null;
  readonly model: string | null;
  readonly session: string | null;
  /** The process that drives it (`ownerOfThisProcess`). */
  readonly owner: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  /** How it ended: `done`, `failed`, `denied`, `budget`, `interrupted`… */
  readonly ending: string | null;
};

/** Runs, for `warder runs` and for what must outlive a process. */
export type RunRows = {
  start(row: Omit<RunRow, "session" | "endedAtMs" | "ending">): void;
  setSession(id: string, session: string): void;
  /** False when it is unknown or had ended. */
  end(id: string, ending: string, nowMs: number): boolean;
  byId(id: string): RunRow | null;
  /** The newest first. */
  list(limit: number): readonly RunRow[];
};

const COLUMNS =
  "id, workspace, policy_name AS policyName, policy_digest AS policyDigest, task, model, session, owner, started_at AS startedAtMs, ended_at AS endedAtMs, ending";

export function runRows(database: Database): RunRows {
  const start = database.prepare(`INSERT INTO runs (id, workspace, policy_name, policy_digest, task, model, owner, started_at)
    VALUES (@id, @workspace, @policyName, @policyDigest, @task, @model, @owner, @startedAtMs)`);
  const setSession = database.prepare<[string, string]>("UPDATE runs SET session = ? WHERE id = ?");
  const end = database.prepare<[number, string, string]>("UPDATE runs SET ended_at = ?, ending = ? WHERE id = ? AND ended_at IS NULL");
  const byId = database.prepare<[string], RunRow>(`SELECT ${COLUMNS} FROM runs WHERE id = ?`);
  const list = database.prepare<[number], RunRow>(`SELECT ${COLUMNS} FROM runs ORDER BY started_at DESC, rowid DESC LIMIT ?`);
  return {
    start: (row) => void start.run(row),
    setSession: (id, session) => void setSession.run(session, id),
    end: (id, ending, nowMs) => end.run(nowMs, ending, id).changes === 1,
    byId: (id) => byId.get(id) ?? null,
    list: (limit) => list.all(limit),
  };
}
