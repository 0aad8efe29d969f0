import { expect, test } from "vitest";
import { interruption } from "../../../../src/cli/chat/conversation/interrupt.ts";
import { BEGINNING, type ChatState } from "../../../../src/cli/chat/conversation/state.ts";

test.each<readonly [Partial<ChatState>, boolean, string]>([
  [{ phase: "working" }, true, "stop-calls"],
  [{ phase: "working", interruptedAtMs: 9_000 }, true, "stop-run"],
  [{ phase: "working", interruptedAtMs: 1_000 }, true, "stop-calls"],
  [{ phase: "opening" }, true, "stop-run"],
  [{ phase: "stopping" }, true, "end-process"],
  [{ phase: "idle" }, false, "clear-input"],
  [{ phase: "idle" }, true, "ask-to-leave"],
  [{ phase: "idle", interruptedAtMs: 9_000 }, true, "leave"],
  [{ phase: "idle", interruptedAtMs: 9_000 }, false, "clear-input"],
])("Ctrl-C at %j, with an empty line: %s, means %s", (state, isInputEmpty, meaning) => {
  expect(interruption({ ...BEGINNING, ...state }, { atMs: 10_000, isInputEmpty })).toBe(meaning);
});
