import type { RunEnding } from "../../agent/run-end.ts";
import { systemClock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import { readPolicyFile } from "../../config/policy/files.ts";
import { isStopped, STOPPED_ADVICE } from "../../gate/stop-switch.ts";
import { releaseOf, type Job } from "../../schedule/job.ts";
import type { RunClaim } from "../../schedule/claim.ts";
import type { JobNews } from "../../schedule/job-news.ts";
import type { JobWorld, SchedulerParts } from "../../schedule/runner.ts";
import { openingText, type SandboxOpening } from "../run/opening.ts";
import { runTask, type AgentRunResult } from "../run/run.ts";
import type { RunSummary } from "../run/summary.ts";
import { deliverAll } from "./deliver-news.ts";
import type { Records } from "../records/records.ts";
import { resumeRun } from "../run/resume.ts";
import { readContext } from "../setup/context.ts";

/** How a run of a job ended; without a summary where it came to nothing that could be told. */
export type OnRunEnd = (ending: RunEnding, summary: RunSummary | null) => void;

/** The scheduler over the real world: runs are unattended runs of this process. `onEnd` is told how each of them ended. */
export function schedulerParts(records: Records, say: (line: string) => void, onEnd: OnRunEnd = () => undefined): SchedulerParts {
  const { store, audit } = records;
  let wasStopped = false;
  const world: JobWorld = {
    run: async (claim, signal) => {
      const { ending, reason, summary } = await runJob(claim, signal, say);
      onEnd(ending, summary);
      return { outcome: ending.kind, detail: reason === "" ? null : reason, isRetryable: isRetryable(ending), summary };
    },
    policyDigest: (job) => {
      try {
        return { digest: readContext(job.policy, job.workspace).policy.digest };
      } catch (error) {
        if (error instanceof AgentError) return { digest: null, why: error.message };
        throw error;
      }
    },
    sourceDigest: digestOfSource,
    isStopped: () => {
      const isNow = isStopped(store);
      if (isNow !== wasStopped) say(isNow ? `nothing is started: ${STOPPED_ADVICE}` : "the stop switch was released: what is due is started");
      wasStopped = isNow;
      return isNow;
    },
    tell: (job, news) => {
      say(newsLine(job, news));
    },
    deliver: () => deliverAll(records, { signal: new AbortController().signal, say }),
  };
  return { store, audit, clock: systemClock, world };
}

/** SHA-256 of a file that declares jobs; null when it cannot be read. */
export function digestOfSource(source: string): string | null {
  try {
    return sha256(readPolicyFile(source, source).text);
  } catch (error) {
    if (error instanceof AgentError) return null;
    throw error;
  }
}

/** Faults after which nothing can be recorded: the claim stays, and whoever comes next finds out how far the run was. */
const UNRECORDED: ReadonlySet<string> = new Set(["audit-unavailable", "store-unavailable", "broken-invariant"]);

type JobRunEnd = { readonly ending: RunEnding; readonly reason: string; readonly summary: RunSummary | null };

async function runJob({ kind, job, tick }: RunClaim, signal: AbortSignal, say: (line: string) => void): Promise<JobRunEnd> {
  const onOpen = (opening: SandboxOpening): void => say(`${job.name}: ${openingText(opening)}`);
  try {
    if (kind === "start") {
      const context = readContext(job.policy, job.workspace);
      if (context.policy.digest !== job.policyDigest) throw new AgentError("bad-policy", "The policy was changed at the moment when the run began.");
      const { task, model, name } = job;
      return endOf(await runTask(context, { task, model, job: name, isUnattended: true, runId: tick.run, signal, onOpen, emit: () => undefined }));
    }
    const end = await resumeRun(tick.run, { signal, onOpen, emit: () => undefined });
    if (end.kind === "ran") return endOf(end.result);
    const ending: RunEnding = end.kind === "waiting" ? { kind: "parked", approvalId: end.approvalId } : { kind: "denied", rule: "policy-changed" };
    return { ending, reason: "", summary: null };
  } catch (error) {
    if (!(error instanceof AgentError) || UNRECORDED.has(error.code)) throw error;
    return { ending: { kind: "failed", code: error.code }, reason: error.message, summary: null };
  }
}

function endOf({ end, summary }: AgentRunResult): JobRunEnd {
  return { ending: end, reason: end.reason, summary };
}

/** Only a failure of the model or the sandbox is worth a retry. A run that was refused, parked, interrupted or too expensive would end the same way. */
function isRetryable(ending: RunEnding): boolean {
  return ending.kind === "failed" && (ending.code === "provider-failed" || ending.code === "sandbox-unavailable");
}

function newsLine(job: Job, news: JobNews): string {
  const { name } = job;
  if (news.kind === "held") return `${name}: held: ${news.because}. See: ${releaseOf(job, news.because)}`;
  if (news.kind === "removed") return `${name}: removed; ${news.run} goes on only by hand`;
  const at = new Date(news.at).toISOString();
  if (news.kind === "began") return `${name}: ${news.isResumed ? "goes on with" : "starts"} ${news.run} (due ${at})`;
  const again = news.nextAtMs === null ? "" : `; again at ${new Date(news.nextAtMs).toISOString()}`;
  return `${name}: ${news.run} ended: ${news.outcome}${news.detail === null ? "" : ` (${news.detail})`}${again}`;
}
