import { spawn } from "node:child_process";
import { copyFileSync, existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type GitWorkspace, gitWorkspace, reasonsOf } from "../../../support/git-workspace.ts";
import { runsRootTests } from "../../../support/root.ts";
import { once } from "../../../support/until.ts";

const APPLY = join(import.meta.dirname, "../../../support/programs/apply-changes.ts");

let here: GitWorkspace;
const lock = (): string => join(here.workspace, ".git/refs/heads/main.lock");

describe.runIf(runsRootTests)("a lock of HEAD, which git takes last", () => {
  afterEach(async () => {
    await here.remove();
  });

  test("is said with what to do, and the next landing ends it", async () => {
    here = await gitWorkspace("git init -q; echo a > a; git add a; git commit -qm one");
    here.inRun("git checkout -qb work; echo b > b; git add b; git commit -qm two");
    here.onHost("touch .git/HEAD.lock");
    expect(reasonsOf(await here.apply())).toEqual([expect.stringMatching(/the rest landed: .* one that was killed has left it\..*rm '.*HEAD\.lock'$/u)]);
    here.onHost("rm .git/HEAD.lock");
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost("git symbolic-ref HEAD; git log -1 --format=%s; git status --porcelain")).toBe("refs/heads/work\ntwo\n");
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
