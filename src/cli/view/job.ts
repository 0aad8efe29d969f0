import { makeVisibleLine } from "../../base/text.ts";
import { labelsOfJob } from "../../app/jobs/run-schedule.ts";
import { labelText } from "../../policy/label.ts";
import { readCron } from "../../schedule/cron.ts";
import type { Job } from "../../schedule/job.ts";
import { formatDuration } from "./style.ts";

const MAX_LABELS = 5;

/** A job as a person confirms it: everything that it will do, one line each, and its next moments. */
export function jobText(job: Job): string {
  const lines: readonly (readonly [string, string | null])[] = [
    ["task", job.task],
    ["model", job.model],
    ["workspace", job.workspace],
    ["policy", `${job.policy} (${job.policyDigest.slice(0, 12)})`],
    [
      "when",
      `${job.cron} (${job.timeZone}), next ${nextMoments(job, job.addedAtMs, 3)
        .map((at) => localTime(at, job.timeZone))
        .join(", ")}`,
    ],
    [
      "missed",
      {
        skip: "a moment that was missed is given up",
        once: "of moments that were missed, one is made up for",
        all: "moments that were missed are all made up for",
      }[job.catchUp],
    ],
    ["jitter", job.jitterMs === 0 ? null : `each moment is put off by up to ${formatDuration(job.jitterMs)}`],
    ["retries", job.retries === 0 ? null : `${job.retries}, when the model or the sandbox fails`],
    ["deadline", job.deadlineMs === null ? null : formatDuration(job.deadlineMs)],
    ["tells", job.notifyDigest === null ? job.notify : `${job.notify} (sha256 ${job.notifyDigest.slice(0, 12)})`],
    ["from", job.source],
    ["proposed", job.fromRun === null ? null : `by ${job.fromRun}: a model wrote the task`],
    ...shownLabels(job),
  ];
  return lines.flatMap(([key, value]) => (value === null ? [] : [`  ${key.padEnd(10)} ${makeVisibleLine(value)}\n`])).join("");
}

/** What the model had been given that wrote the task, where somebody else may have written it, or it must not get out. */
function shownLabels(job: Job): readonly (readonly [string, string])[] {
  const labels = labelsOfJob(job).filter(({ trust, isSensitive }) => trust === "untrusted" || isSensitive);
  const more = labels.length - MAX_LABELS;
  return [
    ...labels.slice(0, MAX_LABELS).map((label) => ["had read", labelText(label)] as const),
    ...(more > 0 ? [["had read", `and ${String(more)} more like these`] as const] : []),
  ];
}

/** The next `count` moments after a moment, in milliseconds since 1970. */
export function nextMoments({ cron, timeZone }: Pick<Job, "cron" | "timeZone">, afterMs: number, count: number): readonly number[] {
  const read = readCron(cron, timeZone);
  const moments: number[] = [];
  for (let at = read.next(afterMs); at !== null && moments.length < count; at = read.next(at)) moments.push(at);
  return moments;
}

/** A moment as clocks show it in a time zone: `2026-11-22 03:00 GMT+1`. */
export function localTime(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }).format(ms).concat(` ${zoneName(ms, timeZone)}`);
}

function zoneName(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "short" }).formatToParts(ms).find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
}
