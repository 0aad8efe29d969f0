import { z } from "zod";
import { endOfDayMs } from "../text/day.ts";
import { durationMs } from "../text/quantity.ts";

/** Values that several parts of a file are made of. */

const WEEK_MS = 7 * 86_400_000;

export const name = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/u, "must be lower-case letters, digits and dashes, and begin with a letter");
export const text = z.string().min(1, "must not be empty").max(1000, "is longer than 1000 characters");
export const duration = z
  .string("must be a duration such as 60s, 15m or 1h")
  .refine((value) => durationMs(value) !== null, "must be a duration such as 60s, 15m, 1h or 1d, and at most 3650d");
const upTo = (mostMs: number, words: string) => duration.refine((value) => (durationMs(value) ?? 0) <= mostMs, `must be at most ${words}`);
// Timers count no more than 24 days, and would end at once.
export const timeout = upTo(WEEK_MS, "7d");
export const minutes = upTo(600_000, "10m").refine((value) => (durationMs(value) ?? 0) > 0, "must be more than nothing");
export const calendarDay = z
  .string("must be a day such as 2027-01-31")
  .refine((value) => endOfDayMs(value) !== null, "must be a day of the calendar, such as 2027-01-31");
export const day = upTo(86_400_000, "1d");
