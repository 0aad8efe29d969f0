import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { AgentEvent } from "../../../../src/agent/events.ts";
import { createLiveView } from "../../../../src/cli/view/live/live-view.ts";

/** What is shown of events, of which only the parts that are read are given. */
function shown(...events: readonly Record<string, unknown>[]): readonly string[] {
  const out = new PassThrough().setEncoding("utf8");
  const view = createLiveView(out as unknown as NodeJS.WriteStream);
  for (const event of events) view.show({ runId: "run-a", atMs: 0, ...event } as unknown as AgentEvent);
  return String(out.read()).split("\n");
}

const ended = (kind: string, reason: string) => ({ kind: "run-end", end: { kind, reason, turns: 1, usage: { inputTokens: 1, outputTokens: 0 } } });

test("a reason of several lines is shown as lines, each made visible", () => {
  const [blank, first, ...more] = shown(ended("failed", "s.yaml:5, turn 2: expected a result, but got:\nexit code: 0\n\u001b[2Jstdout"));
  expect(blank).toBe("");
  expect(first).toMatch(/^failed: s\.yaml:5, turn 2: expected a result, but got: · 1 turn · 0 calls, 0 refused · 1 token · /u);
  expect(more).toEqual(["  │ exit code: 0", "  │ \\u{1b}[2Jstdout", ""]);
});

test("a call that a person refused counts as refused", () => {
  const decision = { verdict: "ask", risk: "medium", reason: "", rules: [], units: [] };
  const lines = shown(
    { kind: "ruling", ruling: { callId: "call-1", tool: "shell", decision }, input: { command: "rm a" } },
    { kind: "tool-result", callId: "call-1", tool: "shell", ending: "refused", text: "Refused by a person." },
    ended("done", ""),
  );
  expect(lines.join("\n")).toContain("1 call, 1 refused");
});

test("a call that a hook denied before any ruling counts as refused", () => {
  const lines = shown({ kind: "tool-result", callId: "call-1", tool: "shell", ending: "denied", text: "Denied by hook own: No." }, ended("done", ""));
  expect(lines.join("\n")).toContain("1 call, 1 refused");
});

test("a question that nobody answered counts as refused, and says why", () => {
  const decision = { verdict: "ask", risk: "medium", reason: "", rules: [], units: [] };
  const lines = shown(
    { kind: "ruling", ruling: { callId: "call-1", tool: "shell", decision }, input: { command: "rm a" } },
    { kind: "tool-result", callId: "call-1", tool: "shell", ending: "denied", isError: true, text: "Denied: nobody was asked." },
    ended("denied", ""),
  );
  expect(lines.join("\n")).toContain("1 call, 1 refused");
  expect(lines.join("\n")).toContain("nobody was asked");
});

test("the end of a call shows its exit code, what Warder says of it, and why it failed", () => {
  const lines = shown(
    { kind: "tool-start", callId: "call-1", tool: "shell" },
    {
      kind: "tool-end",
      callId: "call-1",
      tool: "shell",
      isError: false,
      outcome: "completed",
      exitCode: 128,
      notes: ["Warder refused a\u001b[2J"],
      durationMs: 5,
    },
    { kind: "tool-end", callId: "call-2", tool: "shell", isError: false, outcome: "completed", exitCode: 0, notes: [], durationMs: 5 },
    { kind: "tool-end", callId: "call-3", tool: "write_file", isError: true, outcome: "failed", exitCode: null, notes: [], durationMs: 5 },
    { kind: "tool-result", callId: "call-3", tool: "write_file", ending: "executed", isError: true, text: "[warder, failed]\nThe file exists\u001b[2J." },
  );
  expect(lines).toEqual([
    "  └ exit 128 in 5 ms",
    "    Warder refused a\\u{1b}[2J",
    "  └ completed in 5 ms",
    "  └ failed in 5 ms",
    "    The file exists\\u{1b}[2J.",
    "",
  ]);
});

test("a mistake of the model counts as a call, and not as a refusal", () => {
  const lines = shown(
    { kind: "tool-result", callId: "call-1", tool: "edit_file", ending: "invalid", isError: true, text: "There is no argument." },
    ended("done", ""),
  );
  expect(lines.join("\n")).toContain("1 call, 0 refused");
});

test("a run's own list is shown as it is given, each line made visible", () => {
  const decision = { verdict: "allow", risk: "low", reason: "", rules: [], units: [] };
  const todos = [
    { content: "Look", status: "completed" },
    { content: "\u001b[2JTest", status: "pending" },
  ];
  const lines = shown({ kind: "ruling", ruling: { callId: "call-1", tool: "todo_write", decision }, input: { todos } });
  expect(lines).toContain("▸ todo_write  1 of 2 done");
  expect(lines).toEqual(expect.arrayContaining(["  │ [x] Look", String.raw`  │ [ ] \u{1b}[2JTest`]));
});
