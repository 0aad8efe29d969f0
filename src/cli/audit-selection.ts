import type { AuditKind } from "../audit/entry.ts";
import type { TailQuery } from "../audit/audit-tail.ts";
import { AgentError } from "../base/errors.ts";
import { durationMs } from "../policy/quantity.ts";

/** The options that choose records, as they are typed. */
export type Selection = {
  readonly run?: string;
  readonly kind?: string;
  readonly tool?: string;
  readonly verdict?: string;
  readonly since?: string;
  readonly until?: string;
};

/** Reads the options. Throws `usage` for a moment that is none. `nowMs`: what `2h` counts back from. */
export function readSelection(options: Selection, nowMs: number): Omit<TailQuery, "limit"> {
  const { run, kind, tool, verdict } = options;
  return {
    ...(run === undefined ? {} : { run }),
    // A kind that no record has gives no record.
    ...(kind === undefined ? {} : { kind: kind as AuditKind }),
    ...(tool === undefined ? {} : { tool }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(options.since === undefined ? {} : { since: isoOf(readMoment("--since", options.since, nowMs)) }),
    ...(options.until === undefined ? {} : { until: isoOf(readMoment("--until", options.until, nowMs)) }),
  };
}

/** A moment in milliseconds since 1970: `2026-11-22`, `2026-11-22T03:00:00Z`, or how long ago (`90d`, `2h`). Throws `usage`. */
export function readMoment(option: string, text: string, nowMs: number): number {
  const ago = durationMs(text);
  if (ago !== null) return nowMs - ago;
  const moment = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/u.test(text) ? Date.parse(text) : Number.NaN;
  // Of a day that its month does not have, the parser makes another one.
  const day = text.slice(0, 10);
  if (Number.isNaN(moment) || !new Date(Date.parse(day)).toISOString().startsWith(day))
    throw new AgentError("usage", `${option} takes a moment (2026-11-22, 2026-11-22T03:00:00Z) or how long ago it was (90d, 2h), not ${JSON.stringify(text)}.`);
  return moment;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
