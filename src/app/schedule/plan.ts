import { listDifference } from "../../approvals/card-difference.ts";
import { appendAuditWith } from "../../audit/log/log.ts";
import { canonicalJson } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import { stateDirectory } from "../../config/state/directory.ts";
import { badSchedule, faultAt, readScheduleFile, type DeclaredJob, type ScheduleFile } from "../../config/schedule-file.ts";
import { trustIn } from "../../config/policy/trust.ts";
import type { PolicyDiagnostic } from "../../policy/text/diagnostic.ts";
import { isWithin } from "../../policy/matching/paths.ts";
import { durationMs } from "../../policy/text/quantity.ts";
import type { Job } from "../../schedule/job.ts";
import { absolute, examineRequest, type JobRequest } from "../jobs/job-request.ts";
import { policyDifference } from "../policy/difference.ts";
import type { Records } from "../records/records.ts";
import { jobRecord, removeJob } from "../jobs/job-changes.ts";
import { readContext, writablePlaces } from "../setup/context.ts";

/** What a file of jobs would make of the jobs that there are. */
export type SchedulePlan = {
  /** The file, by its real path, and what it was when it was read. */
  readonly source: string;
  readonly sha256: string;
  readonly added: readonly Job[];
  readonly changed: readonly { readonly was: Job; readonly now: Job; /** `- key: was`, `+ key: is`. */ readonly differs: readonly string[] }[];
  readonly removed: readonly Job[];
  /** As they are but for the file around them, which a person confirms with them. */
  readonly kept: readonly { readonly was: Job; readonly now: Job }[];
};

const KEYS: Readonly<Record<keyof JobRequest, keyof DeclaredJob | null>> = {
  name: null,
  cron: "cron",
  timeZone: "time-zone",
  task: "task",
  model: "model",
  workspace: "workspace",
  policy: "policy",
  catchUp: "catch-up",
  jitterMs: "jitter",
  retries: "retries",
  deadlineMs: "deadline",
  notify: "notify",
  source: null,
  sourceDigest: null,
};

/**
 * Reads a file of jobs and compares it with the jobs that it declared before; changes nothing. Throws `bad-configuration` with every
 * fault and its place, and for a file that an agent could have written and nobody confirmed.
 */
export function planSchedule(records: Records, path: string): SchedulePlan {
  const file = readScheduleFile(path);
  const source = file.file.path;
  const known = new Map(records.store.schedule.jobs().map((job) => [job.name, job]));
  const faults: PolicyDiagnostic[] = [];
  const declared: Job[] = [];
  for (const [name, said] of file.jobs) {
    const other = known.get(name);
    if (other !== undefined && other.source !== source) faults.push(faultAt(file.at(name, "cron"), takenName(other)));
    const { job, faults: found } = examineRequest(records, requestOf(name, said, file));
    for (const { field, fault } of found) faults.push(faultAt(file.at(name, KEYS[field] ?? "cron"), fault));
    if (job !== null) declared.push(job);
  }
  if (faults.length > 0) throw badSchedule(file.file, faults);
  requireTrust(records, file, declared);
  const pairs = declared.flatMap((job) => {
    const was = known.get(job.name);
    if (was === undefined) return [];
    const now = isSameClock(was, job) ? { ...job, addedAtMs: was.addedAtMs } : job;
    return [{ was, now, differs: differencesOf(records, was, now) }];
  });
  return {
    source,
    sha256: file.sha256,
    added: declared.filter(({ name }) => !known.has(name)),
    changed: pairs.filter(({ differs }) => differs.length > 0),
    removed: [...known.values()].filter((job) => job.source === source && !file.jobs.has(job.name)),
    kept: pairs.filter(({ differs }) => differs.length === 0),
  };
}

/** Whether the jobs are as the file says, and a person confirmed it as it is. */
export function isAsPlanned({ added, changed, removed, kept, sha256 }: SchedulePlan): boolean {
  return added.length + changed.length + removed.length === 0 && kept.every(({ was }) => was.sourceDigest === sha256 && was.heldBecause === null);
}

/** Makes the jobs what a person confirmed, each with its record. Throws `usage` when somebody changed one meanwhile. */
export function carryOut(records: Records, plan: SchedulePlan, by: string): void {
  const { store, audit } = records;
  const put = (now: Job, was: Job | null, change: "added" | "changed" | "confirmed"): void => {
    appendAuditWith(audit, () => {
      requireAsSeen(store.schedule.job(now.name), was, now.name);
      if (was === null) store.schedule.addJob(now);
      else store.schedule.replaceJob(now);
      return { run: null, payload: jobRecord(now, change, by) };
    });
  };
  for (const was of plan.removed) {
    requireAsSeen(store.schedule.job(was.name), was, was.name);
    removeJob(records, was, by);
  }
  for (const now of plan.added) put(now, null, "added");
  for (const { was, now } of plan.changed) put(now, was, "changed");
  for (const { was, now } of plan.kept) if (was.sourceDigest !== now.sourceDigest || was.heldBecause !== null) put(now, was, "confirmed");
}

/** A daemon may hold a job while a person reads. */
function requireAsSeen(is: Job | null, seen: Job | null, name: string): void {
  const text = (job: Job | null): string => (job === null ? "" : canonicalJson({ ...job, heldBecause: null }));
  if (text(is) !== text(seen)) throw new AgentError("usage", `The job ${name} was changed meanwhile. What came before it was done; look again.`);
}

function requestOf(name: string, said: DeclaredJob, { directory, file, sha256 }: ScheduleFile): JobRequest {
  const request = {
    name,
    cron: said.cron,
    timeZone: said["time-zone"],
    task: said.task,
    model: said.model,
    workspace: said.workspace,
    policy: said.policy,
    catchUp: said["catch-up"] ?? "skip",
    jitterMs: said.jitter === undefined ? 0 : (durationMs(said.jitter) ?? 0),
    retries: said.retries ?? 0,
    deadlineMs: said.deadline === undefined ? null : durationMs(said.deadline),
    notify: said.notify ?? null,
    source: file.path,
    sourceDigest: sha256,
  };
  return absolute(request, directory);
}

/** The same rule as for policies: what lies where an agent may write counts only as a person confirmed it. */
function requireTrust({ store }: Records, { file }: ScheduleFile, jobs: readonly Job[]): void {
  const places = [
    ...jobs.flatMap((job) => writablePlaces(readContext(job.policy, job.workspace))),
    ...store.schedule.jobs().map(({ workspace }) => workspace),
    ...store.runs.list(10_000).map(({ workspace }) => workspace),
  ];
  const trust = trustIn(file, stateDirectory(process.env));
  if (trust === "this-text" || (trust === "nothing" && !places.some((place) => isWithin(file.path, place)))) return;
  throw new AgentError("bad-configuration", `${file.file} lies in a workspace, where an agent could have written it, and nobody has confirmed this text.`, {
    remedy: `Read it, then run: warder policy trust ${file.file}`,
  });
}

function takenName({ name, source }: Job): AgentError {
  const by = source === null ? "by hand" : `by ${source}`;
  return new AgentError("usage", `There is a job ${name} already, added ${by}. Remove it first: warder schedule remove ${name}`);
}

function isSameClock(one: Job, other: Job): boolean {
  return one.cron === other.cron && one.timeZone === other.timeZone;
}

function differencesOf({ store }: Records, was: Job, now: Job): readonly string[] {
  const lines = (job: Job): string[] =>
    Object.entries(KEYS).flatMap(([field, key]) => {
      const value = job[field as keyof JobRequest];
      return key === null || value === null ? [] : [`${key}: ${String(value)}`];
    });
  const own = [
    ...listDifference("job", lines(was), lines(now)),
    ...(was.notify === now.notify && was.notifyDigest !== now.notifyDigest
      ? [`~ the program that is told says something else, or is gone: ${now.notify ?? ""}`]
      : []),
  ];
  if (was.policyDigest === now.policyDigest) return own;
  const { policy } = readContext(now.policy, now.workspace);
  return [...own, ...policyDifference(store.policies.byDigest(was.policyDigest), policy)];
}
