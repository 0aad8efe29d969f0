import { spawn } from "node:child_process";
import { copyFileSync, existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type GitWorkspace, gitWorkspace, reasonsOf } from "../../support/git-workspace.ts";
import { runsRootTests } from "../../support/root.ts";
import { once } from "../../support/until.ts";

const APPLY = join(import.meta.dirname, "../../support/programs/apply-changes.ts");

let here: GitWorkspace;
const lock = (): string => join(here.workspace, ".git/refs/heads/main.lock");

describe.runIf(runsRootTests)("a lock of HEAD that somebody has", () => {
  afterEach(async () => {
    await here.remove();
  });

  const STATE = "git for-each-ref; git symbolic-ref HEAD; git ls-files -s";

  test.each([
    ["a new branch", "git checkout -qb work; echo b > b; git add b; git commit -qm two"],
    ["another branch alone, with its files", "git checkout -q side"],
    ["another branch, and moves the one that is left", "echo b > b; git add b; git commit -qm two; git checkout -q side"],
  ])("holds all back where the run checked out %s; it is said what to do, and the next landing ends it", async (_what, script) => {
    here = await gitWorkspace("git init -q; echo a > a; git add a; git commit -qm one; git branch side; echo c > c; git add c; git commit -qm c");
    here.inRun(script);
    const [before, wanted] = [here.onHost(STATE), here.inRun(STATE)];
    here.onHost("touch .git/HEAD.lock");
    expect(reasonsOf(await here.apply())).toEqual([
      expect.stringMatching(/^git does not move the refs: .* one that was killed has left it\..*rm '.*HEAD\.lock'$/u),
    ]);
    expect(here.onHost(STATE)).toBe(before);
    here.onHost("rm .git/HEAD.lock");
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost(STATE)).toBe(wanted);
  });
});

describe.runIf(runsRootTests)("a lock of a git that was killed in a landing", () => {
  beforeEach(async () => {
    here = await gitWorkspace("git init -q; echo a > a; git add a; git commit -qm one");
    here.inRun("echo b > b; git add b; git commit -qm two");
    await here.end();
    // Refs are held then, and the index is just written.
    here.onHost("printf '#!/bin/sh\\nkill -9 0\\n' > .git/hooks/post-index-change; chmod +x .git/hooks/post-index-change");
    const child = spawn(process.execPath, [APPLY, here.runDirectory], { stdio: "ignore", detached: true });
    await once(child, "close");
    here.onHost("rm .git/hooks/post-index-change");
  });
  afterEach(async () => {
    await here.remove();
  });

  test("goes when the landing goes on", async () => {
    expect(existsSync(lock())).toBe(true);
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost("git log -1 --format=%s; git status --porcelain; find .git -name '*.lock'")).toBe("two\n");
  });

  test("is told from another of its name, which stays, and it is said what to do", async () => {
    expect(existsSync(lock())).toBe(true);
    copyFileSync(lock(), `${lock()}.other`);
    renameSync(`${lock()}.other`, lock());
    expect(reasonsOf(await here.apply())).toEqual([
      expect.stringMatching(/Where no git is running, one that was killed has left it\..*rm '.*refs\/heads\/main\.lock'$/u),
    ]);
    expect(existsSync(lock())).toBe(true);
    here.onHost("rm .git/refs/heads/main.lock");
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost("git log -1 --format=%s")).toBe("two\n");
  });
});
