import { appendAuditWith } from "../../audit/log/log.ts";
import type { AuditPayload } from "../../audit/entries/entry.ts";
import { redactSecrets } from "../../audit/entries/redact.ts";
import { AgentError } from "../../base/errors.ts";
import type { Job } from "../../schedule/job.ts";
import { keepNews } from "../../schedule/job-news.ts";
import type { Records } from "../records/records.ts";

/** Stores a job that a person confirmed, with its record or not at all. Throws `usage` when there is one of its name. */
export function addJob({ store, audit }: Records, job: Job): void {
  appendAuditWith(audit, () => {
    if (!store.schedule.addJob(job)) throw new AgentError("usage", `There is a job ${job.name} already. Remove it first: warder schedule remove ${job.name}`);
    return { run: null, payload: jobRecord(job, "added", job.addedBy) };
  });
}

/**
 * Removes a job, with its record or not at all, and tells of the runs that were not over: they go on only by hand. Gives their names. What its runs did
 * stays in the history.
 */
export function removeJob(records: Records, job: Job, by: string): readonly string[] {
  const left: string[] = [];
  appendAuditWith(records.audit, () => {
    left.push(...takeOut(records, job, by));
    return { run: null, payload: jobRecord(job, "removed", by) };
  });
  return left;
}

/** The same within a transaction that records it. */
export function takeOut({ store, approvals: { clock } }: Pick<Records, "store" | "approvals">, job: Job, by: string): readonly string[] {
  const left = store.schedule.openTicks(job.name).flatMap(({ state, run }) => (run !== null && (state === "parked" || state === "retry") ? [run] : []));
  for (const run of left) keepNews({ store, clock }, job, { kind: "removed", run, by });
  store.schedule.removeJob(job.name);
  return left;
}

/** What the log keeps of a change of a job. */
export function jobRecord(job: Job, change: JobRecord["change"], by: string): JobRecord {
  return {
    kind: "schedule-job",
    job: job.name,
    change,
    by,
    policy: job.policyDigest,
    detail: redactSecrets(`${job.cron} ${job.timeZone}: ${job.task}`.toWellFormed()),
  };
}

type JobRecord = Extract<AuditPayload, { readonly kind: "schedule-job" }>;
