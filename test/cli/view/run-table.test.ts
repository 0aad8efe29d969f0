import { describe, expect, test } from "vitest";
import { runTable } from "../../../src/cli/view/run-table.ts";

const run = { id: "run-20mh449a5833", startedAtMs: Date.parse("2026-11-22T03:00:00Z"), state: "done", policyName: "unattended", workspace: "/srv/shop" };
const widest = (text: string): number => Math.max(...text.split("\n").map((line) => line.length));

describe("the table of runs", () => {
  test("is as wide as the terminal, however long a task is", () => {
    const shown = runTable([{ ...run, task: "tidy the drafts ".repeat(600) }], 100);
    expect(widest(shown)).toBe(100);
    expect(shown).toContain("…");
    expect(shown.split("\n").length).toBeLessThan(20);
  });

  test("is no wider than it has to be, and shows short tasks whole", () => {
    const shown = runTable([{ ...run, task: "Sweep the drafts." }], 200);
    expect(shown).toContain("│ Sweep the drafts. │");
    expect(shown).toContain("2026-11-22T03:00:00");
  });

  test("gives each run two lines where the terminal is too narrow for a table", () => {
    const shown = runTable([{ ...run, task: "Sweep the drafts of the last year." }], 80);
    expect(shown).toBe("run-20mh449a5833  2026-11-22T03:00:00  done  unattended\n  Sweep the drafts of the last year.  /srv/shop");
    expect(widest(runTable([{ ...run, task: "tidy the drafts ".repeat(600) }], 40))).toBe(40);
  });

  test("shows what a task hides", () => {
    expect(runTable([{ ...run, task: "a\u202eb\nc" }], 120)).toContain("a\\u{202e}b\\nc");
  });
});
