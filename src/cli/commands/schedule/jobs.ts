import { setTimeout } from "node:timers/promises";
import { openRecords, withRecords, type Records } from "../../../app/records/records.ts";
import { absolute, makeJob } from "../../../app/schedule/job-request.ts";
import { addJob, digestOfSource, jobRecord, removeJob, schedulerParts } from "../../../app/schedule/scheduler.ts";
import { policyDifference } from "../../../app/policy/difference.ts";
import { withReadySandboxes } from "../../../app/setup/runtimes.ts";
import { readContext } from "../../../app/setup/context.ts";
import { confirmAtTerminal, ownAccount, personAtTerminal } from "../../../approvals/terminal/channel.ts";
import { appendAuditWith } from "../../../audit/log/log.ts";
import type { AnswerServer } from "../../../approvals/http-answers/server.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { STOPPED_ADVICE } from "../../../gate/stop-switch.ts";
import { durationMs } from "../../../policy/text/quantity.ts";
import { claimNow } from "../../../schedule/claim.ts";
import { ownTimeZone } from "../../../schedule/cron.ts";
import { runDaemon, runDueOnce } from "../../../schedule/daemon.ts";
import { releaseOf, type Job } from "../../../schedule/job.ts";
import { holdIfChanged, runClaim } from "../../../schedule/runner.ts";
import { EXIT } from "../../process/exit-code.ts";
import { withInterrupt } from "../../process/interrupt.ts";
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
    const model = options.model ?? process.env["WARDER_MODEL"];
    if (model === undefined || model === "") throw new AgentError("usage", "A model is needed: --model PROVIDER:NAME, or the variable WARDER_MODEL.");
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
export function remove(name: string): number {
  return withRecords((records) => {
    removeJob(records, knownJob(records, name), ownAccount());
    process.stdout.write(`Removed ${name}.\n`);
    return EXIT.done;
  });
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
    if (job.heldBecause === null && policy.digest === job.policyDigest) {
      process.stdout.write(`${name} is not held, and its policy is as it was confirmed.\n`);
      return EXIT.done;
    }
    const differs = policyDifference(store.policies.byDigest(job.policyDigest), policy).map((line) => `  ${makeVisibleLine(line)}\n`);
    const why = job.heldBecause === null ? "" : `It is held: ${makeVisibleLine(job.heldBecause)}.\n`;
    await confirm(
      `${why}This job will run under its policy as it is now:\n${jobText({ ...job, policyDigest: policy.digest })}What the policy says otherwise:\n${differs.join("")}`,
      name,
      "The job stays as it is.",
    );
    appendAuditWith(audit, () => {
      store.schedule.confirm(name, policy.digest);
      return { run: null, payload: jobRecord({ ...job, policyDigest: policy.digest }, "confirmed", personAtTerminal()) };
    });
    process.stdout.write(`Confirmed ${name}.\n`);
    return EXIT.done;
  } finally {
    records.store.close();
  }
}

export type RunOptions = { readonly jobs: string };

/** `warder schedule run`: what is due, once, for a crontab; with a name that job now, due or not. Exit 0 unless the job that was named did not run. */
export async function runDue(name: string | undefined, options: RunOptions): Promise<number> {
  const parallel = wholeNumber("--jobs", options.jobs, 1, 64);
  const records = openRecords();
  try {
    const parts = schedulerParts(records, say);
    return await withInterrupt(async (signal) => {
      if (name === undefined) await runDueOnce(parts, { signal, parallel });
      else await runNamed(records, name, signal);
      return signal.aborted ? EXIT.interrupted : EXIT.done;
    });
  } finally {
    records.store.close();
  }
}

async function runNamed(records: Records, name: string, signal: AbortSignal): Promise<void> {
  const job = knownJob(records, name);
  const parts = schedulerParts(records, say);
  if (parts.world.isStopped()) throw new AgentError("usage", STOPPED_ADVICE);
  if (holdIfChanged(parts, name)) {
    await parts.world.deliver();
    const because = knownJob(records, name).heldBecause ?? "it was changed";
    throw new AgentError("usage", `${name} is held: ${because}. See: ${releaseOf(job, because)}`);
  }
  const claim = claimNow(parts, name);
  if (claim === null)
    throw new AgentError("usage", `${name} does not run now: a run of it goes on, or waits for a person. See: warder schedule history ${name}`);
  await runClaim(parts, claim, signal, false);
}

/** `warder schedule daemon`: runs what is due, as it becomes due, until it is interrupted. */
export async function daemon(options: RunOptions & { readonly answers?: boolean }): Promise<number> {
  const parallel = wholeNumber("--jobs", options.jobs, 1, 64);
  const records = openRecords();
  let answers: AnswerServer | null = null;
  try {
    if (options.answers === true) answers = await (await import("../approvals/serve.ts")).serveConfigured(records);
    if (answers !== null) say(`answers are taken at ${answers.url}`);
    say(`${records.store.schedule.jobs().length} jobs, at most ${parallel} at once`);
    const sleep = async (ms: number, signal: AbortSignal): Promise<void> => await setTimeout(ms, undefined, { signal }).catch(() => undefined);
    await withReadySandboxes(() => withInterrupt((signal) => runDaemon(schedulerParts(records, say), { signal, parallel, sleep })));
    return EXIT.interrupted;
  } finally {
    await answers?.close();
    records.store.close();
  }
}

/** Asks at the terminal for a word. Throws `usage` when nobody answers there, or another word is typed; `otherwise` says what stays as it is. */
export async function confirm(text: string, word: string, otherwise: string): Promise<void> {
  const isConfirmed = await confirmAtTerminal(text, word);
  if (isConfirmed === null) throw new AgentError("usage", `A person at a terminal has to confirm this, and nobody answered at one. ${otherwise}`);
  if (!isConfirmed) throw new AgentError("usage", `Another word was typed. ${otherwise}`);
}

function knownJob({ store }: Pick<Records, "store">, name: string): Job {
  const job = store.schedule.job(name);
  if (job === null) throw new AgentError("usage", `There is no job ${makeVisibleLine(name)}. See: warder schedule list`);
  return job;
}

function readDuration(option: string, text: string): number {
  const ms = durationMs(text);
  if (ms === null) throw new AgentError("usage", `${option} takes a duration: 30s, 15m, 2h, 1d.`);
  return ms;
}

function say(line: string): void {
  process.stdout.write(`${new Date().toISOString()} ${makeVisibleLine(line)}\n`);
}
