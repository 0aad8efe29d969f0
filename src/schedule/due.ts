import { sha256 } from "../base/digest.ts";
import type { Cron } from "./cron.ts";

/** What becomes of moments that passed while nothing could run: none is made up for, the last one, or each in turn. */
export type CatchUp = "skip" | "once" | "all";

export type DueQuestion = {
  readonly cron: Cron;
  /** The job's name, which its jitter depends on. */
  readonly name: string;
  readonly catchUp: CatchUp;
  /** Each moment is put off by less than this, evenly spread over jobs and moments. */
  readonly jitterMs: number;
  /** The last moment that was dealt with, or when the job was added. */
  readonly afterMs: number;
  readonly nowMs: number;
};

export type Due = {
  /** The moment that a run is to begin for; null when nothing is due. */
  readonly at: number | null;
  /** The last of the moments before it that are given up; null when there is none. */
  readonly missed: number | null;
};

/** With `skip`: how late a moment still counts as met. A crontab calls once a minute, and a machine may be slow. */
export const GRACE_MS = 120_000;

/** How many moments `all` makes up for at most: behind that, they are given up. */
export const MAX_CATCH_UP = 100;

const DAY_MS = 86_400_000;
/** How far back the last moments are looked for, step by step: years at once would be millions of moments. */
const LOOKBACKS_MS: readonly number[] = [3_600_000, DAY_MS, 7 * DAY_MS, 31 * DAY_MS, 366 * DAY_MS];

/** What is due now. When it has been dealt with, the next question begins behind it. A clock that went back makes nothing due twice. */
export function whatIsDue(question: DueQuestion): Due {
  const { catchUp, cron, afterMs } = question;
  const moments = lastMoments(question);
  const at = chosen(question, moments);
  const until = at ?? (catchUp === "skip" ? (moments.at(-1) ?? null) : null);
  if (until === null) return { at: null, missed: null };
  const before = moments.findLast((moment) => moment < until) ?? null;
  // What was looked at may not reach back to where the question begins.
  const first = cron.next(afterMs);
  const missed = at === null ? until : first !== null && first < at ? (before ?? first) : null;
  return { at, missed };
}

/** By how much a moment is put off: the same answer each time, less than `jitterMs`. */
export function jitterOf(name: string, at: number, jitterMs: number): number {
  if (jitterMs === 0) return 0;
  return Number.parseInt(sha256(`${name}\n${String(at)}`).slice(0, 12), 16) % jitterMs;
}

function chosen({ catchUp, name, jitterMs, nowMs }: DueQuestion, moments: readonly number[]): number | null {
  const last = moments.at(-1);
  if (last === undefined) return null;
  if (catchUp === "all") return moments[0] ?? null;
  if (catchUp === "once") return last;
  return nowMs - (last + jitterOf(name, last, jitterMs)) <= GRACE_MS ? last : null;
}

/** The newest moments, put off as they are, that have come: at most `MAX_CATCH_UP`, in order. */
function lastMoments({ cron, name, jitterMs, afterMs, nowMs }: DueQuestion): readonly number[] {
  const first = cron.next(afterMs);
  if (first === null || first > nowMs) return [];
  for (const lookback of [...LOOKBACKS_MS, Number.POSITIVE_INFINITY]) {
    const from = Math.max(afterMs, nowMs - lookback);
    const found: number[] = [];
    for (let at = cron.next(from); at !== null && at <= nowMs; at = cron.next(at)) if (at + jitterOf(name, at, jitterMs) <= nowMs) found.push(at);
    if (found.length >= MAX_CATCH_UP || from === afterMs) return found.slice(-MAX_CATCH_UP);
  }
  return [];
}
