import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../../../src/agent/events.ts";
import { afterEvent } from "../../../../src/cli/chat/conversation/after-event.ts";
import type { Entry } from "../../../../src/cli/chat/conversation/entry.ts";
import { BEGINNING, type ChatState } from "../../../../src/cli/chat/conversation/state.ts";
import type { Decision } from "../../../../src/policy/decision.ts";

/** What a conversation is after events, and all that was shown. */
function after(events: readonly RunEvent[], from: ChatState = BEGINNING): { readonly state: ChatState; readonly shown: readonly Entry[] } {
  let state = from;
  const shown: Entry[] = [];
  for (const event of events) {
    const step = afterEvent(state, { runId: "run-1", atMs: 1_000, ...event });
    ({ state } = step);
    shown.push(...step.shown);
  }
  return { state, shown };
}

const decision = (verdict: Decision["verdict"]): Decision => ({
  verdict,
  risk: "low",
  reason: "It\u001b[2J is forbidden.",
  rules: [{ id: "no-way", step: "deny", verdict, reason: "" }],
  units: [],
});
const ruling = (verdict: Decision["verdict"] = "allow", command = "ls"): RunEvent => ({
  kind: "ruling",
  ruling: { digest: "", callId: "c", tool: "shell", decision: decision(verdict), policy: "" },
  input: { command },
});
const ended = (outcome = "completed", exitCode: number | null = 0): RunEvent => ({
  kind: "tool-end",
  callId: "c",
  tool: "shell",
  isError: false,
  outcome,
  exitCode,
  notes: [],
  durationMs: 17,
});
const result = (ending: Extract<RunEvent, { kind: "tool-result" }>["ending"] = "executed", text = "", isError = false): RunEvent => ({
  kind: "tool-result",
  callId: "c",
  tool: "shell",
  ending,
  isError,
  text,
});
const delta = (text: string): RunEvent => ({ kind: "message-delta", turn: 1, text });
const messageEnd: RunEvent = { kind: "message-end", turn: 1, text: "", calls: [], finish: "stop" };

describe("what a model says", () => {
  test("is shown for good line by line, and the rest at its end", () => {
    const { state, shown } = after([delta("One\nTw"), delta("o\nThr")]);
    expect(shown).toEqual([
      { kind: "model", text: "One", isFirst: true },
      { kind: "model", text: "Two", isFirst: false },
    ]);
    expect(state.saying).toBe("Thr");
    const end = after([messageEnd], state);
    expect(end.shown).toEqual([{ kind: "model", text: "Thr", isFirst: false }]);
    expect(end.state).toMatchObject({ saying: null, isSpeaking: false });
  });

  test("has every control character made visible, also one that comes in two pieces", () => {
    const { shown } = after([delta("a\u001b"), delta("[2Jb\u009bc\u202ed\r\n"), messageEnd]);
    expect(shown).toEqual([{ kind: "model", text: String.raw`a\u{1b}[2Jb\u{9b}c\u{202e}d\u{d}`, isFirst: true }]);
  });
});

describe("a call is one line", () => {
  const line = (...events: readonly RunEvent[]): Entry | undefined => after(events).shown.at(-1);

  test.each([
    ["with its time", [ruling(), ended(), result()], "17 ms", "fine"],
    ["with its exit code", [ruling(), ended("completed", 3), result()], "exit 3 in 17 ms", "bad"],
    ["with how it was ended", [ruling(), ended("timed-out", null), result("executed", "late", true)], "timed-out: late", "bad"],
    ["with the rule that refused it", [ruling("deny"), result("denied", "no")], String.raw`denied, no-way: It\u{1b}[2J is forbidden.`, "bad"],
    [
      "with the person who refused it",
      [
        ruling("ask"),
        { kind: "approval-answered", callId: "c", approvalId: "a", isGranted: false, by: "ann\u001b", reason: "not now" },
        result("refused", "no"),
      ],
      String.raw`refused, refused by ann\u{1b}: not now`,
      "bad",
    ],
    [
      "with what it came to where nothing was decided",
      [result("unknown-tool", "[warder]\nThere is no\u0007 tool.")],
      String.raw`unknown-tool: There is no\u{7} tool.`,
      "bad",
    ],
    ["with that it was cancelled", [ruling(), ended("cancelled", null), result("cancelled", "Cancelled.", true)], "cancelled: Cancelled.", "bad"],
  ] as const)("%s", (_what, events, end, mood) => {
    expect(line(...events)).toMatchObject({ kind: "call", tool: "shell", ended: end, mood });
  });

  test("whose words cannot write to the terminal", () => {
    expect(line(ruling("allow", "printf '\u001b]0;x\u0007'\nls"), ended(), result())).toMatchObject({ what: String.raw`printf '\u{1b}]0;x\u{7}'\nls` });
  });

  test("and while it goes on the last line of its output stands beside it", () => {
    const { state } = after([ruling(), { kind: "tool-output", callId: "c", stream: "stdout", text: "first\nsecond\u001b[1m\nthi" }]);
    expect(state.calls).toMatchObject([{ lastLine: String.raw`second\u{1b}[1m`, openLine: "thi" }]);
    const more = after([{ kind: "tool-output", callId: "c", stream: "stdout", text: "rd\n\n" }], state);
    expect(more.state.calls).toMatchObject([{ lastLine: "third" }]);
    expect(after([ended(), result()], more.state).state.calls).toEqual([]);
  });

  test("of which no more is kept than one line may have", () => {
    const { state } = after([ruling(), { kind: "tool-output", callId: "c", stream: "stdout", text: "x".repeat(1_000_000) }]);
    expect(state.calls[0]?.openLine.length).toBeLessThan(10_000);
  });
});

describe("what a person said on the way", () => {
  const waiting: ChatState = {
    ...BEGINNING,
    waiting: [
      { text: "One", source: "steering" },
      { text: "Two", source: "follow-up" },
    ],
  };

  test("waits no more once the model has it", () => {
    const { state, shown } = after([{ kind: "input", source: "steering", text: "One", warnings: [] }], waiting);
    expect(state.waiting).toEqual([{ text: "Two", source: "follow-up" }]);
    expect(shown).toEqual([{ kind: "person", text: "One", note: "the model has it" }]);
  });

  test("is shown with the reason where a hook kept it out", () => {
    const { state, shown } = after([{ kind: "input-rejected", source: "steering", text: "One", reason: "no\u001b" }], waiting);
    expect(state.waiting).toHaveLength(1);
    expect(shown).toEqual([
      { kind: "person", text: "One", note: "not taken" },
      { kind: "word", text: String.raw`no\u{1b}`, mood: "warning" },
    ]);
  });
});
