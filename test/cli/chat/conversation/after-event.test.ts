import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../../../src/agent/events.ts";
import { afterEvent } from "../../../../src/cli/chat/conversation/after-event.ts";
import type { Entry } from "../../../../src/cli/chat/conversation/entry.ts";
import { BEGINNING, type ChatState, liveCalls } from "../../../../src/cli/chat/conversation/state.ts";
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

  test("that gives the run's own list is followed by it", () => {
    const made = ruling() as { readonly ruling: object };
    const given = { ...made, ruling: { ...made.ruling, tool: "todo_write" }, input: { todos: [{ content: "\u001b[2JTest", status: "completed" }] } } as never;
    expect(after([given, ended(), result()]).shown.at(-1)).toEqual({ kind: "lines", lines: [String.raw`[x] \u{1b}[2JTest`] });
    expect(after([given, ended(), result("executed", "Failed.", true)]).shown.at(-1)).toMatchObject({ kind: "call" });
  });

  test("of which no more is kept than one line may have", () => {
    const { state } = after([ruling(), { kind: "tool-output", callId: "c", stream: "stdout", text: "x".repeat(1_000_000) }]);
    expect(state.calls[0]?.openLine.length).toBeLessThan(10_000);
  });
});

describe("a sub-agent", () => {
  const of =
    (runId: string, name?: string) =>
    (event: RunEvent): RunEvent => ({
      kind: "child-event",
      callId: "c",
      ...(name === undefined ? {} : { name }),
      event: { runId, atMs: 2_000, ...event },
    });
  const begin: RunEvent = { kind: "run-start", task: "Look.\u001b[2J\nMore.", model: "m", isScripted: true, workspace: "/w", isResumed: false };
  const usage = { inputTokens: 3, outputTokens: 2, cachedInputTokens: 0, isEstimated: false };
  const end = (kind: "done" | "cancelled", reason = ""): RunEvent => ({ kind: "run-end", end: { kind, reason, text: "I looked.", turns: 1, usage } });

  test("is shown by its beginning, its calls and its end, and its words are its parent's", () => {
    const child = of("run-2");
    const events = [begin, delta("I look.\n"), ruling(), ended(), result(), messageEnd, end("done")].map(child);
    const { state, shown } = after([ruling("allow", "x"), ...events]);
    expect(shown).toEqual([
      { kind: "word", text: String.raw`sub-agent begins: Look.\u{1b}[2J`, mood: "quiet" },
      { kind: "call", tool: "sub-agent: shell", what: "ls", ended: "17 ms", mood: "fine" },
      { kind: "word", text: "sub-agent ended: done (1 turn)", mood: "quiet" },
    ]);
    // The call that started it has the same id as one of its own, and goes on.
    expect(state).toMatchObject({ saying: null, runId: null, children: [], calls: [{ callId: "c", what: "x", outcome: null }] });
  });

  test("of a crew stands behind its name beside the others, with its tokens in the sum", () => {
    const [ann, bob] = [of("run-2", "ann"), of("run-3", "bob\u0007")];
    const both = [begin, ruling()].flatMap((event) => [ann(event), bob(event)]);
    const { state } = after([ruling("allow", "x"), ...both, ann({ kind: "turn-end", turn: 1, usage })]);
    expect(liveCalls(state).map(({ tool }) => tool)).toEqual(["shell", "ann: shell", String.raw`bob\u{7}: shell`]);
    expect(state.tokens).toBe(5);
    const over = after([ann(end("cancelled", "It was stopped."))], state);
    expect(over.shown).toEqual([{ kind: "word", text: "ann ended: cancelled: It was stopped. (1 turn)", mood: "warning" }]);
    expect(liveCalls(over.state)).toHaveLength(2);
  });

  test("of a sub-agent stands behind both", () => {
    const { shown } = after([of("run-2", "ann")(of("run-4")(ruling("deny"))), of("run-2", "ann")(of("run-4")(result("denied", "no")))]);
    expect(shown).toMatchObject([{ kind: "call", tool: "ann: sub-agent: shell", mood: "bad" }]);
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

test("a message to the person stands where a model's words do, also a sub-agent's, and what is hidden in it is visible", () => {
  const message: RunEvent = { kind: "user-message", callId: "c", text: "Half\u001b[2J done.\nNow" };
  const said = { kind: "model", text: "Half\\u{1b}[2J done.\nNow", isFirst: true };
  const ofChild = (event: RunEvent): RunEvent => ({ kind: "child-event", callId: "c", event: { runId: "run-2", atMs: 1, ...event } });
  expect(after([message, ofChild(ofChild(message)), ofChild(delta("quiet\n"))]).shown).toEqual([said, { ...said, text: `sub-agent: sub-agent: ${said.text}` }]);
});
