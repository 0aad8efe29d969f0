import { join } from "node:path";
import { forgetArchived, keepCheckpoint, missingCheckpoints, ownCheckpoints, type Anchor } from "../../audit/checkpoints/anchor.ts";
import { archiveAudit, type Archived } from "../../audit/archive.ts";
import { appendAudit, type AuditLog } from "../../audit/log/log.ts";
import type { AuditProblem } from "../../audit/verify/verify.ts";
import { judgeCheckpoints } from "../../audit/checkpoints/checkpoint.ts";
import { AgentError } from "../../base/errors.ts";
import type { Settings } from "../../config/settings.ts";
import { readRegular } from "../../store/files/regular-file.ts";
import { readSink, sendTo, type Sink } from "./sink.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The anchor that the user configured, or null. Throws `bad-configuration`. */
export function anchorOf({ anchor }: Settings): (Anchor & { readonly file: string | null }) | null {
  if (anchor === null) return null;
  const sink = anchorSink(anchor);
  const name = sink.kind === "command" ? `command:${sink.argv[0] ?? ""}` : anchor;
  return { name, file: sink.kind === "file" ? sink.path : null, send: (checkpoint) => sendTo(sink, checkpoint) };
}

function anchorSink(anchor: string): Sink {
  try {
    return readSink(anchor);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    throw new AgentError("bad-configuration", `audit.anchor of settings.yaml: ${error.message}`, { cause: error });
  }
}

/**
 * Signs the end of the log when a run starts. Throws `audit-unavailable` if the anchor does not take it: a run that must be provable elsewhere does not
 * start without that.
 */
export function checkpointAtStart(log: AuditLog, run: string, settings: Settings): void {
  const failure = keepCheckpoint(log, run, anchorOf(settings));
  if (failure === null) return;
  throw new AgentError("audit-unavailable", `The end of the audit log cannot be kept where settings.yaml wants it, so nothing runs: ${failure}`);
}

/** The same as a run ends, and old records go into an archive. What the run did is done: a failure is recorded, and the next start meets it. */
export function upkeepAtEnd(log: AuditLog, run: string, settings: Settings): void {
  keepCheckpoint(log, run, anchorOf(settings));
  const { archiveAfterMs } = settings;
  if (archiveAfterMs === null || !hasOlder(log, archiveAfterMs + DAY_MS)) return;
  try {
    archiveBefore(log, log.clock.nowMs() - archiveAfterMs, join(log.store.paths.directory, "archive"));
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    appendAudit(log, { run, payload: { kind: "archive-failed", detail: error.message } });
  }
}

/** Archives the records from before a moment to a file below `directory`, and drops their checkpoints here. Null if none is that old. */
export function archiveBefore(log: AuditLog, beforeMs: number, directory: string): Archived | null {
  const archived = archiveAudit(log, beforeMs, directory);
  if (archived !== null) forgetArchived(log);
  return archived;
}

/** Holds the log against every checkpoint that is at hand: those beside the database, and those of an anchor that is a file. Gives what is wrong. */
export function judgeKept(log: AuditLog, settings: Settings): readonly AuditProblem[] {
  const anchor = anchorOf(settings);
  const own = judgeText(log, ownCheckpoints(log));
  if (anchor?.file === undefined || anchor.file === null) return own;
  const text = textOf(anchor.file);
  return [...own, ...judgeText(log, text), ...missingCheckpoints(log, anchor.name, text)];
}

function judgeText(log: AuditLog, text: string): readonly AuditProblem[] {
  return text === "" ? [] : judgeCheckpoints(log, text).problems;
}

/** Empty when it is not there: what the log says was kept in it is then missing. */
function textOf(path: string): string {
  try {
    return readRegular(path, "bad-configuration").toString("utf8");
  } catch (error) {
    if (error instanceof AgentError) throw error;
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw new AgentError("bad-configuration", `The anchor ${path} cannot be read: ${error instanceof Error ? error.message : "unknown fault"}.`, {
      cause: error,
    });
  }
}

// A day's grace, or each run of a day would archive a handful of records.
function hasOlder(log: AuditLog, ageMs: number): boolean {
  return log.store.audit.lastBefore(new Date(log.clock.nowMs() - ageMs).toISOString()) !== null;
}
