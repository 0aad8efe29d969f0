import { describe, expect, test } from "vitest";
import type { RunToolCall } from "../../src/gate/gate.ts";
import type { Message } from "../../src/providers/contract/message.ts";
import { brokenPairs, callEnd, play } from "../support/agent-run.ts";

const give = { tool: "structured_output", input: { count: 7 } };
const taken = (): ReturnType<typeof callEnd> => {
  const end = callEnd("The result was taken.");
  return { ...end, result: { ...end.result, terminate: true } };
};
const notes = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.kind === "user" && message.text.startsWith("[warder]") ? [message.text] : []));

/** A gate with the tool, and what the loop is told of it. */
function shaped(): { readonly gate: RunToolCall; readonly output: { readonly tool: string; readonly isGiven: () => boolean } } {
  let isGiven = false;
  const gate: RunToolCall = ({ name }) => {
    isGiven ||= name === "structured_output";
    return Promise.resolve(name === "structured_output" ? taken() : callEnd("x"));
  };
  return { gate, output: { tool: "structured_output", isGiven: () => isGiven } };
}

describe("a run that has to give a result in a shape", () => {
  test("ends by the call that gives it, without asking the model again", async () => {
    const { gate, output } = shaped();
    const { end } = await play([{ calls: [give] }, { say: "Never said." }], gate, { output });
    expect(end).toMatchObject({ kind: "done", turns: 1 });
  });

  test("asks a model that is done without it, and then takes it", async () => {
    const { gate, output } = shaped();
    const { end, messages, asked } = await play([{ say: "I am done." }, { calls: [give] }], gate, { output });
    expect(end).toMatchObject({ kind: "done", turns: 2 });
    expect(asked.map(({ mustCall }) => mustCall)).toEqual([undefined, "structured_output"]);
    expect(notes(messages)).toEqual([expect.stringContaining("by calling structured_output")]);
    expect(brokenPairs(messages)).toEqual([]);
  });

  test("fails where the model gives none, though it was asked twice", async () => {
    const { gate, output } = shaped();
    const { end, messages } = await play([{ say: "Done." }, { say: "Really." }, { say: "I said so." }], gate, { output });
    expect(end).toMatchObject({ kind: "failed", code: "provider-failed", turns: 3, reason: expect.stringContaining("no result by structured_output") });
    expect(notes(messages)).toHaveLength(2);
  });

  test("goes on where other calls of the turn vote against its end", async () => {
    const { gate, output } = shaped();
    const { end } = await play([{ calls: [{ tool: "shell", input: { command: "ls" } }, give] }, { say: "Now it is done." }], gate, { output });
    expect(end).toMatchObject({ kind: "done", turns: 2, text: "Now it is done." });
  });

  test("reaches its limit of turns all the same", async () => {
    const { gate, output } = shaped();
    const { end } = await play([{ say: "Done." }, { calls: [give] }], gate, { output, limits: { turns: 1, tokens: 1_000_000, minutes: 1 } });
    expect(end).toMatchObject({ kind: "limit", limit: "turns" });
  });
});
