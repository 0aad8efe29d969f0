import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Store } from "../../src/store/store.ts";

const POLICY = `version: 1
name: cycle
extends: base
autonomy: supervised
workspace: { roots: [{ path: ".", access: read-write }] }
sandbox: { runtime: docker, workspace: bind, env: [], network: { allow: [] }, command-timeout: 30s, output: 1MiB }
`;

export const CYCLE_JOBS = ["one", "two"] as const;
export const CYCLE_START_MS = Date.UTC(2026, 0, 1);
export const MINUTE_MS = 60_000;

/** Makes ROOT ready for the program `park-cycle`. */
export function preparePlace(root: string): void {
  for (const name of ["workspace", "home"]) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "policy.yaml"), POLICY);
  // Where nothing stood when a call was decided and something stands when it is to run, it is refused: then the runs of two processes would refuse each other.
  writeFileSync(join(root, "workspace", "ran"), "");
}

/** Two jobs that are due each minute, and tell how each moment ended in the file `told`, as long as they are not there. */
export function addCycleJobs(store: Store, policyDigest: string, root: string): void {
  const workspace = join(root, "workspace");
  const job = { cron: "* * * * *", timeZone: "UTC", task: "cycle", model: "none", workspace, policy: "cycle", policyDigest, catchUp: "all" } as const;
  const rest = {
    jitterMs: 0,
    retries: 0,
    deadlineMs: null,
    notifyDigest: null,
    notify: `file:${join(root, "told")}`,
    addedBy: "cycle@test",
    addedAtMs: CYCLE_START_MS,
    heldBecause: null,
    source: null,
    fromRun: null,
    labels: "[]",
  };
  for (const name of CYCLE_JOBS) store.exclusively(() => store.schedule.addJob({ ...job, ...rest, sourceDigest: null, name }));
}

export type CycleReport = {
  /** Moments of jobs, each with its run. */
  readonly ticks: number;
  readonly runs: number;
  /** Runs that went on in another process than the one that began them, or after a person's answer. */
  readonly resumed: number;
  /** Calls that happened, over all runs. */
  readonly lines: number;
  readonly executed: number;
  /** Begun before a process died, and not done again; of these some did happen and some did not. */
  readonly uncertain: number;
  /** What must never be: each entry is a fault. */
  readonly faults: readonly string[];
};

/** Looks at everything that the cycles left, when all processes have ended and nothing is left to take up. */
export function examineCycles(root: string): CycleReport {
  const ran = linesOf(join(root, "workspace", "ran"));
  const database = new Database(join(root, "state", "warder.db"), { readonly: true });
  try {
    const runs = database.prepare<[], Run>("SELECT id, ending FROM runs").all();
    const ticks = database.prepare<[], Tick>("SELECT job, at, state, run FROM ticks ORDER BY job, at").all();
    const told = database.prepare<[], Told>("SELECT seq, kind, run, record FROM audit WHERE kind IN ('schedule-tick', 'ruling') ORDER BY seq").all();
    const faults = [...runFaults(database, runs, ran), ...tickFaults(ticks, runs), ...orderFaults(told), ...newsFaults(ticks, linesOf(join(root, "told")))];
    const count = (ending: string): number => runs.filter((run) => run.ending === ending).length;
    const resumed = told.filter(({ record }) => record.includes('"state":"resumed"')).length;
    return { ticks: ticks.length, runs: runs.length, resumed, lines: ran.length, executed: count("executed"), uncertain: count("begun-before"), faults };
  } finally {
    database.close();
  }
}

function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
}

type Run = { readonly id: string; readonly ending: string | null };
type Tick = { readonly job: string; readonly at: number; readonly state: string; readonly run: string | null };
type Told = { readonly seq: number; readonly kind: string; readonly run: string | null; readonly record: string };

/** Each run ended; its call happened once at most, and only with an approval that was used up for it. */
function runFaults(database: Database.Database, runs: readonly Run[], ran: readonly string[]): readonly string[] {
  const counts = (sql: string): ReadonlyMap<string, number> =>
    new Map(
      database
        .prepare<[], { run: string; n: number }>(sql)
        .all()
        .map(({ run, n }) => [run, n]),
    );
  const consumed = counts("SELECT run, count(*) AS n FROM approvals WHERE state = 'consumed' GROUP BY run");
  const permits = counts("SELECT run, count(*) AS n FROM audit WHERE kind = 'permit-spent' GROUP BY run");
  const times = new Map<string, number>();
  for (const line of ran) times.set(line, (times.get(line) ?? 0) + 1);
  const faults: string[] = [];
  for (const id of times.keys()) if (!runs.some((run) => run.id === id)) faults.push(`${id} ran and is in no record`);
  for (const { id, ending } of runs) {
    const [happened, begun, used] = [times, permits, consumed].map((counted) => counted.get(id) ?? 0) as [number, number, number];
    if (happened > 1) faults.push(`${id} ran ${happened} times`);
    if (ending === null) faults.push(`${id} is lost: it never ended`);
    else if (ending !== "executed" && ending !== "begun-before") faults.push(`${id} ended as ${ending}`);
    if (ending === "executed" && happened !== 1) faults.push(`${id} ended as executed and ran ${happened} times`);
    if (begun > 1) faults.push(`${id} was begun ${begun} times`);
    // One may have been used up by a process that died before it did anything: then a person was asked again.
    if (begun > used) faults.push(`${id} was begun without an approval`);
    if (happened > used) faults.push(`${id} ran without an approval`);
  }
  return faults;
}

/** Each moment since the beginning has one run of its own, which ended; and no run is of no moment. */
function tickFaults(ticks: readonly Tick[], runs: readonly Run[]): readonly string[] {
  const faults: string[] = [];
  const expected = new Map<string, number>();
  const owners = new Set<string>();
  for (const { job, at, state, run } of ticks) {
    const next = expected.get(job) ?? CYCLE_START_MS + MINUTE_MS;
    if (at !== next) faults.push(`${job} has nothing for ${new Date(next).toISOString()}`);
    expected.set(job, at + MINUTE_MS);
    if (state !== "ended") faults.push(`${job} at ${new Date(at).toISOString()} is lost: ${state}`);
    if (run === null || owners.has(run)) faults.push(`${job} at ${new Date(at).toISOString()} has no run of its own`);
    else owners.add(run);
  }
  for (const { id } of runs) if (!owners.has(id)) faults.push(`${id} belongs to no moment`);
  for (const id of owners) if (!runs.some((run) => run.id === id)) faults.push(`${id} never began`);
  return faults;
}

/** As the log has it: no run is started once it has begun, and no other run of a job begins before the one before is over. */
function orderFaults(told: readonly Told[]): readonly string[] {
  const faults: string[] = [];
  const begun = new Set<string>();
  const open = new Map<string, string>();
  for (const { kind, run, record, seq } of told) {
    if (kind === "ruling") {
      begun.add(run ?? "");
      continue;
    }
    const { job, moment: at, state } = JSON.parse(record) as { job: string; moment: string; state: string };
    if (state === "started" && begun.has(run ?? "")) faults.push(`record ${seq} starts ${run ?? ""} anew`);
    if (state === "resumed" && !begun.has(run ?? "") && open.get(job) !== at) faults.push(`record ${seq} resumes ${run ?? ""}, which never began`);
    const other = open.get(job);
    if (other !== undefined && other !== at) faults.push(`record ${seq}: ${job} at ${at} while ${other} goes on`);
    if (state === "ended") open.delete(job);
    else open.set(job, at);
  }
  return faults;
}

/** Each end of a moment was told, once or again under the same id, and nothing that is in no history. */
function newsFaults(ticks: readonly Tick[], lines: readonly string[]): readonly string[] {
  const faults: string[] = [];
  const ends = new Map<string, string>();
  for (const line of lines) {
    const { id, job, at, run, nextAtMs, outcome } = JSON.parse(line) as {
      id: string;
      job: string;
      at: number;
      run: string;
      nextAtMs: number | null;
      outcome: string;
    };
    const tick = ticks.find((one) => one.job === job && one.at === at);
    if (tick?.run !== run) faults.push(`${id} tells of ${job} at ${at}, which is in no history`);
    if (nextAtMs !== null || outcome === "parked") continue;
    const known = ends.get(run);
    if (known !== undefined && known !== id) faults.push(`the end of ${run} is told by ${known} and by ${id}`);
    ends.set(run, id);
  }
  for (const { run, state } of ticks) if (state === "ended" && !ends.has(run ?? "")) faults.push(`the end of ${run ?? ""} was never told`);
  return faults;
}
