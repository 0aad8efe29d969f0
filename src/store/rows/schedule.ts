import type { Statements } from "../lock/statements.ts";

/** A job as a person added it. `src/schedule/job.ts` says what the fields mean. */
export type JobRow = {
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly task: string;
  readonly model: string;
  readonly workspace: string;
  readonly policy: string;
  readonly policyDigest: string;
  readonly catchUp: "skip" | "once" | "all";
  readonly jitterMs: number;
  readonly retries: number;
  readonly deadlineMs: number | null;
  readonly notify: string | null;
  /** SHA-256 of the program that `notify` names, when a person confirmed it; null for another place. */
  readonly notifyDigest: string | null;
  readonly addedBy: string;
  readonly addedAtMs: number;
  readonly heldBecause: string | null;
  /** The file that declares it (real path), and its SHA-256 when a person confirmed it; null for a job that was added by hand. */
  readonly source: string | null;
  readonly sourceDigest: string | null;
  /** The run that proposed it; null for a person's. */
  readonly fromRun: string | null;
  /** JSON: the labels of all that the model had been given that wrote the task. */
  readonly labels: string;
};

/** One moment of a job, and what came of it. */
export type TickRow = {
  readonly job: string;
  readonly atMs: number;
  readonly attempt: number;
  readonly state: "claimed" | "retry" | "parked" | "ended" | "missed";
  readonly run: string | null;
  readonly owner: string | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly outcome: string | null;
  readonly detail: string | null;
  readonly nextAtMs: number | null;
};

export type TickEndRow = Pick<TickRow, "outcome" | "detail" | "endedAtMs" | "nextAtMs"> & { readonly state: "retry" | "parked" | "ended" };

/** Jobs and their moments. Whoever changes more than one row does it in `Store.exclusively`. */
export type ScheduleRows = {
  /** False when there is one of that name. */
  addJob(job: JobRow): boolean;
  /** With the attempts that its moments were to have still, which none of its name inherits. False when there is none. */
  removeJob(name: string): boolean;
  hold(name: string, because: string): void;
  confirm(name: string, policyDigest: string, notifyDigest: string | null): void;
  /** Puts a job in the place of the one of its name, which is no longer held. False when there is none. */
  replaceJob(job: JobRow): boolean;
  job(name: string): JobRow | null;
  jobs(): readonly JobRow[];
  /** The names of all jobs: the one whose last run began first comes first, before it those that never ran. */
  namesInTurn(): readonly string[];
  /** False when the moment is there already. */
  addTick(tick: TickRow): boolean;
  /** Makes a moment this owner's again for another attempt: false when it is no longer as `was` has it. */
  reclaim(was: TickRow, claim: { readonly owner: string; readonly run: string; readonly attempt: number; readonly nowMs: number }): boolean;
  /** Ends an attempt of this owner: false when it is another's by now. */
  endTick(tick: Pick<TickRow, "job" | "atMs">, owner: string, end: TickEndRow): boolean;
  /** The newest moment that was dealt with, and of these not after `notAfterMs`. */
  lastTick(job: string, notAfterMs?: number): TickRow | null;
  /** Moments that are claimed, due again, or wait for a person. */
  openTicks(job: string): readonly TickRow[];
  /** The newest first. */
  ticks(job: string, limit: number): readonly TickRow[];
};

const JOB_COLUMNS = `name, cron, time_zone AS timeZone, task, model, workspace, policy, policy_digest AS policyDigest, catch_up AS catchUp, jitter_ms AS jitterMs,
  retries, deadline_ms AS deadlineMs, notify, notify_digest AS notifyDigest, added_by AS addedBy, added_at AS addedAtMs, held_because AS heldBecause,
  source, source_digest AS sourceDigest, from_run AS fromRun, labels`;
const JOB_FIELDS =
  "name, cron, time_zone, task, model, workspace, policy, policy_digest, catch_up, jitter_ms, retries, deadline_ms, notify, notify_digest, added_by, added_at, held_because, source, source_digest, from_run, labels";
const JOB_VALUES =
  "@name, @cron, @timeZone, @task, @model, @workspace, @policy, @policyDigest, @catchUp, @jitterMs, @retries, @deadlineMs, @notify, @notifyDigest, @addedBy, @addedAtMs, @heldBecause, @source, @sourceDigest, @fromRun, @labels";
const TICK_COLUMNS = "job, at AS atMs, attempt, state, run, owner, started_at AS startedAtMs, ended_at AS endedAtMs, outcome, detail, next_at AS nextAtMs";

export function scheduleRows(statements: Statements): ScheduleRows {
  return { ...jobRows(statements), ...tickRows(statements) };
}

function jobRows(statements: Statements): Pick<ScheduleRows, "addJob" | "replaceJob" | "removeJob" | "hold" | "confirm" | "job" | "jobs" | "namesInTurn"> {
  const add = statements.prepare(`INSERT OR IGNORE INTO jobs (${JOB_FIELDS}) VALUES (${JOB_VALUES})`);
  const replace = statements.prepare(`UPDATE jobs SET (${JOB_FIELDS}) = (${JOB_VALUES}) WHERE name = @name`);
  const remove = statements.prepare<[string]>("DELETE FROM jobs WHERE name = ?");
  const leave = statements.prepare<[string]>("UPDATE ticks SET state = 'ended', next_at = NULL WHERE job = ? AND state IN ('retry', 'parked')");
  const hold = statements.prepare<[string, string]>("UPDATE jobs SET held_because = ? WHERE name = ?");
  const confirm = statements.prepare<[string, string | null, string]>(
    "UPDATE jobs SET policy_digest = ?, notify_digest = ?, held_because = NULL WHERE name = ?",
  );
  const one = statements.prepare<[string], JobRow>(`SELECT ${JOB_COLUMNS} FROM jobs WHERE name = ?`);
  const all = statements.prepare<[], JobRow>(`SELECT ${JOB_COLUMNS} FROM jobs ORDER BY name`);
  const inTurn = statements.prepare<[], { readonly name: string }>(
    `SELECT name FROM jobs ORDER BY (SELECT started_at FROM ticks WHERE job = name AND run IS NOT NULL ORDER BY at DESC LIMIT 1), name`,
  );
  return {
    addJob: (job) => add.run(job).changes === 1,
    replaceJob: (job) => replace.run(job).changes === 1,
    removeJob: (name) => {
      leave.run(name);
      return remove.run(name).changes === 1;
    },
    hold: (name, because) => void hold.run(because, name),
    confirm: (name, policyDigest, notifyDigest) => void confirm.run(policyDigest, notifyDigest, name),
    job: (name) => one.get(name) ?? null,
    jobs: () => all.all(),
    namesInTurn: () => inTurn.all().map(({ name }) => name),
  };
}

function tickRows(statements: Statements): Omit<ScheduleRows, keyof ReturnType<typeof jobRows>> {
  const add = statements.prepare(`INSERT OR IGNORE INTO ticks (job, at, attempt, state, run, owner, started_at, ended_at, outcome, detail, next_at)
    VALUES (@job, @atMs, @attempt, @state, @run, @owner, @startedAtMs, @endedAtMs, @outcome, @detail, @nextAtMs)`);
  const reclaim =
    statements.prepare(`UPDATE ticks SET state = 'claimed', owner = @owner, run = @run, attempt = @attempt, started_at = @nowMs, ended_at = NULL, outcome = NULL,
    detail = NULL, next_at = NULL WHERE job = @job AND at = @atMs AND state = @wasState AND owner IS @wasOwner AND attempt = @wasAttempt AND run IS @wasRun`);
  const end = statements.prepare(`UPDATE ticks SET state = @state, outcome = @outcome, detail = @detail, ended_at = @endedAtMs, next_at = @nextAtMs
    WHERE job = @job AND at = @atMs AND state = 'claimed' AND owner = @owner`);
  const last = statements.prepare<[string, number], TickRow>(`SELECT ${TICK_COLUMNS} FROM ticks WHERE job = ? AND at <= ? ORDER BY at DESC LIMIT 1`);
  const open = statements.prepare<[string], TickRow>(`SELECT ${TICK_COLUMNS} FROM ticks WHERE job = ? AND state IN ('claimed', 'retry', 'parked') ORDER BY at`);
  const newest = statements.prepare<[string, number], TickRow>(`SELECT ${TICK_COLUMNS} FROM ticks WHERE job = ? ORDER BY at DESC LIMIT ?`);
  return {
    addTick: (tick) => add.run(tick).changes === 1,
    reclaim: (was, claim) =>
      reclaim.run({ ...claim, job: was.job, atMs: was.atMs, wasState: was.state, wasOwner: was.owner, wasAttempt: was.attempt, wasRun: was.run }).changes === 1,
    endTick: ({ job, atMs }, owner, change) => end.run({ job, atMs, owner, ...change }).changes === 1,
    lastTick: (job, notAfterMs = Number.MAX_SAFE_INTEGER) => last.get(job, notAfterMs) ?? null,
    openTicks: (job) => open.all(job),
    ticks: (job, limit) => newest.all(job, limit),
  };
}
