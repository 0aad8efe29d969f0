import { setTimeout } from "node:timers/promises";
import type { RunEnding } from "../../../agent/run-end.ts";
import { openRecords, type Records } from "../../../app/records/records.ts";
import type { RunSummary } from "../../../app/run/summary.ts";
import { schedulerParts } from "../../../app/schedule/scheduler.ts";
import { withReadySandboxes } from "../../../app/setup/runtimes.ts";
import type { AnswerServer } from "../../../approvals/http-answers/server.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { STOPPED_ADVICE } from "../../../gate/stop-switch.ts";
import { claimNow } from "../../../schedule/claim.ts";
import { runDaemon, runDueOnce } from "../../../schedule/daemon.ts";
import { releaseOf } from "../../../schedule/job.ts";
import { holdIfChanged, runClaim } from "../../../schedule/runner.ts";
import { EXIT, exitCodeOfEnding } from "../../process/exit-code.ts";
import { withInterrupt } from "../../process/interrupt.ts";
import { wholeNumber } from "../../input/whole-number.ts";
import { summaryText } from "../../view/run-summary.ts";
import { knownJob } from "./jobs.ts";

export type RunOptions = { readonly jobs: string };

/** `warder schedule run`: runs what is due, once (for a crontab); with a name, that job now, and then ends as `warder run` does. */
export async function runDue(name: string | undefined, options: RunOptions): Promise<number> {
  const parallel = wholeNumber("--jobs", options.jobs, 1, 64);
  const records = openRecords();
  try {
    return await withInterrupt(async (signal) => {
      if (name !== undefined) return await runNamed(records, name, signal);
      await runDueOnce(schedulerParts(records, say), { signal, parallel });
      return signal.aborted ? EXIT.interrupted : EXIT.done;
    });
  } finally {
    records.store.close();
  }
}

/** The same endings as `warder run`, with the same codes and words. A job that its deadline ended spent its time. */
async function runNamed(records: Records, name: string, signal: AbortSignal): Promise<number> {
  const job = knownJob(records, name);
  const ends: { readonly ending: RunEnding; readonly summary: RunSummary | null }[] = [];
  const parts = schedulerParts(records, say, (ending, summary) => void ends.push({ ending, summary }));
  if (parts.world.isStopped()) throw new AgentError("usage", STOPPED_ADVICE);
  if (holdIfChanged(parts, name)) {
    await parts.world.deliver();
    const because = knownJob(records, name).heldBecause ?? "it was changed";
    throw new AgentError("usage", `${name} is held: ${because}. See: ${releaseOf(job, because)}`);
  }
  const claim = claimNow(parts, name);
  if (claim === null)
    throw new AgentError("usage", `${name} does not run now: a run of it goes on, or waits for a person. See: warder schedule history ${name}`, {
      remedy: "If its question was answered, this continues the run: warder schedule run",
    });
  const outcome = await runClaim(parts, claim, signal, false);
  const end = ends.at(-1);
  if (end === undefined) return EXIT.failed;
  if (end.summary !== null) process.stdout.write(`\n${summaryText(end.summary)}`);
  return outcome === "deadline" ? EXIT.budgetSpent : exitCodeOfEnding(end.ending);
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

function say(line: string): void {
  process.stdout.write(`${new Date().toISOString()} ${makeVisibleLine(line)}\n`);
}
