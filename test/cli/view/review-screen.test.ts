import { describe, expect, test } from "vitest";
import { reviewRows, reviewScreen } from "../../../src/cli/view/review-screen.ts";
import type { FlaggedChange } from "../../../src/landing/review/review.ts";

const change = (path: string, flags: FlaggedChange["flags"] = []): FlaggedChange => ({ path, kind: "added", type: "file", size: 3, mode: 0o644, flags });
const FLAG = { kind: "host-executed", reason: "npm runs it on your machine." };
const plain = Array.from({ length: 60 }, (_, at) => change(`file-${at}`));

describe("the review on a screen", () => {
  test("shows first what wants a look, whatever its name, and counts what has no room", () => {
    const { rows, isWhole } = reviewScreen([...plain, change("z/package.json", [FLAG])], { columns: 80, rows: 20 });
    expect(rows.slice(0, 3)).toEqual([
      "To review: 61 changes (61 added), 183 B to write; 1 flagged",
      "! host-executed: npm runs it on your machine.",
      "added    z/package.json  3 B",
    ]);
    expect(rows[3]).toBe("plain: source, text or data");
    expect([rows.length, rows.at(-1), isWhole]).toEqual([20, "... 45 more rows: [v]iew", true]);
  });

  test("breaks its own words between words, and a line that fits not at all", () => {
    const name = `${"x".repeat(61)}.ts`;
    const rows = reviewRows([...plain, { ...change(name, [FLAG]), kind: "modified" }], 80);
    expect(rows.slice(0, 3)).toEqual([
      "To review: 61 changes (60 added, 1 modified), 183 B to write; 1 flagged",
      "! host-executed: npm runs it on your machine.",
      `modified ${name}  3 B`,
    ]);
    const sentence = { kind: "package-script", reason: "A package tool runs or installs what it says; changed: scripts." };
    expect(reviewRows([change("package.json", [sentence])], 80).slice(1, 3)).toEqual([
      "! package-script: A package tool runs or installs what it says;",
      "         changed: scripts.",
    ]);
    expect(reviewRows(plain, 40).slice(0, 2)).toEqual(["To review: 60 changes (60 added), 180 B", "to write"]);
  });

  test("is not whole where a warning has no room: nothing lands before all was shown", () => {
    const flagged = Array.from({ length: 20 }, (_, at) => change(`file-${at}`, [FLAG]));
    expect(reviewScreen(flagged, { columns: 80, rows: 20 }).isWhole).toBe(false);
    expect(reviewRows(flagged, 80)).toHaveLength(22);
  });

  test("a name cannot pass for another change, move the cursor, or take more rows than it is counted for", () => {
    for (const name of ["a\nadded    b", `a${" ".repeat(200)}added    b`, "\u001b[2Ja\r\u202eb", "\u5168".repeat(300), "x".repeat(5_000)]) {
      const rows = reviewRows([change(name)], 80);
      expect(rows.filter((row) => row.startsWith("added"))).toHaveLength(1);
      expect(rows.join("")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/u);
      for (const row of rows) expect([...row].reduce((width, character) => width + (character > "~" ? 2 : 1), 0)).toBeLessThan(80);
    }
  });
});
