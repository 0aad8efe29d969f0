import { describe, expect, test } from "vitest";
import type { Change } from "../../../src/sandbox/runtime.ts";
import { selectChanges } from "../../../src/landing/review/selection.ts";

const change = (text: string): Change => {
  const [kind, type, path] = text.split(" ", 3) as [Change["kind"], Change["type"], string];
  return { kind, type, path, size: 0, mode: 0o644 };
};
const CHANGES = [
  "added directory new",
  "added directory new/deep",
  "added file new/deep/a.ts",
  "added file new/b.ts",
  "modified file src/a.ts",
  "mode directory src",
  "deleted directory old",
  "deleted file old/a.ts",
  "deleted directory turned",
  "deleted file turned/in.ts",
  "added link turned",
  "deleted file file",
  "added directory file",
  "added file file/a.ts",
  "added file [x].ts",
  "added file .git/objects/1",
  "modified file .git/HEAD",
].map(change);

const chosen = (direction: "apply" | "discard", ...paths: string[]): string[] =>
  selectChanges(CHANGES, paths, direction).selected.map(({ kind, path }) => `${kind} ${path}`);

describe("a selection of changes", () => {
  test("means all when nothing is named", () => expect(chosen("apply")).toHaveLength(CHANGES.length));

  test.each<[string, string[]]>([
    ["src/a.ts", ["modified src/a.ts"]],
    ["./src/a.ts", ["modified src/a.ts"]],
    ["src/", ["modified src/a.ts", "mode src"]],
    ["old", ["deleted old", "deleted old/a.ts"]],
    ["old/a.ts", ["deleted old/a.ts"]],
    ["turned", ["deleted turned", "deleted turned/in.ts", "added turned"]],
    ["[x].ts", ["added [x].ts"]],
    ["*.ts", ["added [x].ts"]],
    ["src/*", ["modified src/a.ts"]],
    ["nothing", []],
  ])("takes a path with what is in it, or a glob: %s", (path, expected) => expect(chosen("apply", path)).toEqual(expected));

  test("takes the directories that a new file needs", () => {
    expect(chosen("apply", "new/deep/a.ts")).toEqual(["added new", "added new/deep", "added new/deep/a.ts"]);
    expect(chosen("apply", "file/a.ts")).toEqual(["deleted file", "added file", "added file/a.ts"]);
    expect(chosen("apply", "**/a.ts")).toEqual([
      "added new",
      "added new/deep",
      "added new/deep/a.ts",
      "modified src/a.ts",
      "deleted old/a.ts",
      "deleted file",
      "added file",
      "added file/a.ts",
    ]);
  });

  test("takes, to bring a deleted file back, its deleted directory and what stands in its place", () => {
    expect(chosen("discard", "old/a.ts")).toEqual(["deleted old", "deleted old/a.ts"]);
    expect(chosen("discard", "turned/in.ts")).toEqual(["deleted turned", "deleted turned/in.ts", "added turned"]);
    expect(chosen("discard", "new/deep/a.ts")).toEqual(["added new/deep/a.ts"]);
  });

  test("takes a repository as one unit", () => expect(chosen("apply", ".git/HEAD")).toEqual(["added .git/objects/1", "modified .git/HEAD"]));

  test("names what matches nothing", () => expect(selectChanges(CHANGES, ["src", "absent", "*.py"], "apply").unmatched).toEqual(["absent", "*.py"]));
});
