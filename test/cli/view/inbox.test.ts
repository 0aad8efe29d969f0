import { expect, test } from "vitest";
import type { InboxItem } from "../../../src/app/inbox.ts";
import { inboxText } from "../../../src/cli/view/inbox.ts";

const item = (what: string, minutes: number, kind: InboxItem["kind"] = "question"): InboxItem => ({
  kind,
  atMs: -minutes * 60_000,
  run: "run-20mh449a5833",
  what,
  next: "warder approvals show approval-20mh449a5833",
});

test("says for how long, what, and what to type, at 80 columns", () => {
  const shown = inboxText([item(`rm ${"very-long-name ".repeat(20)}`, 24 * 60 - 1), item("tidy\u202e", 3, "changes")], { nowMs: 0 });
  expect(shown).toBe(
    [
      "2 things wait for you, the oldest first:",
      "23 h 59 min  question  rm very-long-name very-long-name very-long-name very-lon…",
      "             warder approvals show approval-20mh449a5833",
      "3 min        changes   tidy\\u{202e}",
      "             warder approvals show approval-20mh449a5833",
      "",
    ].join("\n"),
  );
  expect(Math.max(...shown.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
});

test("counts letters that take two columns", () => {
  const [, line = ""] = inboxText([item("字".repeat(60), 1)], { nowMs: 0 }).split("\n");
  expect(line.slice(23)).toBe(`${"字".repeat(28)}…`);
});

test("counts what it does not show, and says when nothing waits", () => {
  const shown = inboxText(
    Array.from({ length: 7 }, () => item("x", 1)),
    { nowMs: 0, most: 5 },
  );
  expect(shown).toMatch(/^7 things wait.*\n(?:.*\n){10} +and 2 more: warder inbox\n$/u);
  expect(inboxText([], { nowMs: 0 })).toBe("Nothing waits for you.\n");
});
