import { defaultModels } from "../../../app/models/configured.ts";
import { confirm } from "../../input/confirmation.ts";
import { openRecords, type Records } from "../../../app/records/records.ts";
import { absolute, makeJob } from "../../../app/jobs/job-request.ts";
import { notifierDigest } from "../../../app/jobs/notifier.ts";
import { addJob, jobRecord, removeJob } from "../../../app/jobs/job-changes.ts";
import { digestOfSource, schedulerParts } from "../../../app/schedule/scheduler.ts";
import { policyDifference } from "../../../app/policy/difference.ts";
import { readContext } from "../../../app/setup/context.ts";
import { ownAccount, personAtTerminal } from "../../../approvals/terminal/account.ts";
import { appendAuditWith } from "../../../audit/log/log.ts";
import { canonicalJson } from "../../../base/digest.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { durationMs } from "../../../policy/text/quantity.ts";
import { ownTimeZone } from "../../../schedule/cron.ts";
import type { Job } from "../../../schedule/job.ts";
import { EXIT } from "../../process/exit-code.ts";
import { jobText } from "../../view/job.ts";
import { wholeNumber } from "../../input/whole-number.ts";

export type AddOptions = {
  readonly cron: string;
  readonly tz?: string;
  readonly policy: string;
  readonly workspace: string;
  readonly model?: string;
  readonly catchUp: Job["catchUp"];
  readonly jitter?: string;
  readonly retries: string;
  readonly deadline?: string;
  readonly notify?: string;
};

/** `warder schedule add`: a person at a terminal confirms the job as it will run. */
export async function add(name: string, words: readonly string[], options: AddOptions): Promise<number> {
  const records = openRecords();
  try {
    const model = options.model ?? defaultModels(process.env);
    if (model === null || model === "")
      throw new AgentError("usage", "A model is needed, and neither --model nor WARDER_MODEL nor the settings name one.", {
        remedy: "Add --model PROVIDER:NAME",
      });
    const request = {
      name,
      cron: options.cron,
      timeZone: options.tz ?? ownTimeZone(),
      task: words.join(" "),
      model,
      workspace: options.workspace,
      policy: options.policy,
      catchUp: options.catchUp,
      jitterMs: options.jitter === undefined ? 0 : readDuration("--jitter", options.jitter),
      retries: wholeNumber("--retries", options.retries, 0, 10),
      deadlineMs: options.deadline === undefined ? null : readDuration("--deadline", options.deadline),
      notify: options.notify ?? null,
      source: null,
      sourceDigest: null,
    };
    const job = makeJob(records, absolute(request, process.cwd()));
    if (records.store.schedule.job(name) !== null)
      throw new AgentError("usage", `There is a job ${name} already. Remove it first: warder schedule remove ${name}`);
    await confirm(`This job will run by itself, unattended:\n${jobText(job)}`, name, "No job was added.");
    addJob(records, job);
    process.stdout.write(`Added. It runs while "warder schedule daemon" does, or by a line in your crontab: * * * * * warder schedule run\n`);
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

/** `warder schedule remove`: nobody needs to be asked for less. What its runs did stays in the history. */
export async function remove(name: string): Promise<number> {
  const records = openRecords();
  try {
    const left = removeJob(records, knownJob(records, name), ownAccount());
    process.stdout.write(`Removed ${name}.\n`);
    for (const run of left)
      process.stdout.write(`Its run ${run} is not over, and goes on only by hand: warder run --resume ${run}. What it waits for: warder approvals list\n`);
    await schedulerParts(records, (line) => void process.stderr.write(`${makeVisibleLine(line)}\n`)).world.deliver();
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

/** `warder schedule confirm`: a person says that a held job runs under its policy as it is now. */
export async function confirmJob(name: string): Promise<number> {
  const records = openRecords();
  try {
    const { store, audit } = records;
    const job = knownJob(records, name);
    if (job.source !== null && digestOfSource(job.source) !== job.sourceDigest)
      throw new AgentError("usage", `${name} is declared by a file that was changed. See what changed: warder schedule sync ${job.source}`);
    const { policy } = readContext(job.policy, job.workspace);
    const notifyDigest = notifierDigest(job.notify);
    if (job.heldBecause === null && policy.digest === job.policyDigest && notifyDigest === job.notifyDigest) {
      process.stdout.write(`${name} is not held, and its policy and the program that it tells are as they were confirmed.\n`);
      return EXIT.done;
    }
    const differs = policyDifference(store.policies.byDigest(job.policyDigest), policy).map((line) => `  ${makeVisibleLine(line)}\n`);
    const why = job.heldBecause === null ? "" : `It is held: ${makeVisibleLine(job.heldBecause)}.\n`;
    await confirm(
      `${why}This job will run under its policy as it is now:\n${jobText({ ...job, policyDigest: policy.digest, notifyDigest })}What the policy says otherwise:\n${differs.join("")}`,
      name,
      "The job stays as it is.",
    );
    appendAuditWith(audit, () => {
      // A run may take a job of its back, and propose another by this name, while a person reads.
      if (canonicalJson(store.schedule.job(name)) !== canonicalJson(job))
        throw new AgentError("usage", `${name} was changed while you looked at it. Look again: warder schedule confirm ${name}`);
      store.schedule.confirm(name, policy.digest, notifyDigest);
      return { run: null, payload: jobRecord({ ...job, policyDigest: policy.digest }, "confirmed", personAtTerminal()) };
    });
    process.stdout.write(`Confirmed ${name}.\n`);
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

/** The job of this name. Throws `usage` when there is none. */
export function knownJob({ store }: Pick<Records, "store">, name: string): Job {
  const job = store.schedule.job(name);
  if (job === null) throw new AgentError("usage", `There is no job ${makeVisibleLine(name)}. See: warder schedule list`);
  return job;
}

function readDuration(option: string, text: string): number {
  const ms = durationMs(text);
  if (ms === null) throw new AgentError("usage", `${option} takes a duration: 30s, 15m, 2h, 1d.`);
  return ms;
}
