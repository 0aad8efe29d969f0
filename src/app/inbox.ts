import { readdirSync } from "node:fs";
import { join } from "node:path";
import { listApprovals, showApproval } from "../approvals/approval.ts";
import { tailAudit } from "../audit/log/read.ts";
import { systemClock } from "../base/clock.ts";
import { AgentError } from "../base/errors.ts";
import { isStopped } from "../gate/stop-switch.ts";
import { readRecord } from "../sandbox/workspace/record.ts";
import { releaseOf } from "../schedule/job.ts";
import { isOwnerDead } from "../store/lock/process-owner.ts";
import type { RunRow } from "../store/rows/runs.ts";
import type { Records } from "./records/records.ts";
import { suspensionOf } from "./records/suspension.ts";

/** One thing that waits for a person. */
export type InboxItem = {
  /** `run`: one that stopped and goes on when somebody says so. `job`: one that failed, was refused or is held, or a run of a crontab that did. */
  readonly kind: "question" | "changes" | "run" | "job";
  /** Since when it waits. */
  readonly atMs: number;
  readonly run: string | null;
  readonly what: string;
  /** The command that a person types next. */
  readonly next: string;
};

/** Behind this nobody needs to hear of a run that only its end tells of. */
const TOLD_MS = 7 * 86_400_000;
const MAX_RUNS = 1_000;
/** Endings that a person has to look at. A run that a person interrupted is no news to them. */
const BAD_ENDINGS: ReadonlySet<string> = new Set(["failed", "denied", "limit", "budget", "deadline"]);
/** How many moments of a job are looked through for the last that came to an end. */
const MAX_TICKS = 20;

/** What waits for a person over all runs on this machine, the oldest first. */
export function readInbox(records: Records): readonly InboxItem[] {
  const recent = records.store.runs.list(MAX_RUNS);
  return [...questions(records), ...changes(records), ...stopped(records, recent), ...jobs(records), ...unattended(recent)].toSorted(
    (one, other) => one.atMs - other.atMs,
  );
}

function questions({ approvals }: Records): readonly InboxItem[] {
  return listApprovals(approvals, { state: "pending", limit: MAX_RUNS }).map(({ id, runId, askedAtMs, card }) => ({
    kind: "question",
    atMs: askedAtMs,
    run: runId,
    what: `${card.asker === undefined ? "" : `a sub-agent of ${card.asker.parent}: `}${card.commands.join("; ") || `${card.tool} ${card.input}`}`,
    next: `warder approvals show ${id}`,
  }));
}

/** Of runs that are over: what one that goes on changes is not ready to be looked at. */
function changes(records: Records): readonly InboxItem[] {
  const { store } = records;
  return readdirSync(store.paths.runs).flatMap((name): readonly InboxItem[] => {
    const row = name.startsWith("run-") ? store.runs.byId(name) : null;
    if (row === null || !isOver(row) || !hasChanges(join(store.paths.runs, name))) return [];
    return [
      { kind: "changes", atMs: row.endedAtMs ?? row.startedAtMs, run: name, what: row.task ?? commandOf(records, name), next: `warder changes diff ${name}` },
    ];
  });
}

function isOver(row: RunRow): boolean {
  return row.endedAtMs !== null || (row.task === null && isOwnerDead(row.owner));
}

// What cannot be read is not nothing: a person is told at the next command.
function hasChanges(runDirectory: string): boolean {
  try {
    const record = readRecord(runDirectory);
    return record !== null && record.state !== "discarded";
  } catch (error) {
    if (error instanceof AgentError) return true;
    throw error;
  }
}

/** Killed, or parked and answered. The scheduler goes on with its own runs. */
function stopped(records: Records, recent: readonly RunRow[]): readonly InboxItem[] {
  return recent.flatMap((row): readonly InboxItem[] => {
    const was = suspensionOf(row);
    if (row.job !== null || (was !== "killed" && was !== "parked") || isStopped(records.store, { run: row.id })) return [];
    const answer = row.parkedOn === null ? null : showApproval(records.approvals, row.parkedOn);
    if (was === "parked" && answer?.state === "pending") return [];
    const why = was === "killed" ? "killed" : answer === null ? "parked" : answer.state;
    return [{ kind: "run", atMs: row.parkedAtMs ?? row.startedAtMs, run: row.id, what: `${why}: ${taskOf(row)}`, next: `warder run --resume ${row.id}` }];
  });
}

function jobs({ store }: Records): readonly InboxItem[] {
  return store.schedule.jobs().flatMap((job): readonly InboxItem[] => {
    const { name, heldBecause } = job;
    const last = store.schedule.ticks(name, MAX_TICKS).find(({ state }) => state !== "missed");
    const atMs = last?.endedAtMs ?? last?.atMs ?? job.addedAtMs;
    if (heldBecause !== null) return [{ kind: "job", atMs, run: null, what: `${name}: held: ${heldBecause}`, next: releaseOf(job, heldBecause) }];
    if (last?.state !== "ended" || !BAD_ENDINGS.has(last.outcome ?? "")) return [];
    const detail = last.detail === null ? "" : `: ${last.detail}`;
    const next = last.run === null ? `warder schedule history ${name}` : `warder audit tail --run ${last.run}`;
    return [{ kind: "job", atMs, run: last.run, what: `${name}: ${last.outcome ?? ""}${detail}`, next }];
  });
}

/** Those that a crontab starts: of the same task in the same workspace the last one counts. */
function unattended(recent: readonly RunRow[]): readonly InboxItem[] {
  const seen = new Set<string>();
  const since = systemClock.nowMs() - TOLD_MS;
  return recent.flatMap((row): readonly InboxItem[] => {
    if (!row.isUnattended || row.job !== null || row.task === null || row.endedAtMs === null) return [];
    const key = JSON.stringify([row.workspace, row.task]);
    const isLast = !seen.has(key);
    seen.add(key);
    if (!isLast || row.endedAtMs < since || !BAD_ENDINGS.has(row.ending ?? "")) return [];
    const next = suspensionOf(row) === null ? `warder audit tail --run ${row.id}` : `warder run --resume ${row.id}`;
    return [{ kind: "job", atMs: row.endedAtMs, run: row.id, what: `${row.ending ?? ""}: ${taskOf(row)}`, next }];
  });
}

/** Of a run without a task, as the log has it, without the values of secrets: its command, or that it was no single one. */
export function commandOf({ audit }: Pick<Records, "audit">, run: string): string {
  const [call, ...more] = tailAudit(audit, { run, kind: "call", limit: 2 });
  if (more.length > 0) return "several calls";
  const input: unknown = call?.payload["input"];
  const command: unknown = typeof input === "object" && input !== null && "command" in input ? input.command : null;
  return typeof command === "string" ? command : "one command";
}

function taskOf({ task }: RunRow): string {
  return task ?? "one command";
}
