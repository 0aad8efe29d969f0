import { execFileSync } from "node:child_process";
import { chownSync, lchownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scanRoots } from "../../../../src/sandbox/workspace/scan/all-roots.ts";
import { boundRoots, repositoryBehind, unboundReason } from "../../../../src/sandbox/workspace/scan/linked-repository.ts";
import { namesOf } from "../../../../src/sandbox/workspace/repository/names.ts";
import { repositoryReason } from "../../../../src/sandbox/workspace/repository/paths.ts";
import { makeFixture, profileOf, type SandboxFixture } from "../../../contract/sandbox-fixture.ts";
import { ORDINARY_USER } from "../../../support/ordinary-user.ts";
import { runsRootTests } from "../../../support/root.ts";
import { temporaryDirectory } from "../../../support/temporary-store.ts";

const ENV = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
const IDENTITY = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"];

let top: string;
let fixture: SandboxFixture | null = null;
beforeEach(() => {
  top = temporaryDirectory();
});
afterEach(() => {
  fixture?.remove();
  fixture = null;
});

const git = (directory: string, ...argv: readonly string[]): void => {
  mkdirSync(join(top, directory), { recursive: true });
  execFileSync("git", [...IDENTITY, ...argv], { cwd: join(top, directory), env: ENV, stdio: "ignore" });
};
const write = (path: string, text: string): void => {
  mkdirSync(join(top, path, ".."), { recursive: true });
  writeFileSync(join(top, path), text);
};
const found = (workspace: string): unknown => repositoryBehind(join(top, workspace));

function withWorktrees(): void {
  git("repo", "init", "-q");
  git("repo", "commit", "-q", "--allow-empty", "-m", "one");
  for (const name of ["one", "two"]) git("repo", "worktree", "add", "-q", `../${name}`);
}

describe("the repository that a workspace's .git file names is taken for its own", () => {
  test("of a linked worktree, also of a bare repository", () => {
    withWorktrees();
    git("bare.git", "clone", "-q", "--bare", "../repo", ".");
    git("bare.git", "worktree", "add", "-q", "../third", "main");
    expect([found("one"), found("third")]).toEqual([
      { path: join(top, "repo/.git"), worktree: "one" },
      { path: join(top, "bare.git"), worktree: "third" },
    ]);
  });

  test("of a submodule, and of a repository that lies apart once it names the workspace", () => {
    withWorktrees();
    git("outer", "init", "-q");
    git("outer", "submodule", "add", "-q", "../repo", "sub");
    git("apart", "init", "-q", "--separate-git-dir=../apart.git");
    expect(found("outer/sub")).toEqual({ path: join(top, "outer/.git/modules/sub"), worktree: null });
    expect(found("apart")).toMatchObject({ remedy: `If it is: git --git-dir ${top}/apart.git config core.worktree ${top}/apart` });
    git("apart", "config", "core.worktree", join(top, "apart"));
    expect(found("apart")).toEqual({ path: join(top, "apart.git"), worktree: null });
  });

  test("but there is none to open where it lies in the workspace, or nothing is named", () => {
    git("plain", "init", "-q");
    git("plain/inner", "init", "-q", "--separate-git-dir=../.git/kept");
    write("named/.git", "gitdir: own\n");
    git("named/own", "init", "-q", "--bare");
    mkdirSync(join(top, "empty"));
    expect([found("plain"), found("named"), found("empty")]).toEqual([null, null, null]);
  });
});

describe("nothing is opened", () => {
  test("for a file that names another project's repository", () => {
    git("project", "init", "-q");
    write("hostile/.git", `gitdir: ${top}/project/.git\n`);
    expect(found("hostile")).toMatchObject({ fault: `The repository ${top}/project/.git does not say that the workspace is its own.` });
  });

  test("for a file that names the directory of another worktree", () => {
    withWorktrees();
    write("hostile/.git", readFileSync(join(top, "one/.git"), "utf8"));
    expect(found("hostile")).toMatchObject({ fault: `The repository ${top}/repo/.git has no worktree at the workspace.` });
  });

  test("for a directory of the workspace's own making that no repository knows, and that names one as shared", () => {
    withWorktrees();
    write("made/commondir", `${top}/repo/.git\n`);
    write("made/gitdir", `${top}/hostile/.git\n`);
    write("made/HEAD", "ref: refs/heads/main\n");
    write("hostile/.git", `gitdir: ${top}/made\n`);
    expect(found("hostile")).toMatchObject({ fault: `The repository ${top}/repo/.git has no worktree at the workspace.` });
  });

  test.each([
    ["no directory", "gitdir: /nowhere\n"],
    ["a directory that is no repository", "gitdir: ../keys\n"],
    ["two lines", "gitdir: ../project/.git\nmore\n"],
    ["nothing", "gitdir: \n"],
  ])("for a file that says %s", (_what, text) => {
    write("keys/HEAD", "ref: refs/heads/main\n");
    write("hostile/.git", text);
    expect(found("hostile")).toMatchObject({ fault: expect.any(String) });
  });

  test.skipIf(!runsRootTests)("for a repository of another user, or a part of it is one's", () => {
    withWorktrees();
    for (const part of ["", "/config", "/HEAD", "/objects", "/refs", "/worktrees/one", "/worktrees/one/HEAD"]) {
      lchownSync(join(top, "repo/.git") + part, ORDINARY_USER, ORDINARY_USER);
      expect([part, found("one")]).toEqual([part, { fault: `The repository ${top}/repo/.git belongs to another user than the workspace.` }]);
      lchownSync(join(top, "repo/.git") + part, 0, 0);
    }
    expect(found("one")).toMatchObject({ worktree: "one" });
  });

  test.skipIf(!runsRootTests)("for a file that another user wrote", () => {
    withWorktrees();
    chownSync(join(top, "one/.git"), ORDINARY_USER, ORDINARY_USER);
    expect(found("one")).toEqual({ fault: `${top}/one/.git belongs to another user than the workspace.` });
  });
});

test("what steers git in a repository outside, and what is another worktree's, is mounted read-only", () => {
  withWorktrees();
  fixture = makeFixture({});
  const repository = { path: join(top, "repo/.git"), worktree: "one" };
  const profile = profileOf(fixture);
  const scans = scanRoots({ ...profile, roots: [...profile.roots, { path: repository.path, access: "read-write" }], repository, protected: [] }, "changed");
  const guarded = scans.at(-1)?.guarded.map(({ path }) => path.slice(repository.path.length + 1));
  expect(guarded?.toSorted()).toEqual(["HEAD", "config", "hooks", "index", "logs/HEAD", "worktrees/one/commondir", "worktrees/one/gitdir", "worktrees/two"]);
});

test("where the workspace is bound, what steers git at once is read-only too: alternates, submodules, `info`, and the file that names it", () => {
  git("outer", "init", "-q");
  git("repo", "init", "-q");
  git("repo", "commit", "-q", "--allow-empty", "-m", "one");
  git("outer", "submodule", "add", "-q", "../repo", "sub");
  const repository = { path: join(top, "outer/.git/modules/sub"), worktree: null };
  for (const file of ["info/attributes", "objects/info/alternates", "modules/inner/config", "remotes/origin", "refs/heads/info"])
    write(`outer/.git/modules/sub/${file}`, "");
  fixture = makeFixture({});
  const profile = profileOf(fixture, { settings: { workspace: "bind" } });
  const roots = [{ path: join(top, "outer/sub"), access: "read-write" as const }, ...boundRoots(repository)];
  const guarded = scanRoots({ ...profile, roots, repository, protected: [] }, "none").flatMap((scan) => scan.guarded.map(({ path }) => path.slice(top.length)));
  const inRepository = ["config", "hooks", "info", "modules", "objects/info/alternates", "remotes"].map((name) => `/outer/.git/modules/sub/${name}`);
  expect(guarded.filter((path) => !path.endsWith("/branches")).toSorted()).toEqual([...inRepository, "/outer/sub/.git"]);
});

test("of a repository that worktrees share, a bound session writes where commits go alone", () => {
  const path = "/home/ann/repo/.git";
  expect(boundRoots({ path, worktree: "one" })).toEqual([
    { path, access: "read" },
    ...["objects", "refs", "logs", "worktrees/one"].map((name) => ({ path: `${path}/${name}`, access: "read-write" })),
  ]);
});

describe("a bound session only reads a repository", () => {
  test.each([
    ["whose directory is missing or a link", "rm -r logs", "/repo/.git/logs is no directory of the repository's owner"],
    ["where a directory is a link", "mv logs l && ln -s l logs", "/repo/.git/logs is no directory of the repository's owner"],
    ["with a link among objects", "ln -s /nowhere objects/info/alternates", "/repo/.git/objects/info/alternates is a link"],
    ["with a link in the worktree's own", "ln -s /nowhere worktrees/one/modules", "/repo/.git/worktrees/one/modules is a link"],
    ["but not for what it does not write anyway", "rm -r hooks && ln -s /nowhere hooks", null],
  ])("%s", (_what, script, reason) => {
    withWorktrees();
    execFileSync("sh", ["-ec", script], { cwd: join(top, "repo/.git") });
    expect(unboundReason({ path: join(top, "repo/.git"), worktree: "one" })?.replace(top, "") ?? null).toBe(reason);
  });

  test.skipIf(!runsRootTests)("of which a part that it would write is another user's", () => {
    withWorktrees();
    lchownSync(join(top, "repo/.git/logs"), ORDINARY_USER, ORDINARY_USER);
    expect(unboundReason({ path: join(top, "repo/.git"), worktree: "one" })).toBe(`${top}/repo/.git/logs is no directory of the repository's owner`);
  });
});

describe("a file of a repository outside", () => {
  const names = namesOf({ path: "/home/ann/repo/.git", worktree: "one" });
  const reasonFor = (path: string): string | null => repositoryReason({ path: names.plain(path), type: "file", kind: "modified" });

  test.each([
    [".git/worktrees/one/HEAD", ".git/HEAD"],
    [".git/worktrees/one/index", ".git/index"],
    [".git/worktrees/one/logs/HEAD", ".git/logs/HEAD"],
    [".git/worktrees/one/refs/bisect/bad", ".git/refs/bisect/bad"],
    [".git/refs/heads/main", ".git/refs/heads/main"],
    [".git/logs/refs/heads/main", ".git/logs/refs/heads/main"],
    [".git/packed-refs", ".git/packed-refs"],
    [".git/config", ".git/config"],
  ])("%s is called %s, and found by it", (path, plain) => {
    expect([names.plain(path), names.placed(plain)]).toEqual([plain, path]);
  });

  test.each([
    ".git/HEAD",
    ".git/index",
    ".git/ORIG_HEAD",
    ".git/logs/HEAD",
    ".git/refs/bisect/bad",
    ".git/worktrees/two/HEAD",
    ".git/worktrees/two/index",
    ".git/worktrees/one/refs/heads/main",
    ".git/worktrees/one/objects/12/3456",
    ".git/worktrees/one/packed-refs",
    ".git/worktrees/one/logs/refs/heads/main",
    ".git/worktrees/oneself/HEAD",
  ])("%s belongs to another worktree, or to none", (path) => {
    expect(reasonFor(path)).toBe("It belongs to another worktree of the repository, and is not applied.");
  });

  test.each(["commondir", "gitdir", "config.worktree", "locked", "info/sparse-checkout"])("%s of the worktree steers git", (file) => {
    expect(reasonFor(`.git/worktrees/one/${file}`)).toMatch(/steers git on the host and is not applied\.$|belongs to another worktree/u);
  });
});
