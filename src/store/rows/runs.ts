import type { Statements } from "../lock/statements.ts";

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
  /** Path of the policy's own file as it was named, links and all; null for runs of an older schema. */
  readonly policyFile: string | null;
  readonly isUnattended: boolean;
  /** Suspended since then, until its question is answered; null while it runs and after its end. */
  readonly parkedAtMs: number | null;
  /** The approval that it waits for. */
  readonly parkedOn: string | null;
  /** The job that it is a run of; null for one that a person started. */
  readonly job: string | null;
  /** The run that it is a sub-agent of, and which of that run's calls started it (`CALL/INDEX`); null for a run of its own. */
  readonly parent: string | null;
  readonly parentCall: string | null;
  /** The last time that it went back; null: it never did. */
  readonly rewind: string | null;
  /** `RUN@TURN` that it was forked from, or null. */
  readonly forkedFrom: string | null;
  /** `open` as long as it plans, then the SHA-256 of its approved plan; null for a run that never planned. */
  readonly plan: string | null;
};

/** A run that starts. */
type Unstated = "job" | "parent" | "parentCall" | "forkedFrom" | "plan";
export type StartedRun = Omit<RunRow, "session" | "endedAtMs" | "ending" | "parkedAtMs" | "parkedOn" | "rewind" | Unstated> & Partial<Pick<RunRow, Unstated>>;

export type Rewinding = {
  readonly from: string;
  readonly isDead: boolean;
  readonly to: string;
  readonly rewind: string;
  readonly ending: "rewound" | "forked";
  readonly nowMs: number;
};

/** Runs, for `warder runs` and for what must outlive a process. */
export type RunRows = {
  start(row: StartedRun): void;
  setSession(id: string, session: string): void;
  /** The plan that a person approved. */
  setPlan(id: string, digest: string): void;
  /** False when it is unknown or had ended. */
  end(id: string, ending: string, nowMs: number): boolean;
  /** Suspends a run of this owner. False when it is another's by now, or has ended. */
  park(id: string, park: { readonly owner: string; readonly approval: string; readonly nowMs: number }): boolean;
  /**
   * Makes `to` the owner of a run that is parked or has ended, or whose owner `from` is dead: true for one caller only. `policyDigest` is
   * the policy that it goes on under.
   */
  takeOver(id: string, change: { readonly from: string; readonly isDead: boolean; readonly to: string; readonly policyDigest: string }): boolean;
  /** Notes that a run was put at one of its turns, where `takeOver` would take it, and leaves it to whoever goes on with it. False as there. */
  rewind(id: string, change: Rewinding): boolean;
  byId(id: string): RunRow | null;
  /** The newest first; without sub-agents. */
  list(limit: number): readonly RunRow[];
  /** The sub-agents of a run, the first one first; not those of its sub-agents. */
  children(parent: string): readonly RunRow[];
};

const COLUMNS =
  "id, workspace, policy_name AS policyName, policy_digest AS policyDigest, task, model, session, owner, started_at AS startedAtMs, ended_at AS endedAtMs, ending, policy_file AS policyFile, is_unattended AS isUnattended, parked_at AS parkedAtMs, parked_on AS parkedOn, job, parent, parent_call AS parentCall, rewind, forked_from AS forkedFrom, plan";

/** Nobody drives it: two processes never go on with one run. */
const IS_FREE = "(parked_at IS NOT NULL OR ended_at IS NOT NULL OR @isDead = 1)";

type StoredRun = Omit<RunRow, "isUnattended"> & { readonly isUnattended: 0 | 1 };

const rowOf = (stored: StoredRun): RunRow => ({ ...stored, isUnattended: stored.isUnattended === 1 });

export function runRows(statements: Statements): RunRows {
  const start =
    statements.prepare(`INSERT INTO runs (id, workspace, policy_name, policy_digest, task, model, owner, started_at, policy_file, is_unattended, job, parent, parent_call, forked_from, plan)
    VALUES (@id, @workspace, @policyName, @policyDigest, @task, @model, @owner, @startedAtMs, @policyFile, @isUnattended, @job, @parent, @parentCall, @forkedFrom, @plan)`);
  const setSession = statements.prepare<[string, string]>("UPDATE runs SET session = ? WHERE id = ?");
  const setPlan = statements.prepare<[string, string]>("UPDATE runs SET plan = ? WHERE id = ?");
  const end = statements.prepare<[number, string, string]>("UPDATE runs SET ended_at = ?, ending = ? WHERE id = ? AND ended_at IS NULL");
  const park = statements.prepare("UPDATE runs SET parked_at = @nowMs, parked_on = @approval WHERE id = @id AND owner = @owner AND ended_at IS NULL");
  const takeOver =
    statements.prepare(`UPDATE runs SET owner = @to, policy_digest = @policyDigest, parked_at = NULL, parked_on = NULL, ended_at = NULL, ending = NULL
    WHERE id = @id AND owner = @from AND ${IS_FREE}`);
  const rewind =
    statements.prepare(`UPDATE runs SET owner = @to, rewind = @rewind, plan = iif(plan IS NULL, NULL, 'open'), parked_at = NULL, parked_on = NULL, ended_at = @nowMs, ending = @ending
    WHERE id = @id AND owner = @from AND ${IS_FREE}`);
  const byId = statements.prepare<[string], StoredRun>(`SELECT ${COLUMNS} FROM runs WHERE id = ?`);
  const list = statements.prepare<[number], StoredRun>(`SELECT ${COLUMNS} FROM runs WHERE parent IS NULL ORDER BY started_at DESC, rowid DESC LIMIT ?`);
  const children = statements.prepare<[string], StoredRun>(`SELECT ${COLUMNS} FROM runs WHERE parent = ? ORDER BY rowid`);
  return {
    start: (row) => void start.run({ job: null, parent: null, parentCall: null, forkedFrom: null, plan: null, ...row, isUnattended: row.isUnattended ? 1 : 0 }),
    setSession: (id, session) => void setSession.run(session, id),
    setPlan: (id, digest) => void setPlan.run(digest, id),
    end: (id, ending, nowMs) => end.run(nowMs, ending, id).changes === 1,
    park: (id, change) => park.run({ id, ...change }).changes === 1,
    takeOver: (id, change) => takeOver.run({ id, ...change, isDead: change.isDead ? 1 : 0 }).changes === 1,
    rewind: (id, change) => rewind.run({ id, ...change, isDead: change.isDead ? 1 : 0 }).changes === 1,
    byId: (id) => {
      const stored = byId.get(id);
      return stored === undefined ? null : rowOf(stored);
    },
    list: (limit) => list.all(limit).map(rowOf),
    children: (parent) => children.all(parent).map(rowOf),
  };
}
