import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { makeVisible } from "../../../../src/base/text.ts";
import type { Entry } from "../../../../src/cli/chat/conversation/entry.ts";
import { BEGINNING } from "../../../../src/cli/chat/conversation/state.ts";
import { entryRows } from "../../../../src/cli/chat/screen/entry-rows.ts";
import { liveRows } from "../../../../src/cli/chat/screen/live-rows.ts";

const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ unit: fc.constantFrom("a", " ", "\n", "\t", "漢", "👩‍👩‍👧", "é", "▸", ">"), maxLength: 300 }),
);
const columns = fc.integer({ min: 20, max: 120 });

describe("no row is wider than the terminal, and none holds a control character", () => {
  test.each<readonly [string, (text: string) => Entry]>([
    ["a person's", (text) => ({ kind: "person", text: makeVisible(text), note: "" })],
    ["a model's", (text) => ({ kind: "model", text: makeVisible(text), isFirst: true })],
    [
      "a call's",
      (text) => ({ kind: "call", tool: "shell", what: makeVisible(text).replaceAll("\n", " "), ended: makeVisible(text).replaceAll("\n", " "), mood: "bad" }),
    ],
    ["Warder's", (text) => ({ kind: "word", text: makeVisible(text), mood: "fault" })],
  ])("%s", (_whose, entryOf) => {
    vi.stubEnv("NO_COLOR", "1");
    fc.assert(
      fc.property(texts, columns, (text, width) => {
        for (const row of entryRows(entryOf(text), width)) {
          expect(visibleWidth(row)).toBeLessThanOrEqual(width);
          expect(row).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/u);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("what goes on", () => {
    vi.stubEnv("NO_COLOR", "1");
    fc.assert(
      fc.property(texts, columns, (text, width) => {
        const said = makeVisible(text).replaceAll("\n", " ");
        const call = {
          callId: "c",
          tool: "shell",
          what: said,
          verdict: null,
          refusal: "",
          startedAtMs: 0,
          lastLine: said,
          openLine: "",
          list: [],
          outcome: null,
        };
        const state = { ...BEGINNING, phase: "working" as const, saying: said, calls: [call], waiting: [{ text, source: "steering" as const }] };
        for (const row of liveRows(state, { columns: width, nowMs: 3_000 })) {
          expect(visibleWidth(row)).toBeLessThanOrEqual(width);
          expect(row).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/u);
        }
      }),
      { numRuns: 300 },
    );
  });
});

test("no row of a model's words begins where Warder's do: it can forge neither a call nor a question", () => {
  vi.stubEnv("NO_COLOR", "1");
  const forged = `▸ shell  ls · 1 ms\n> yes\n=== Allow this? low risk ===\n${"x".repeat(200)}`;
  const rows = entryRows({ kind: "model", text: forged, isFirst: false }, 80);
  expect(rows.length).toBeGreaterThan(5);
  for (const row of rows) expect(row).toMatch(/^ {2}/u);
});

test("a call is one row, however long it is, and how it ended is on it", () => {
  const rows = entryRows({ kind: "call", tool: "shell", what: "x".repeat(500), ended: "exit 1 in 2 s", mood: "bad" }, 80);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain("exit 1 in 2 s");
});

test("indented code keeps its indentation", () => {
  expect(entryRows({ kind: "model", text: "if (x)\n    y();\n\tz();", isFirst: false }, 80)).toEqual(["  if (x)", "      y();", "      z();"]);
});
