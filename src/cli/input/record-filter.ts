import type { AuditKind } from "../../audit/entries/entry.ts";
import type { TailQuery } from "../../audit/log/read.ts";
import { AgentError } from "../../base/errors.ts";
import { durationMs } from "../../policy/text/quantity.ts";

/** The options that choose records, as they are typed. */
export type Selection = {
  readonly run?: string;
  readonly kind?: string;
  readonly tool?: string;
  readonly verdict?: string;
  readonly since?: string;
  readonly until?: string;
};

/** Reads the options. Throws `usage` for a kind or a moment that is none. `nowMs`: what `2h` counts back from. */
export function readSelection(options: Selection, nowMs: number): Omit<TailQuery, "limit"> {
  const { run, kind, tool, verdict } = options;
  const since = options.since === undefined ? null : readMoment("--since", options.since, nowMs);
  const until = options.until === undefined ? null : readMoment("--until", options.until, nowMs);
  if (since !== null && until !== null && since > until)
    throw new AgentError("usage", `--since ${isoOf(since)} is later than --until ${isoOf(until)}, so that nothing lies between. Swap them.`);
  return {
    ...(run === undefined ? {} : { run }),
    ...(kind === undefined ? {} : { kind: readKind(kind) }),
    ...(tool === undefined ? {} : { tool }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(since === null ? {} : { since: isoOf(since) }),
    ...(until === null ? {} : { until: isoOf(until) }),
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

const KINDS: Readonly<Record<AuditKind, true>> = {
  "policy-loaded": true,
  "run-start": true,
  "run-parked": true,
  "run-resumed": true,
  "run-rewound": true,
  "run-forked": true,
  "turn-not-kept": true,
  "model-switched": true,
  "run-end": true,
  "sandbox-opened": true,
  "sandbox-closed": true,
  call: true,
  "budget-moved": true,
  ruling: true,
  "plan-approved": true,
  "user-message": true,
  "question-answered": true,
  "memory-stored": true,
  "memory-forgotten": true,
  "hook-session": true,
  "hook-answered": true,
  "call-rejected": true,
  hook: true,
  "hook-command": true,
  "run-hook": true,
  "approval-requested": true,
  "approval-answered": true,
  "approval-given": true,
  "approval-void": true,
  "approval-sent": true,
  "approval-not-taken": true,
  "grant-added": true,
  "grant-revoked": true,
  "approver-enrolled": true,
  "approver-removed": true,
  "permit-spent": true,
  outcome: true,
  connection: true,
  "credential-used": true,
  "browser-opened": true,
  "background-job-ended": true,
  "changes-landing": true,
  "changes-applied": true,
  "changes-discarding": true,
  "changes-discarded": true,
  "changes-rebased": true,
  "changes-pushing": true,
  "changes-pushed": true,
  "changes-undoing": true,
  "changes-undone": true,
  "image-added": true,
  "image-removed": true,
  "mcp-server": true,
  "mcp-server-trusted": true,
  "mcp-server-signed-in": true,
  "skill-trusted": true,
  "skill-removed": true,
  "openapi-trusted": true,
  "schedule-job": true,
  "schedule-told": true,
  "schedule-tick": true,
  checkpoint: true,
  "archive-failed": true,
  "log-archived": true,
  stop: true,
};

/** A misspelt kind would look like a log in which nothing of it happened. */
function readKind(text: string): AuditKind {
  const kind = (Object.keys(KINDS) as AuditKind[]).find((known) => known === text);
  if (kind === undefined) throw new AgentError("usage", `--kind takes one of: ${Object.keys(KINDS).join(", ")}; not ${JSON.stringify(text)}.`);
  return kind;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
