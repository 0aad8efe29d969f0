import { expect, test } from "vitest";
import { answerOfBegun } from "../../../src/app/run/interrupted-call.ts";
import { appendAudit } from "../../../src/audit/log/log.ts";
import type { AuditPayload } from "../../../src/audit/entries/entry.ts";
import { temporaryAudit } from "../../support/temporary-store.ts";

const CALL = { kind: "tool-call", callId: "call-1", name: "shell", input: {} } as const;

const permit = (does: string, call = "call-1"): AuditPayload => ({ kind: "permit-spent", call, ruling: "r", action: "a", does, target: {} });
const outcome: AuditPayload = { kind: "outcome", call: "call-1", ruling: "r", outcome: "completed", exitCode: 0, durationMs: 1, result: "made it" };

function answerAfter(...payloads: readonly AuditPayload[]) {
  const audit = temporaryAudit();
  for (const payload of payloads) appendAudit(audit, { run: "run-1", payload });
  return answerOfBegun(audit, "run-1", CALL);
}

test("a call that had begun and left no outcome is told as uncertain, and is not done again", () => {
  expect(answerAfter(permit("exec"))).toMatchObject({
    callId: "call-1",
    isError: true,
    text: expect.stringMatching(/It may have happened[\s\S]*NOT done again/u),
  });
});

test("a call whose outcome was recorded is told with what was recorded", () => {
  expect(answerAfter(permit("exec"), outcome)?.text).toMatch(/^\[untrusted output, failed\] \[warder: this ran before .*completed, exit code 0.*\]\nmade it$/u);
});

test("a call that had not begun, or had only read, may be done now", () => {
  expect(answerAfter()).toBeNull();
  expect(answerAfter(permit("read-file"), permit("list"))).toBeNull();
  expect(answerAfter(permit("exec", "call-2"))).toBeNull();
});

test("a write after a read has begun", () => {
  expect(answerAfter(permit("read-file"), permit("write-file"))).not.toBeNull();
});
