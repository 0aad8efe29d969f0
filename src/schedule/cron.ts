import { Cron as Croner } from "croner";
import { AgentError } from "../base/errors.ts";
import { isTimeZone } from "../base/time-zone.ts";

/** When something is due: the moments of a cron expression in a time zone, in milliseconds since 1970. */
export type Cron = {
  /** The first moment after `afterMs`; null when there is none any more. */
  next(afterMs: number): number | null;
};

const NICKNAMES: ReadonlySet<string> = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@hourly"]);

/**
 * Reads a cron expression of five fields (minute, hour, day of the month, month, day of the week) or one of `@hourly`, `@daily`, `@weekly`, `@monthly`,
 * `@yearly`. A time of the day that the clocks skip is due when the gap ends, one that comes twice is due the first time; where several minutes of the hour
 * are named, those in the gap are left out, and what is due every hour or every so many minutes is due by the time that passes. When both days are
 * restricted, either makes it due, as cron has it. Throws `usage` for what is none, and for what is never due.
 */
export function readCron(expression: string, timeZone: string): Cron {
  const fields = expression.trim().split(/\s+/u);
  if (!NICKNAMES.has(expression.trim()) && fields.length !== 5)
    throw new AgentError(
      "usage",
      `${JSON.stringify(expression)} is no cron expression: it has ${fields.length === 1 && fields[0] === "" ? 0 : fields.length} fields, and five are needed (minute, hour, day of the month, month, day of the week), or @hourly, @daily, @weekly, @monthly, @yearly.`,
    );
  if (!isTimeZone(timeZone))
    throw new AgentError("usage", `${JSON.stringify(timeZone)} is no time zone. Write a name of the IANA database: UTC, Europe/Berlin, America/New_York.`);
  const cron = parse(expression, timeZone);
  const next = (afterMs: number): number | null => cron.nextRun(new Date(afterMs))?.getTime() ?? null;
  // From one fixed moment: an expression is not valid today and none tomorrow.
  if (next(Date.UTC(2026, 0, 1)) === null) throw new AgentError("usage", `${JSON.stringify(expression)} is never due: no year has such a day.`);
  return { next };
}

/** The time zone of this machine. */
export function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function parse(expression: string, timezone: string): Croner {
  try {
    return new Croner(expression.trim(), { timezone, mode: "5-part", paused: true });
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /u, "") : "unknown fault";
    throw new AgentError("usage", `${JSON.stringify(expression)} is no cron expression: ${why}`, { cause: error });
  }
}
