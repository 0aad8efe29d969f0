import { describe, expect, test } from "vitest";
import { repositoryOf, repositoryReason } from "../../../../src/sandbox/workspace/repository/paths.ts";

describe("changes in a repository's own files", () => {
  test.each([
    `.git/objects/ab/${"c".repeat(38)}`,
    `.git/objects/ab/${"c".repeat(62)}`,
    `.git/objects/pack/pack-${"d".repeat(40)}.pack`,
    `.git/objects/pack/pack-${"d".repeat(40)}.idx`,
    ".git/refs/heads/main",
    ".git/packed-refs",
    ".git/index",
    ".git/HEAD",
    ".git/logs/HEAD",
    ".git/COMMIT_EDITMSG",
    ".git/ORIG_HEAD",
    "sub/.git/refs/heads/x",
    ".git/modules/sub/HEAD",
    ".git/modules/a/b/refs/heads/x",
    ".git/modules/a/modules/b/packed-refs",
    `sub/.git/modules/a/objects/ab/${"c".repeat(38)}`,
    "git/config",
    "git~10",
    ".git.old/config",
    ".git-x",
    "x.git/config",
    "my.git ",
    ".gitignore",
    ".github/workflows/x.yml",
  ])("may be applied: %s", (path) => expect(repositoryReason({ path, type: "file" })).toBeNull());

  test.each([
    ".git",
    ".git/config",
    ".git/config.worktree",
    ".git/hooks",
    ".git/hooks/pre-commit",
    ".git/info/attributes",
    ".git/objects/info/alternates",
    ".git/objects/info/http-alternates",
    ".git/refs/replace/abc",
    ".git/commondir",
    ".git/gitdir",
    ".git/worktrees/x/gitdir",
    ".git/modules/sub/config",
    ".git/modules/sub",
    ".git/modules/HEAD",
    ".git/modules/sub/hooks/post-checkout",
    ".git/modules/sub/info/attributes",
    ".git/modules/sub/objects/info/alternates",
    ".git/modules/sub/refs/replace/abc",
    ".git/modules/sub/worktrees/w/HEAD",
    ".git/modules/a/modules/b/config",
    ".git/MODULES/sub/HEAD",
    ".git/modules/sub/HEAD/x",
    ".git/index.lock",
    ".git/refs/heads/main.lock",
    ".git/HEAD/x",
    ".git/MERGE_HEAD",
    "sub/.git/config",
    ".GIT/config",
    ".Git/hooks/x",
    ".git./hooks/pre-commit",
    ".git . /config",
    ".GIT ",
    "GIT~1/hooks/x",
    "sub/git~1",
    ".git::$INDEX_ALLOCATION/config",
    ".git\\hooks\\pre-commit",
    "a\\.git",
    ".g\u200cit/config",
    ".git/objects/.git./config",
    ".git/objects/.git/config",
    ".git/objects/.git/refs/heads/x",
    ".GIT/refs/heads/main",
    ".git/objects/x",
    ".git/objects/info/commit-graph",
    ".git/objects/pack/multi-pack-index",
    `.git/objects/pack/pack-${"d".repeat(40)}.bitmap`,
    `.git/objects/pack/pack-${"d".repeat(40)}.keep`,
    ".git/objects/ab",
    ".git/refs/heads/a..b",
    ".git/refs/heads/a b",
    ".git/refs/heads/.hidden",
  ])("are never applied: %s", (path) => expect(repositoryReason({ path, type: "file" })).toBeTypeOf("string"));

  test("are never links, special files, or of the wrong type", () => {
    expect(repositoryReason({ path: ".git/refs/heads/main", type: "link" })).toBeTypeOf("string");
    expect(repositoryReason({ path: ".git/objects/x", type: "other" })).toBeTypeOf("string");
    expect(repositoryReason({ path: ".git/HEAD", type: "directory" })).toBeTypeOf("string");
    expect(repositoryReason({ path: ".git/objects", type: "file" })).toBeTypeOf("string");
  });

  test("never lose an object, nor what a repository needs to be one; refs and logs may go", () => {
    const object = `.git/objects/ab/${"c".repeat(38)}`;
    for (const path of [object, ".git/HEAD", ".git/index", ".git/packed-refs"])
      expect(repositoryReason({ path, type: "file", kind: "deleted" })).toBeTypeOf("string");
    expect(repositoryReason({ path: object, type: "file", kind: "modified" })).toBeTypeOf("string");
    for (const path of [".git/refs/heads/x", ".git/logs/refs/heads/x"]) expect(repositoryReason({ path, type: "file", kind: "deleted" })).toBeNull();
  });

  test.each([
    [".git/HEAD", ".git"],
    ["a/b/.git/objects/x", "a/b/.git"],
    ["a/.git/modules/.git/x", "a/.git/modules/.git"],
    [".git/modules/a/b/refs/heads/x", ".git/modules/a/b"],
    [".git/modules/a/modules/b/HEAD", ".git/modules/a/modules/b"],
    [".git/modules/a/config", ".git"],
    [".git", null],
    ["a.git/x", null],
    [".gitignore", null],
  ])("belong to a repository: %s → %s", (path, repository) => expect(repositoryOf(path)).toBe(repository));
});
