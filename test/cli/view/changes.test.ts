import { expect, test } from "vitest";
import { changeLines, landedText, summaryLine } from "../../../src/cli/view/changes.ts";
import type { FlaggedChange } from "../../../src/landing/review/ranks.ts";

const change = (path: string, more: Partial<FlaggedChange> = {}): FlaggedChange => ({
  path,
  kind: "added",
  type: "file",
  size: 2048,
  mode: 0o644,
  flags: [],
  ...more,
});
const objects = [1, 2, 3].map((digit) => change(`.git/objects/ab/${String(digit).repeat(38)}`));

test("changes are shown each with its size, what to look at below it, and a repository's in one line", () => {
  const steering = change(".git/hooks/pre-commit", { flags: [{ kind: "repository", reason: "It steers git." }] });
  const lines = changeLines([change("a\u001b[2Jb"), ...objects, steering, change("d", { type: "directory" }), change("m", { kind: "mode", mode: 0o755 })]);
  expect(lines.split("\n")).toEqual([
    "! repository: It steers git.",
    "added    .git/hooks/pre-commit  2.0 KiB",
    "plain: source, text or data",
    "added    a\\u{1b}[2Jb  2.0 KiB",
    "added    d (directory)",
    "mode     m  mode 755",
    "changed  .git  3 changes of commits, refs and index, 6.0 KiB",
    "",
  ]);
});

test("changes stand below their worst reason, the worst reason first, and each reason is said once", () => {
  const hook = { kind: "git-hook", reason: "git runs it." };
  const program = { kind: "executable", reason: "A new program." };
  const unknown = { kind: "unknown-kind", reason: "Not known." };
  const lines = changeLines([
    change("z", { flags: [unknown] }),
    change("src/a.ts"),
    change("tool", { flags: [program] }),
    ...[1, 2].map((digit) => change(`.husky/${String(digit)}`, { flags: [hook, program], notes: ["mode 755"] })),
  ]);
  expect(lines.split("\n")).toEqual([
    "! git-hook: git runs it.",
    "added    .husky/1  2.0 KiB",
    "         mode 755",
    "         ! executable: A new program.",
    "added    .husky/2  2.0 KiB",
    "         mode 755",
    "         ! executable",
    "! executable",
    "added    tool  2.0 KiB",
    "! unknown-kind: Not known.",
    "added    z  2.0 KiB",
    "plain: source, text or data",
    "added    src/a.ts  2.0 KiB",
    "",
  ]);
});

test("both lines of a path that is replaced by something else are there, also when they are refused", () => {
  const both = [change("x", { kind: "deleted" }), change("x", { type: "link" })];
  expect(changeLines(both)).toBe("deleted  x  2.0 KiB\nadded    x (link)\n");
  const refused = both.map((each) => ({ change: each, reason: "No." }));
  expect(landedText({ applied: [], refused, unkept: [] })).toMatch(/deleted  x  2\.0 KiB: No\.\n.*added    x \(link\): No\.\n/u);
});

test("a ref that moves is shown by itself, with what it names", () => {
  const lines = changeLines([
    ...objects,
    change(".git/refs/heads/main", { refs: [{ summary: "refs/heads/main: 12 → 34, 1 file differs", commits: ["12ab One"], files: ["M a"] }] }),
  ]);
  expect(lines.split("\n")).toEqual([
    "added    .git/refs/heads/main  2.0 KiB",
    "         refs/heads/main: 12 → 34, 1 file differs",
    "             12ab One",
    "changed  .git  3 changes of commits, refs and index, 6.0 KiB",
    "",
  ]);
});

test("what was left out of a repository for one reason is said once", () => {
  const refused = [...objects.map((each) => ({ change: each, reason: "No." })), { change: change("x"), reason: "Other." }];
  expect(landedText({ applied: [], refused, unkept: [] })).toBe(
    "left out  changed  .git  3 changes of commits, refs and index, 6.0 KiB: No.\nleft out  added    x  2.0 KiB: Other.\n",
  );
});

test("the sum counts kinds, bytes to write, and what is flagged", () => {
  const all = [
    change("a"),
    change("b", { kind: "modified", size: 5_000_000 }),
    change("c", { kind: "deleted", size: 9_000_000_000, flags: [{ kind: "x", reason: "y" }] }),
  ];
  expect(summaryLine(all)).toBe("3 changes (1 added, 1 modified, 1 deleted), 4.8 MiB to write; 1 flagged\n");
});
