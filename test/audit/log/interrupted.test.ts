import { describe, expect, test } from "vitest";
import { appendAudit, type AuditLog } from "../../../src/audit/log/log.ts";
import { verifyAudit } from "../../../src/audit/verify/verify.ts";
import { storedValue } from "../../../src/audit/entries/stored-value.ts";
import { redactSecrets } from "../../../src/audit/entries/redact.ts";
import { RULING } from "../../support/ruling-record.ts";
import { temporaryAudit } from "../../support/temporary-store.ts";

function ruled(log: AuditLog, verdict: "allow" | "ask" | "deny"): void {
  appendAudit(log, { run: "run-1", payload: { ...RULING, input: storedValue({ command: "ls" }, redactSecrets), verdict } });
}

const answered = (log: AuditLog, answer: "granted" | "refused"): void =>
  void appendAudit(log, {
    run: "run-1",
    payload: { kind: "approval-answered", call: "call-1", ruling: "r", approval: "approval-1", answer, by: "ann", scope: "once", reason: "once" },
  });
const spent = (log: AuditLog, run = "run-1"): void =>
  void appendAudit(log, { run, payload: { kind: "permit-spent", call: "call-1", ruling: "r", action: "a", does: "exec", target: null } });
const ended = (log: AuditLog, run = "run-1"): void =>
  void appendAudit(log, { run, payload: { kind: "outcome", call: "call-1", ruling: "r", outcome: "completed", exitCode: 0, durationMs: 1, result: "" } });
const told = (log: AuditLog, answer: "allow" | "deny"): void =>
  void appendAudit(log, { run: "run-1", payload: { kind: "hook-answered", call: "call-1", answer, isShadow: false } });

describe("where the log stops", () => {
  test.each([
    ["allowed, nothing started", (log: AuditLog) => ruled(log, "allow"), [{ seq: 1, stage: "allowed" }]],
    ["denied", (log: AuditLog) => ruled(log, "deny"), []],
    ["waiting for a person", (log: AuditLog) => ruled(log, "ask"), [{ seq: 1, stage: "asked" }]],
    ["granted", (log: AuditLog) => (ruled(log, "ask"), answered(log, "granted")), [{ seq: 1, stage: "allowed" }]],
    ["refused", (log: AuditLog) => (ruled(log, "ask"), answered(log, "refused")), []],
    ["started", (log: AuditLog) => (ruled(log, "allow"), spent(log)), [{ seq: 2, stage: "started" }]],
    ["ended", (log: AuditLog) => (ruled(log, "allow"), spent(log), ended(log)), []],
    ["allowed to another agent, which was answered", (log: AuditLog) => (ruled(log, "allow"), told(log, "allow")), []],
    ["asked for another agent, which was refused", (log: AuditLog) => (ruled(log, "ask"), told(log, "deny")), []],
    ["ended in another run", (log: AuditLog) => (ruled(log, "allow"), spent(log), ended(log, "run-2")), [{ seq: 2, stage: "started" }]],
  ])("%s", (_name, write, expected) => {
    const log = temporaryAudit();
    write(log);
    expect(verifyAudit(log)).toMatchObject({ isIntact: true, interrupted: expected });
  });

  test("is told in words", () => {
    const log = temporaryAudit();
    ruled(log, "allow");
    spent(log);
    expect(verifyAudit(log).interrupted[0]?.what).toBe(
      "the log stops here: call call-1 (shell) at 2026-01-02T03:04:05.000Z was allowed and had started; no outcome is recorded, so it may have happened or not",
    );
  });
});
