import { closeSync, fsyncSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { appendLine } from "../../store/files/append-line.ts";
import { openNew, openOwn, readOwn } from "../../store/files/regular-file.ts";
import { appendAudit, type AuditLog } from "../log/log.ts";
import { parseJson } from "../chain/record.ts";
import { readAudit } from "../log/read.ts";
import type { AuditProblem } from "../verify/verify.ts";
import { signCheckpoint, type Checkpoint } from "./checkpoint.ts";

/** Where checkpoints are kept outside of this account's reach. `send` throws an {@link AgentError} when one did not arrive. */
export type Anchor = {
  /** As it is configured, without a command's arguments. */
  readonly name: string;
  send(checkpoint: Checkpoint): void;
};

/** `checkpoints.jsonl` in the state directory: every checkpoint that was signed by itself, one a line. */
export function checkpointsPath(stateDirectory: string): string {
  return join(stateDirectory, "checkpoints.jsonl");
}

/**
 * Signs the end of the log, keeps the checkpoint beside the database, sends it to the anchor, and records the result. Returns why the anchor did not
 * take it, or null. Throws `audit-unavailable` if it cannot be kept here.
 */
export function keepCheckpoint(log: AuditLog, run: string | null, anchor: Anchor | null): string | null {
  const checkpoint = signCheckpoint(log);
  if (checkpoint === null) return null;
  log.store.exclusively(() => {
    addLine(checkpointsPath(log.store.paths.directory), JSON.stringify(checkpoint));
  });
  const failure = anchor === null ? null : failureOf(anchor, checkpoint);
  const { seq, hash, signature } = checkpoint;
  const state = failure === null ? "kept" : "failed";
  appendAudit(log, { run, payload: { kind: "checkpoint", upTo: seq, hash, signature, anchor: anchor?.name ?? null, state, detail: failure } });
  return failure;
}

/** What was kept beside the database, as {@link judgeCheckpoints} takes it; empty when nothing was. */
export function ownCheckpoints(log: AuditLog): string {
  return readOwn(checkpointsPath(log.store.paths.directory), "audit-unavailable")?.toString("utf8") ?? "";
}

/** Drops the checkpoints of archived records: the seal of the archive proves as much, and `verify` checks each one that stays. */
export function forgetArchived(log: AuditLog): void {
  log.store.exclusively(() => {
    const base = log.store.audit.base()?.seq ?? 0;
    const path = checkpointsPath(log.store.paths.directory);
    const lines = ownCheckpoints(log).split("\n");
    const kept = lines.filter((line) => (sequenceIn(line) ?? base) >= base);
    if (kept.length === lines.length) return;
    const draft = openNew(`${path}.new`);
    try {
      writeFileSync(draft, kept.join("\n"));
      fsyncSync(draft);
    } finally {
      closeSync(draft);
    }
    renameSync(`${path}.new`, path);
  });
}

function sequenceIn(line: string): number | null {
  const value = parseJson(line);
  return typeof value === "object" && value !== null && "seq" in value && typeof value.seq === "number" ? value.seq : null;
}

/** Checkpoints that the log says were kept at an anchor, and that are not in its text: somebody shortened it, or changed it. */
export function missingCheckpoints(log: AuditLog, anchor: string, text: string): readonly AuditProblem[] {
  const kept = new Set(text.split("\n").map(signatureIn));
  const problems: AuditProblem[] = [];
  for (const { seq, payload } of readAudit(log, { kind: "checkpoint" }))
    if (payload["anchor"] === anchor && payload["state"] === "kept" && !kept.has(payload["signature"]))
      problems.push({ seq, what: `its checkpoint was kept at ${anchor}, and is not there any more` });
  return problems;
}

function signatureIn(line: string): unknown {
  const value = parseJson(line);
  return typeof value === "object" && value !== null && "signature" in value ? value.signature : null;
}

function failureOf(anchor: Anchor, checkpoint: Checkpoint): string | null {
  try {
    anchor.send(checkpoint);
    return null;
  } catch (error) {
    if (error instanceof AgentError) return error.message;
    throw error;
  }
}

function addLine(path: string, line: string): void {
  try {
    appendLine(path, line, openOwn);
  } catch (error) {
    const why = error instanceof AgentError ? error.message : `${error instanceof Error ? error.message : "unknown fault"}.`;
    throw new AgentError("audit-unavailable", `The checkpoint cannot be kept in ${path}: ${why}`, { cause: error });
  }
}
