import { resolve } from "node:path";
import { personAtTerminal } from "../../approvals/terminal/account.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { withScriptFrom } from "../../config/script-file.ts";
import { parseModelNames } from "../../providers/contract/model-name.ts";
import { readCron } from "../../schedule/cron.ts";
import { JOB_NAME, type Job } from "../../schedule/job.ts";
import { checkSink, notifierDigest } from "./notifier.ts";
import { readSink } from "../records/sink.ts";
import type { Records } from "../records/records.ts";
import { keepPolicy } from "../policy/keep.ts";
import { readContext, writablePlaces } from "../setup/context.ts";

/** What a person says of a job; the rest is measured when it is added. */
export type JobRequest = Omit<Job, "policyDigest" | "notifyDigest" | "addedBy" | "addedAtMs" | "heldBecause" | "fromRun" | "labels">;

/** What is wrong with a request, and with which part of it. */
export type JobFault = { readonly field: keyof JobRequest; readonly fault: AgentError };

/** How many moments are looked at to hold the jitter against the time between two. */
const SAMPLES = 400;
const LONGEST_DEADLINE_MS = 7 * 86_400_000;

/**
 * Makes a job of what a person asked for: reads its policy and workspace, and checks every field. Throws `usage` or `bad-policy` with
 * the first that is wrong; nothing is stored but the text of the policy.
 */
export function makeJob(records: Records, request: JobRequest): Job {
  const { job, faults } = examineRequest(records, request);
  if (job !== null) return job;
  throw faults[0]?.fault ?? new AgentError("broken-invariant", `The job ${request.name} could not be made.`);
}

/** The same with all that is wrong, for a file of jobs. `job` is null exactly when there are faults. */
export function examineRequest(
  { store }: Records,
  request: JobRequest,
): { readonly job: Job; readonly faults: readonly [] } | { readonly job: null; readonly faults: readonly JobFault[] } {
  const faults: JobFault[] = [];
  const check = <T>(field: keyof JobRequest, work: () => T): T | null => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      faults.push({ field: field === "policy" && error.code === "usage" ? "workspace" : field, fault: error });
      return null;
    }
  };
  check("name", () => checkName(request));
  check("task", () => checkTask(request));
  check("timeZone", () => readCron("@daily", request.timeZone));
  if (faults.every(({ field }) => field !== "timeZone")) check("cron", () => readCron(request.cron, request.timeZone));
  if (faults.every(({ field }) => field !== "timeZone" && field !== "cron")) check("jitterMs", () => checkJitter(request));
  check("deadlineMs", () => checkDeadline(request));
  check("model", () => parseModelNames(request.model));
  const context = check("policy", () => readContext(request.policy, request.workspace));
  const { notify } = request;
  if (notify !== null) check("notify", () => checkNotifier(notify, context === null ? [request.workspace] : writablePlaces(context)));
  if (context === null || faults.length > 0) return { job: null, faults };
  const { policy, workspace } = context;
  keepPolicy(store, policy);
  const made = {
    workspace,
    policyDigest: policy.digest,
    notifyDigest: notifierDigest(notify),
    addedBy: personAtTerminal(),
    addedAtMs: systemClock.nowMs(),
    heldBecause: null,
    fromRun: null,
    labels: "[]",
  };
  return { job: { ...request, ...made }, faults: [] };
}

/** Where files are that a request names relative to a directory: cron and a daemon run elsewhere. */
export function absolute(request: JobRequest, directory: string): JobRequest {
  const { policy, model, workspace } = request;
  return {
    ...request,
    workspace: resolve(directory, workspace),
    policy: policy.includes("/") || /\.ya?ml$/u.test(policy) ? resolve(directory, policy) : policy,
    model: withScriptFrom(directory, model),
  };
}

function checkNotifier(notify: string, writable: readonly string[]): void {
  const sink = readSink(notify);
  checkSink(sink, writable);
  if (sink.kind === "command" && notifierDigest(notify) === null)
    throw new AgentError("usage", `${sink.argv[0] ?? ""} cannot be read, so nobody would be told by it.`);
}

function checkName({ name }: JobRequest): void {
  if (!JOB_NAME.test(name))
    throw new AgentError("usage", `${JSON.stringify(name)} is no name for a job: lower-case letters, digits and hyphens between them, at most 64.`);
}

function checkTask({ task }: JobRequest): void {
  if (task.trim() === "") throw new AgentError("usage", "A job needs a task: warder schedule add NAME --cron '0 3 * * *' -- \"update the dependencies\"");
}

function checkJitter({ cron, timeZone, jitterMs }: JobRequest): void {
  const read = readCron(cron, timeZone);
  let at = read.next(systemClock.nowMs());
  for (let sample = 0; at !== null && sample < SAMPLES; sample += 1) {
    const next = read.next(at);
    if (next !== null && next - at <= jitterMs)
      throw new AgentError("usage", "The jitter must be shorter than the time between two moments of the job, or one would overtake the other.");
    at = next;
  }
}

function checkDeadline({ deadlineMs }: JobRequest): void {
  // A timer counts no more than 24 days, and would end the run at once.
  if (deadlineMs !== null && deadlineMs > LONGEST_DEADLINE_MS) throw new AgentError("usage", "The deadline of a job is at most 7d.");
}
