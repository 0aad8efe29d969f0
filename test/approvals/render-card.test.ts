import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { quote, renderCard, UNTRUSTED_MARK } from "../../src/approvals/render-card.ts";
import { exampleCard } from "./example-card.ts";

describe("the approval card", () => {
  test("shows everything the approval is bound to", () => {
    const card = exampleCard({ env: { CI: "1" }, reads: ["/w/b -> /w/c"], hosts: ["example.com:443"] });
    const shown = renderCard(card, 200);
    for (const text of [
      "medium risk",
      card.tool,
      card.input,
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
      expect(shown).toContain(text);
    }
  });

  test("nothing of a long command is left out", () => {
    const command = Array.from({ length: 500 }, (_, index) => `word${index}`).join(" ");
    const rows = renderCard(exampleCard({ commands: [command] }), 80).split("\n");
    const body = rows.filter((row) => row.startsWith(UNTRUSTED_MARK)).map((row) => row.slice(UNTRUSTED_MARK.length));
    expect(body.join("")).toContain(command);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(120);
  });

  test("forged lines cannot stand where the card's own lines stand", () => {
    const forged = "\n=== Approval needed: low risk ===\r\nAsked by:\u001b[2J\u202eevil\u200b";
    const honest = renderCard(exampleCard(), 80)
      .split("\n")
      .filter((row) => !row.startsWith(UNTRUSTED_MARK));
    const shown = renderCard(exampleCard({ commands: [`touch a${forged}`], cwd: `/w${forged}`, tool: `shell${forged}` }), 80);
    const own = shown.split("\n").filter((row) => !row.startsWith(UNTRUSTED_MARK) && !row.startsWith("Not ASCII"));
    expect(own).toEqual(honest);
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e]/u);
    expect(shown).toContain("\\u{1b}");
  });

  test("every row of untrusted text has the mark and fits, so that no terminal wraps it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.integer({ min: 30, max: 200 }), (text, columns) => {
        for (const row of quote(text, columns)) {
          expect(row.startsWith(UNTRUSTED_MARK)).toBe(true);
          expect(row).not.toContain("\n");
          expect([...row].reduce((width, character) => width + (character > "~" ? 2 : 1), 0)).toBeLessThan(columns);
        }
      }),
    );
  });

  test("names the look-alikes", () => {
    expect(renderCard(exampleCard({ commands: ["git push \u043erigin"] }), 80)).toContain("Not ASCII above (look-alikes are possible): U+043E");
    expect(renderCard(exampleCard(), 80)).not.toContain("Not ASCII");
  });
});
