import { personAtTerminal } from "../approvals/terminal.ts";
import { appendAudit } from "../audit/audit-log.ts";
import { systemClock } from "../base/clock.ts";
import { AgentError } from "../base/errors.ts";
import { isStopped } from "../gate/stop-switch.ts";
import { readCron } from "../schedule/cron.ts";
import { JOB_NAME, type Job } from "../schedule/job.ts";
import type { Claim } from "../schedule/claim.ts";
import type { JobEnd, JobNews, JobWorld, SchedulerParts } from "../schedule/runner.ts";
import { parseModelName } from "../providers/select-model.ts";
import { runTask, type AgentRunResult } from "./agent-run.ts";
import { readOutlet, sendTo } from "./outlet.ts";
import type { Records } from "./records.ts";
import { resumeRun } from "./resume-run.ts";
import { keepPolicy } from "./sandboxed-run.ts";
import { readSurroundings } from "./surroundings.ts";

/** What a person says of a job; the rest is measured when it is added. */
export type JobRequest = Omit<Job, "policyDigest" | "addedBy" | "addedAtMs" | "heldBecause">;

/** How many moments are looked at to hold the jitter against the time between two. */
const SAMPLES = 400;

/**
 * Makes a job of what a person asked for: reads its policy and workspace, and checks every field. Throws `usage`, `bad-policy` or
 * `bad-configuration` with what is wrong; nothing is stored.
 */
export function makeJob({ store }: Records, request: JobRequest): Job {
  if (!JOB_NAME.test(request.name))
    throw new AgentError("usage", `${JSON.stringify(request.name)} is no name for a job: lower-case letters, digits and hyphens between them, at most 64.`);
  if (request.task.trim() === "")
    throw new AgentError("usage", "A job needs a task: warder schedule add NAME --cron '0 3 * * *' -- \"update the dependencies\"");
  const cron = readCron(request.cron, request.timeZone);
  let at = cron.next(systemClock.nowMs());
  for (let sample = 0; at !== null && sample < SAMPLES; sample += 1) {
    const next = cron.next(at);
    if (next !== null && next - at <= request.jitterMs)
      throw new AgentError("usage", "--jitter must be shorter than the time between two moments of the job, or one would overtake the other.");
    at = next;
  }
  parseModelName(request.model);
  if (request.notify !== null) readOutlet(request.notify);
  const { policy, workspace } = readSurroundings(request.policy, request.workspace);
  keepPolicy(store, policy);
  return { ...request, workspace, policyDigest: policy.digest, addedBy: personAtTerminal(), addedAtMs: systemClock.nowMs(), heldBecause: null };
}

/** Stores a job that a person confirmed. Throws `usage` when there is one of its name. */
export function addJob({ store, audit }: Records, job: Job): void {
  if (!store.exclusively(() => store.schedule.addJob(job)))
    throw new AgentError("usage", `There is a job ${job.name} already. Remove it first: warder schedule remove ${job.name}`);
  appendAudit(audit, {
    run: null,
    payload: {
      kind: "schedule-job",
      job: job.name,
      change: "added",
      by: job.addedBy,
      policy: job.policyDigest,
      detail: `${job.cron} ${job.timeZone}: ${job.task}`,
    },
  });
}

/** The scheduler over the real world: runs are unattended runs of this process. */
export function schedulerParts({ store, audit }: Records, say: (line: string) => void): SchedulerParts {
  const world: JobWorld = {
    run: runJob,
    policyDigest: (job) => {
      try {
        return { digest: readSurroundings(job.policy, job.workspace).policy.digest };
      } catch (error) {
        if (error instanceof AgentError) return { digest: null, why: error.message };
        throw error;
      }
    },
    isStopped: () => isStopped(store),
    tell: (job, news) => {
      say(newsLine(job, news));
      if (job.notify !== null && news.kind !== "began") notify(job, news, say);
    },
  };
  return { store, audit, clock: systemClock, world };
}

async function runJob({ kind, job, tick }: Claim, signal: AbortSignal): Promise<JobEnd> {
  try {
    if (kind === "start") {
      const surroundings = readSurroundings(job.policy, job.workspace);
      return endOf(await runTask(surroundings, { task: job.task, model: job.model, isUnattended: true, runId: tick.run, signal, emit: () => undefined }));
    }
    const end = await resumeRun(tick.run, { signal, emit: () => undefined });
    if (end.kind === "ran") return endOf(end.result);
    return { outcome: end.kind === "waiting" ? "parked" : "denied", detail: null, isRetryable: false };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return { outcome: "failed", detail: error.message, isRetryable: error.code === "sandbox-unavailable" || error.code === "provider-failed" };
  }
}

/** What may be tried again: a run that failed. What was refused, parked, interrupted or too expensive would end the same way. */
function endOf({ end }: AgentRunResult): JobEnd {
  return { outcome: end.kind, detail: "reason" in end && end.reason !== "" ? end.reason : null, isRetryable: end.kind === "failed" };
}

function notify(job: Job, news: JobNews, say: (line: string) => void): void {
  try {
    sendTo(readOutlet(job.notify ?? ""), { job: job.name, workspace: job.workspace, ...news });
  } catch (error) {
    // The run has ended as it did; that nobody was told is said here and changes nothing.
    if (!(error instanceof AgentError)) throw error;
    say(`${job.name}: nobody could be told: ${error.message}`);
  }
}

function newsLine({ name }: Job, news: JobNews): string {
  if (news.kind === "held") return `${name}: held: ${news.because}. See: warder schedule confirm ${name}`;
  const at = new Date(news.at).toISOString();
  if (news.kind === "began") return `${name}: ${news.isResumed ? "goes on with" : "starts"} ${news.run} (due ${at})`;
  const again = news.nextAtMs === null ? "" : `; again at ${new Date(news.nextAtMs).toISOString()}`;
  return `${name}: ${news.run} ended: ${news.outcome}${news.detail === null ? "" : ` (${news.detail})`}${again}`;
}
