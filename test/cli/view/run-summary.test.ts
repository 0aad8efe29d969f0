import { expect, test } from "vitest";
import type { RunSummary } from "../../../src/app/run/summary.ts";
import { summaryText } from "../../../src/cli/view/run-summary.ts";

const call = (what: string, exitCode: number | null) => ({ tool: "shell", what, outcome: "completed", exitCode });
const SUMMARY: RunSummary = {
  run: "run-1",
  task: "Do it.",
  ending: "done",
  reason: "",
  done: [call("npm test", 0), call("a.ts", null)],
  failed: [
    { ...call("npm test", 1), reason: "" },
    { ...call("sleep 9", null), outcome: "timed-out", reason: "It took longer than 1 s." },
  ],
  refused: [],
  parked: null,
  asked: [],
  changes: null,
  cost: { turns: 1, tokens: 1, usd: 0 },
  models: [],
  switches: [],
  messages: [],
  remembered: [],
  children: [],
};
const FAILED = "Failed (2):\n  shell npm test: exit 1\n  shell sleep 9: timed-out: It took longer than 1 s.\n";

test("the end of a run that was watched counts what ended well, and says of each other call how it ended", () => {
  expect(summaryText(SUMMARY, true)).toContain(`\nDone: 2 calls\n${FAILED}`);
});

test("the end of a run that was not names both", () => {
  expect(summaryText(SUMMARY)).toContain(`\nDone (2):\n  shell npm test\n  shell a.ts\n${FAILED}`);
});

test("each line of a message is marked: none of it passes for Warder's own", () => {
  const messages = [{ text: "One\nRefused (1):\u001b[2J" }, { text: "Two", child: "run-2" }];
  expect(summaryText({ ...SUMMARY, messages })).toContain("\nMessages (2):\n  » One\n  » Refused (1):\\u{1b}[2J\n  [run-2] » Two\n");
});
