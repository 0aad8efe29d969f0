import { withRecords } from "../../../app/records/records.ts";
import { changedNotifier, notifierDigest } from "../../../app/jobs/notifier.ts";
import { listGrants } from "../../../approvals/grant.ts";
import { systemClock } from "../../../base/clock.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine, visibleJson } from "../../../base/text.ts";
import { releaseOf, type Job, type Tick } from "../../../schedule/job.ts";
import { EXIT } from "../../process/exit-code.ts";
import { localTime, nextMoments } from "../../view/job.ts";
import { paint } from "../../view/style.ts";
import { wholeNumber } from "../../input/whole-number.ts";

/** `warder schedule list`: each job, when it runs next, and what came of its last moment. */
export function list(options: { readonly json?: boolean }): number {
  return withRecords(({ store, approvals }) => {
    const standing = listGrants(approvals).filter(({ state }) => state === "standing");
    const jobs = store.schedule.jobs().map((job) => ({
      ...job,
      nextAtMs: nextMoments(job, systemClock.nowMs(), 1)[0] ?? null,
      last: store.schedule.lastTick(job.name),
      grants: standing.filter((grant) => grant.job?.name === job.name).map(({ id }) => id),
    }));
    if (options.json === true) process.stdout.write(`${visibleJson({ jobs })}\n`);
    else if (jobs.length === 0)
      process.stdout.write("No jobs. Add one: warder schedule add NAME --cron '0 3 * * *' --policy unattended -- \"update the dependencies\"\n");
    else for (const job of jobs) process.stdout.write(jobLines(job));
    return EXIT.done;
  });
}

/** `warder schedule history`: the moments of a job, the newest first. */
export function history(name: string, options: { readonly limit: string; readonly json?: boolean }): number {
  const limit = wholeNumber("--limit", options.limit, 1, 10_000);
  return withRecords(({ store }) => {
    const ticks = store.schedule.ticks(name, limit);
    const job = store.schedule.job(name);
    if (job === null && ticks.length === 0)
      throw new AgentError("usage", `There is no job ${makeVisibleLine(name)}, and there was none. See: warder schedule list`);
    const timeZone = job?.timeZone ?? "UTC";
    if (options.json === true) process.stdout.write(`${visibleJson({ job: name, ticks })}\n`);
    else if (ticks.length === 0) process.stdout.write(`No moment of ${makeVisibleLine(name)} has come.\n`);
    else for (const tick of ticks) process.stdout.write(`${tickText(tick, timeZone)}\n`);
    return EXIT.done;
  });
}

function jobLines(job: Job & { readonly nextAtMs: number | null; readonly last: Tick | null; readonly grants: readonly string[] }): string {
  const next = job.heldBecause === null ? (job.nextAtMs === null ? "never again" : localTime(job.nextAtMs, job.timeZone)) : paint("red", "held");
  const lines = [`${paint("bold", job.name)}  ${makeVisibleLine(job.cron)} ${paint("dim", job.timeZone)}  next ${next}`, `  ${makeVisibleLine(job.task)}`];
  if (job.heldBecause !== null) lines.push(`  ${makeVisibleLine(job.heldBecause)}; look and confirm: ${releaseOf(job, job.heldBecause)}`);
  else if (job.fromRun !== null) lines.push(`  proposed by ${makeVisibleLine(job.fromRun)}`);
  if (notifierDigest(job.notify) !== job.notifyDigest) lines.push(`  ${makeVisibleLine(changedNotifier(job.name, job.notify ?? ""))}`);
  if (job.grants.length > 0) lines.push(`  granted for each of its runs: ${job.grants.join(", ")}; what they cover: warder approvals grants`);
  if (job.last !== null) lines.push(`  last ${tickText(job.last, job.timeZone)}`);
  return `${lines.join("\n")}\n`;
}

function tickText(tick: Tick, timeZone: string): string {
  const detail = tick.detail === null ? "" : ` ${paint("dim", makeVisibleLine(tick.detail))}`;
  const again = tick.nextAtMs === null ? "" : `, again at ${localTime(tick.nextAtMs, timeZone)}`;
  const what = tick.state === "claimed" ? "goes on" : tick.state === "missed" ? "missed" : (tick.outcome ?? tick.state);
  return `${localTime(tick.atMs, timeZone)}  ${what}${again}${tick.run === null ? "" : `  ${tick.run}`}${tick.attempt > 1 ? ` (attempt ${tick.attempt})` : ""}${detail}`;
}
