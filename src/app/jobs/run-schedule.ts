import { AgentError } from "../../base/errors.ts";
import { makeVisible } from "../../base/text.ts";
import { withScriptFrom } from "../../config/script-file.ts";
import type { RunSchedule, ScheduleChange } from "../../gate/schedule-change.ts";
import { type Label, labelOf, readLabels } from "../../policy/label.ts";
import type { Policy } from "../../policy/policy.ts";
import { ownTimeZone } from "../../schedule/cron.ts";
import type { Job } from "../../schedule/job.ts";
import type { WantedJob } from "../../tools/contract/run-handles.ts";
import type { Records } from "../records/records.ts";
import { examineRequest } from "./job-request.ts";
import { jobRecord, takeOut } from "./job-changes.ts";

/** Of jobs that runs proposed: of one workspace, of these that nobody has confirmed yet, and of those on the whole machine. */
const MAX_OF_WORKSPACE = 20;
const MAX_WAITING_OF_WORKSPACE = 5;
const MAX_WAITING = 20;

type Proposing = { readonly runId: string; readonly policy: Policy; readonly workspace: string };

/**
 * The schedule as a run sees it. What it proposes has its own policy, workspace and model, tells nobody, tries nothing again, and is held until a person
 * confirms it.
 */
export function runSchedule(records: Records, run: Proposing): RunSchedule {
  const { store } = records;
  const here = (): readonly Job[] => store.schedule.jobs().filter(({ workspace }) => workspace === run.workspace);
  return {
    propose: (wanted, labels) => proposal(records, run, wanted, labels),
    withdraw: (name) => {
      const find = (): Job | undefined => here().find((job) => job.name === name && job.fromRun !== null);
      if (find() === undefined) return { problem: "no run in this workspace proposed a job of that name." };
      return {
        make: () => {
          const job = find();
          if (job === undefined) throw new AgentError("usage", "it is gone by now, or another one.");
          takeOut(records, job, run.runId);
          return jobRecord(job, "removed", run.runId);
        },
      };
    },
    list: () => here().map((job) => ({ ...job, labels: labelsOfJob(job) })),
  };
}

function proposal(records: Records, { runId, policy, workspace }: Proposing, wanted: WantedJob, labels: readonly Label[]): ScheduleChange {
  const { store } = records;
  const row = store.runs.byId(runId);
  if (row === null || row.policyFile === null || row.model === null) return { problem: "this run has no model and no policy file that a job could have." };
  if (makeVisible(wanted.task) !== wanted.task) return { problem: "the task holds characters that a person does not see. Leave them out." };
  const request = {
    name: wanted.name,
    cron: wanted.cron,
    timeZone: wanted.timeZone ?? ownTimeZone(),
    task: wanted.task,
    model: withScriptFrom(process.cwd(), row.model),
    workspace,
    policy: row.policyFile,
    catchUp: "skip" as const,
    jitterMs: 0,
    retries: 0,
    deadlineMs: null,
    notify: null,
    source: null,
    sourceDigest: null,
  };
  const { job, faults } = examineRequest(records, request);
  if (job === null) return { problem: faults.map(({ fault }) => fault.message).join(" ") };
  // Its own rights and no others: a file that says something else by now was never this run's.
  if (job.policyDigest !== policy.digest) return { problem: "the policy file was changed since this run began." };
  const obstacle = (): string | null => whyNot(records, job);
  const now = obstacle();
  if (now !== null) return { problem: now };
  const held = { ...job, addedBy: runId, fromRun: runId, labels: JSON.stringify(labels), heldBecause: `${runId} proposed it, and no person has confirmed it` };
  return {
    make: () => {
      // Others may have proposed some meanwhile.
      const later = obstacle();
      if (later !== null || !store.schedule.addJob(held)) throw new AgentError("usage", later ?? TAKEN);
      return jobRecord(held, "proposed", runId);
    },
  };
}

const TAKEN = "there is, or was, a job of that name. Take another one.";

function whyNot({ store }: Records, { name, workspace }: Job): string | null {
  // What an earlier job of this name kept for its runs is not this one's.
  if (store.schedule.job(name) !== null || store.schedule.ticks(name, 1).length > 0) return TAKEN;
  const proposed = store.schedule.jobs().filter(({ fromRun }) => fromRun !== null);
  const ofHere = proposed.filter((job) => job.workspace === workspace);
  const waiting = (jobs: readonly Job[]): number => jobs.filter(({ heldBecause }) => heldBecause !== null).length;
  if (ofHere.length >= MAX_OF_WORKSPACE) return `runs proposed ${String(ofHere.length)} jobs in this workspace, and may propose no more.`;
  if (waiting(ofHere) >= MAX_WAITING_OF_WORKSPACE || waiting(proposed) >= MAX_WAITING)
    return "too many proposed jobs wait for a person already. Remove one with cron_remove, or wait.";
  return null;
}

/** What the model had been given that wrote a job's task. What cannot be read counts as both. */
export function labelsOfJob({ name, labels, fromRun }: Pick<Job, "name" | "labels" | "fromRun">): readonly Label[] {
  const unreadable = {
    trust: "untrusted",
    isSensitive: true,
    source: `job ${name}, whose labels cannot be read`,
    call: "none",
    run: fromRun ?? "no run",
  } as const;
  try {
    return readLabels(JSON.parse(labels)) ?? [labelOf(unreadable)];
  } catch (error) {
    if (error instanceof SyntaxError) return [labelOf(unreadable)];
    throw error;
  }
}
