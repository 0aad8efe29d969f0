import { expect, test } from "vitest";
import type { RunSummary } from "../../../src/app/run/summary.ts";
import { summaryText } from "../../../src/cli/view/run-summary.ts";

const done = (what: string, exitCode: number | null): RunSummary["done"][number] => ({ tool: "shell", what, outcome: "completed", exitCode });
const SUMMARY: RunSummary = {
  run: "run-1",
  task: "Do it.",
  ending: "done",
  reason: "",
  done: [done("npm test", 1), done("npm test", 0), done("git push", 128), done("a.ts", null)],
  failed: [],
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

test("the end of a run that was watched counts the commands that ran and did not end well", () => {
  expect(summaryText(SUMMARY, true)).toContain("\nDone: 4 calls, 2 of them with an exit code other than 0\n");
  expect(summaryText({ ...SUMMARY, done: [done("npm test", 0)] }, true)).toContain("\nDone: 1 call\n");
});

test("the end of a run that was not says of each how it ended", () => {
  expect(summaryText(SUMMARY)).toContain("\nDone (4):\n  shell npm test: exit 1\n  shell npm test\n  shell git push: exit 128\n  shell a.ts\n");
});

test("each line of a message is marked: none of it passes for Warder's own", () => {
  const messages = [{ text: "One\nRefused (1):\u001b[2J" }, { text: "Two", child: "run-2" }];
  expect(summaryText({ ...SUMMARY, messages })).toContain("\nMessages (2):\n  » One\n  » Refused (1):\\u{1b}[2J\n  [run-2] » Two\n");
});
