import { expect, test } from "vitest";
import { journalOf, readSteps } from "../../../src/app/run/journal.ts";
import { deferAudit } from "../../../src/audit/log/log.ts";
import { openStore } from "../../../src/store/store.ts";
import { temporaryAudit } from "../../support/temporary-store.ts";

test("an answer is kept, and the outcome of its call is on disk with it", () => {
  const audit = temporaryAudit();
  const other = openStore(audit.store.paths.directory);
  deferAudit(audit, "run-1", () => ({ kind: "outcome", call: "call-1", ruling: "r", outcome: "completed", exitCode: 0, durationMs: 1, result: "" }));
  const part = { kind: "tool-result", callId: "call-1", name: "shell", text: "", isError: false } as const;
  expect(other.audit.end()).toBeNull();
  journalOf({ audit, runId: "run-1" }, new Map()).record({ kind: "result", part, elapsedMs: 1 });
  expect(other.audit.end()?.seq).toBe(1);
  expect(readSteps(other, "run-1").steps).toMatchObject([{ part }]);
  other.close();
});

test("the labels of what was given stay with the steps, and go with those that a rewind takes back", () => {
  const audit = temporaryAudit();
  const { store } = audit;
  const journal = journalOf({ audit, runId: "run-1" }, new Map());
  const result = (callId: string, source: string) => {
    const labels = [{ trust: "untrusted", isSensitive: false, source, call: callId, run: "run-1" }] as const;
    journal.record({
      kind: "result",
      part: { kind: "tool-result", callId, name: "shell", text: "[untrusted output]\n", isError: false, labels },
      elapsedMs: 1,
    });
  };
  const sources = () => readSteps(store, "run-1").labels.map(({ source }) => source);
  result("a", "file /a");
  const [{ seq } = { seq: 0 }] = readSteps(store, "run-1").steps;
  result("b", "file /b");
  journal.record({ kind: "note", text: "A summary.", keeps: 0, elapsedMs: 1 });
  expect(sources()).toEqual(["file /a", "file /b"]);
  store.exclusively(() => store.steps.takeBack("run-1", { afterSeq: seq, rewind: "rewind-1" }));
  expect(sources()).toEqual(["file /a"]);
});
