import { expect, test } from "vitest";
import type { AuditRecord } from "../../../src/audit/entries/entry.ts";
import { recordLine } from "../../../src/cli/view/audit-record.ts";

const record = (kind: string, payload: Record<string, unknown>): AuditRecord =>
  ({ seq: 7, at: "2026-11-22T03:04:05.678Z", run: "run-a", kind, hash: "", previous: "", payload }) as unknown as AuditRecord;

test("a record is shown with its day, in one column with those of other days", () => {
  expect(recordLine(record("sandbox-closed", { session: "session-a" }))).toBe("    7 2026-11-22 03:04:05.678  sandbox-closed     session-a");
});

test("the rules of a ruling stand under what was wanted", () => {
  const rules = [{ id: "forbidden-path", verdict: "deny", at: "policies/base.yaml:33" }];
  const [first = "", second = ""] = recordLine(record("ruling", { tool: "shell", input: { command: "cat a" }, verdict: "deny", rules })).split("\n");
  expect(second.indexOf("forbidden-path")).toBe(first.indexOf("deny"));
});
