import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ALL_RESULTS_CHARACTERS, FADED_RESULT_CHARACTERS, NEWEST_BATCH_CHARACTERS, OLD_RESULT_CHARACTERS, trimHistory } from "../../src/agent/history/trim.ts";
import { DEFAULT_TRAITS } from "../../src/tools/contract/traits.ts";
import type { Message } from "../../src/providers/contract/message.ts";

const batch = (...texts: readonly string[]): Message => ({
  kind: "tool",
  results: texts.map((text, index) => ({ kind: "tool-result", callId: `c${index}`, name: "shell", text, isError: false })),
});
const lengths = (messages: readonly Message[]) =>
  messages.map((message) => (message.kind === "tool" ? message.results.map((result) => result.text.length) : []));
const long = `${"h".repeat(100_000)}${"t".repeat(100_000)}`;

test("keeps the newest batch whole and head and tail of older ones, and leaves the store alone", () => {
  const stored = [batch(long), batch(long)];
  const [old, newest] = trimHistory(stored);
  expect(newest).toEqual(batch(long));
  const text = old?.kind === "tool" ? (old.results[0]?.text ?? "") : "";
  expect(text.length).toBeLessThanOrEqual(OLD_RESULT_CHARACTERS);
  expect(text).toMatch(/^h+\n\[… \d+ characters cut …\]\nt+$/u);
  expect(stored).toEqual([batch(long), batch(long)]);
});

test("a flood of the newest batch does not drown its neighbours", () => {
  const [[small = 0, first = 0, second = 0] = []] = lengths(trimHistory([batch("small", "x".repeat(1_000_000), "y".repeat(900_000))]));
  expect(small).toBe(5);
  expect(first + second).toBeLessThanOrEqual(NEWEST_BATCH_CHARACTERS);
  expect(Math.abs(first - second)).toBeLessThan(100);
});

test("when all results together are too many, the oldest keep little, in groups", () => {
  const messages = Array.from({ length: 20 }, () => batch("x".repeat(30_000)));
  const sizes = lengths(trimHistory(messages)).map(([size = 0]) => size);
  expect(sizes.slice(0, 8).every((size) => size <= FADED_RESULT_CHARACTERS)).toBe(true);
  expect(sizes.slice(8)).toEqual(Array.from({ length: 12 }, () => 30_000));
  // One turn more changes nothing of what was sent before.
  const next = lengths(trimHistory([...messages, batch("x".repeat(30_000))])).map(([size = 0]) => size);
  expect(next.slice(0, 20)).toEqual(sizes);
});

test("is bounded, however long a conversation is, and trimmed again is the same", () => {
  const text = fc.integer({ min: 0, max: 150_000 }).map((length) => "\u{1F600}".repeat(length / 2));
  fc.assert(
    fc.property(fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { maxLength: 30 }), (batches) => {
      const once = trimHistory(batches.map((texts) => batch(...texts)));
      const total = lengths(once)
        .flat()
        .reduce((sum, size) => sum + size, 0);
      expect(total).toBeLessThanOrEqual(ALL_RESULTS_CHARACTERS + 30 * 3 * FADED_RESULT_CHARACTERS);
      expect(trimHistory(once)).toEqual(once);
    }),
    { numRuns: 25 },
  );
});

const called = (callId: string, name: string, input: object): Message => ({ kind: "assistant", parts: [{ kind: "tool-call", callId, name, input }] });
const answered = (callId: string, name: string, text: string): Message => ({
  kind: "tool",
  results: [{ kind: "tool-result", callId, name, text: `[untrusted output]\n${text}`, isError: false, artifact: "0123456789abcdef" }],
});
const textAt = (messages: readonly Message[], index: number): string => {
  const message = messages[index];
  return message?.kind === "tool" ? (message.results[0]?.text ?? "") : "";
};
const KEPT = { ...DEFAULT_TRAITS, history: { isCompactable: false, pinsActivePlan: true } };
const READ = {
  ...DEFAULT_TRAITS,
  maxResultChars: 5000,
  history: { isCompactable: true, pinsActivePlan: false, dedupArgument: "path", summaryArgument: "path" },
};
const historyOf = (name: string) => (name === "plan" ? KEPT : name === "read" ? READ : null);

describe("an old result is kept as its tool says", () => {
  const conversation = (count: number): readonly Message[] =>
    Array.from({ length: count }, (_, index) => [
      called(`r${index}`, index === 1 ? "plan" : "read", { path: index % 2 === 0 ? "src/same.ts" : `src/f${index}.ts` }),
      answered(`r${index}`, index === 1 ? "plan" : "read", `${index} ${"x".repeat(60_000)}`),
    ]).flat();

  test("and a cut says where the whole of it lies", () => {
    const sent = trimHistory(conversation(3), historyOf);
    expect(textAt(sent, 1).length).toBeLessThanOrEqual(5000);
    expect(textAt(sent, 1)).toContain("read_artifact has all of it: 0123456789abcdef");
    expect(textAt(sent, 3).length).toBeGreaterThan(60_000);
  });

  test("when space is short a result that was read again keeps a line, the others what they were of, and the plan stays whole", () => {
    const many = [
      ...conversation(8),
      ...Array.from({ length: 20 }, (_, index) => [called(`s${index}`, "shell", {}), answered(`s${index}`, "shell", "y".repeat(32_000))]).flat(),
    ];
    const sent = trimHistory(many, historyOf);
    expect(textAt(sent, 1)).toBe("[untrusted output]\n[warder: an older result, of src/same.ts]\n[warder: a later call gave the same anew]");
    expect(textAt(sent, 7)).toContain("[warder: an older result, of src/f3.ts]\n3 xxx");
    expect(textAt(sent, 3).length).toBeGreaterThan(60_000);
    expect(trimHistory(sent, historyOf)).toEqual(sent);
  });
});
