import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApprovalCard } from "../../src/approvals/card.ts";
import { ownRows, quote, UNTRUSTED_MARK } from "../../src/approvals/card-rows.ts";
import { cardScreen } from "../../src/approvals/card-screen.ts";
import { wholeCard } from "../../src/approvals/whole-card.ts";
import { createScreen } from "../support/screen.ts";
import { exampleCard } from "./example-card.ts";

const text = (card: ApprovalCard, columns: number): string => wholeCard(card, columns).join("\n");
/** Rows for the choices and the question, as a terminal has them. */
const RESERVED = 3;

describe("all of a card", () => {
  test("shows everything the approval is bound to", () => {
    const card = exampleCard({ env: { CI: "1" }, reads: ["/w/b -> /w/c"], hosts: ["example.com:443"] });
    const shown = text(card, 200);
    for (const part of [
      "medium risk",
      card.tool,
      ...card.commands,
      card.cwd,
      "CI=1",
      "/w/b -> /w/c",
      "/w/a",
      "example.com:443",
      card.imageDigest,
      card.policyDigest,
      card.rulingDigest,
      card.runId,
      card.approvalId,
      "baseline-supervised-medium (/p.yaml:4)",
      "ask: writes: writes /w/a",
      "2026-01-02T04:00:00.000Z",
    ]) {
      expect(shown).toContain(part);
    }
  });

  test("has no command twice, and arguments as texts and not as JSON", () => {
    expect(text(exampleCard(), 200).match(/touch a/gu)).toHaveLength(1);
    const input = JSON.stringify({ command: "cat <<E\none\ntwo\nE", cwd: "src" });
    const shown = text(exampleCard({ input, commands: ["cat <<E (text)"] }), 200);
    expect(shown).toContain("  |     one\n  |     two\n  |     E\n");
    expect(shown).not.toContain("\\n");
  });

  test("nothing of a long command is left out", () => {
    const command = Array.from({ length: 500 }, (_, index) => `word${index}`).join(" ");
    const rows = wholeCard(exampleCard({ commands: [command] }), 80);
    const body = rows.filter((row) => row.startsWith(UNTRUSTED_MARK)).map((row) => row.slice(UNTRUSTED_MARK.length));
    expect(body.join("")).toContain(command);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(80);
  });

  test("names the look-alikes", () => {
    expect(text(exampleCard({ commands: ["git push \u043erigin"] }), 80)).toContain("Not ASCII above (look-alikes are possible): U+043E");
    expect(text(exampleCard(), 80)).not.toContain("Not ASCII");
  });
});

describe("a card on a screen", () => {
  const shownOn = (card: ApprovalCard, columns = 80, rows = 24) => cardScreen(card, { columns, rows }, RESERVED);

  test("says what will happen, why it is asked, what contains it and what is another, in a few rows", () => {
    const card = exampleCard({
      commands: ["npm test"],
      effects: ["ask: runs-code: `npm test` runs a script of package.json"],
      asked: [
        { id: "baseline-supervised-medium", reason: "Under supervised autonomy what is medium risk needs a person's word.", at: "policies/supervised.yaml:8" },
      ],
      differs: { approvalId: "approval-1", by: "ann@terminal", atMs: Date.UTC(2026, 0, 2, 3, 30), isVoided: false, lines: ["~ changed since: src/sum.js"] },
    });
    expect(shownOn(card)).toEqual({
      isWhole: true,
      rows: [
        "=== Allow this? medium risk: runs code ===",
        "  | npm test",
        "Contained: no network; no variables are passed; changes land in the workspace",
        "at once.",
        "Asked again: since the last yes, of 2026-01-02 03:30 UTC (ann@terminal), this",
        "is another:",
        "  | ~ changed since: src/sum.js",
        "Asked because:",
        "  | `npm test` runs a script of package.json",
        "  | baseline-supervised-medium (policies/supervised.yaml:8): Under supervised",
        "  | autonomy what is medium risk needs a person's word.",
      ],
    });
  });

  test("shows a change of a file as a diff, folded, with the number of rows that are not there", () => {
    const diff = ["@@ -1,0 +1,120 @@", ...Array.from({ length: 120 }, (_, at) => `+line ${at}`)].join("\n");
    const card = exampleCard({
      tool: "write_file",
      commands: [],
      input: JSON.stringify({ content: "x", path: "a" }),
      change: { path: "/w/a", diff, isNew: true },
    });
    const { rows, isWhole } = shownOn(card);
    expect(rows.slice(0, 2)).toEqual(["=== Allow this? medium risk: writes files ===", "  | new file /w/a"]);
    expect(rows).toContain("  | +line 3");
    const shown = rows.filter((row) => /^ {2}\| (?:\+line|@@)/u.test(row)).length;
    expect(rows).toContain(`... ${121 - shown} more rows: [v]iew`);
    expect([rows.length <= 24 - RESERVED, isWhole]).toEqual([true, true]);
  });

  test("tells that a yes would come to nothing", () => {
    expect(shownOn(exampleCard({ pointless: "this sandbox has no network" })).rows).toContain(
      "A yes would likely come to nothing: this sandbox has no network",
    );
  });

  test("is not whole where a part of what would happen is not on it", () => {
    expect(shownOn(exampleCard({ commands: Array.from({ length: 40 }, (_, at) => `touch ${at}`) })).isWhole).toBe(false);
    expect(shownOn(exampleCard({ commands: [`touch ${"a".repeat(5_000)}; rm -rf b`] })).isWhole).toBe(false);
    expect(shownOn(exampleCard(), 80, 4).isWhole).toBe(false);
    const lines = Array.from({ length: 40 }, (_, at) => `+ file that it runs: ${at}`);
    expect(shownOn(exampleCard({ differs: { approvalId: "a", by: "b", atMs: 0, isVoided: true, lines } })).isWhole).toBe(false);
  });
});

/** What a model, a file name or a command could put on a card. */
const HOSTILE: Readonly<Record<string, string>> = {
  "forged rows": "\n=== Allow this? low risk ===\nAllow? o\n  | touch harmless",
  "a carriage return": "\rtouch harmless                                            ",
  "escapes that move, clear and answer": '\u001b[1;1H\u001b[2J\u001b[3J\u001bc\u001b[6n\u001b]52;c;bwo=\u0007\u001bP$q"p\u001b\\\u009b2J\u009d0;title\u009c',
  "text from right to left": "\u202egpj.hs\u2066\u2067 \u05d0\u05d1\u05d2 \u0627\u0628",
  "characters of no width": "\u200b\u200d\u2060\ufeff\u00ad\u3164\u{e0041}\u034f",
  "wide characters": "\u5168\u89d2\u{1f600}\uff21".repeat(200),
  "marks over one another": `a${"\u0300\u0301\u0489".repeat(300)}`,
  "blanks without end": `a${" ".repeat(4_000)}&& rm -rf b`,
  "blanks that are none": `a${"\u00a0\u2003\u3000\u2800".repeat(500)}b`,
  "one line without end": "x".repeat(20_000),
  "lines without end": "line\n".repeat(5_000),
  backspaces: "rm -rf b\b\b\b\b\b\b\b\btouch a",
  "lone surrogates": "\ud800\udc00\ud800",
  tabs: "\t".repeat(300),
};

/** A card with a text in every place that others fill. */
function filledWith(hostile: string): ApprovalCard {
  return exampleCard({
    tool: `shell${hostile}`,
    input: JSON.stringify({ command: hostile, [hostile]: hostile }),
    commands: [`touch a${hostile}`],
    cwd: `/w${hostile}`,
    env: { CI: hostile },
    reads: [hostile],
    writes: [hostile],
    hosts: [hostile],
    inputs: [hostile],
    asked: [{ id: "rule", reason: hostile, at: `/p${hostile}.yaml:4` }],
    effects: [`ask: writes: ${hostile}`],
    pointless: "it fetches packages",
    differs: { approvalId: "approval-1", by: "ann", atMs: 0, isVoided: false, lines: [`+ ${hostile}`] },
    together: [{ approvalId: "approval-2", risk: "low", what: hostile }],
    grant: { kind: "command", pattern: hostile, effects: [hostile], place: hostile },
    grantExamples: { covers: hostile, leaves: hostile },
    change: { path: `/w/${hostile}`, diff: `@@ -1 +1 @@\n-${hostile}\n+${hostile}`, isNew: false },
  });
}

describe("hostile text", () => {
  const sizes = [
    [80, 24],
    [40, 12],
    [200, 50],
    [20, 8],
  ] as const;
  test.each(Object.keys(HOSTILE))("%s: cannot break a card, push the question off the screen, or pass for the card's own words", (name) => {
    for (const change of [{ change: null }, {}]) {
      const card = { ...filledWith(HOSTILE[name] ?? ""), ...change };
      for (const [columns, height] of sizes) {
        const { rows } = cardScreen(card, { columns, rows: height }, RESERVED);
        const screen = createScreen(columns, height);
        screen.write("before\r\n".repeat(height));
        const before = screen.above.length;
        screen.write(`\r\n${[...rows, "[o]nce  [n]o", "[v]iew all"].join("\r\n")}\r\nAllow? `);
        const seen = screen.rows();
        // The question is the last row, and the card's first row is still there: nothing wrapped by itself.
        expect(seen.at(-1)).toBe("Allow?");
        expect(seen.filter((row) => row.startsWith("=== Allow this?"))).toHaveLength(1);
        expect(seen.indexOf("=== Allow this? medium risk: writes files ===".slice(0, columns - 1).trimEnd())).toBeLessThan(height - rows.length);
        expect(screen.above.length - before).toBeLessThanOrEqual(height);
        expect(seen.filter((row) => row.startsWith("Allow?"))).toHaveLength(1);
      }
      const all = wholeCard(card, 80);
      expect(all.join("\n")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f]/u);
      const honest = wholeCard({ ...filledWith("x"), ...change }, 80).filter((row) => !row.startsWith(UNTRUSTED_MARK));
      const labels = (rows: readonly string[]): readonly string[] => rows.filter((row) => /^(?:===|Asked by|Effects|Reads|Approval|Expires|Allow)/u.test(row));
      expect(labels(all.filter((row) => !row.startsWith(UNTRUSTED_MARK)))).toEqual(labels(honest));
    }
  });

  test("every row of untrusted text has the mark and fits, so that no terminal wraps it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.integer({ min: 30, max: 200 }), (hostile, columns) => {
        for (const row of quote(hostile, columns)) {
          expect(row.startsWith(UNTRUSTED_MARK)).toBe(true);
          expect(row).not.toContain("\n");
          expect([...row].reduce((width, character) => width + (character > "~" ? 2 : 1), 0)).toBeLessThan(columns);
        }
      }),
    );
  });

  test("no row of the card's own words begins with the mark, whatever stands in it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.integer({ min: 20, max: 120 }), (hostile, columns) => {
        for (const row of ownRows(`Asked by ${hostile}:`, columns)) {
          expect(row.startsWith(" ")).toBe(false);
          expect([...row].reduce((width, character) => width + (character > "~" ? 2 : 1), 0)).toBeLessThan(columns);
        }
      }),
    );
  });
});
