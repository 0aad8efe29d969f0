import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { openChanges } from "../../../src/landing/review/review.ts";
import { rounds } from "../../support/extent.ts";
import { type GitWorkspace, gitWorkspace, reasonsOf } from "../../support/git-workspace.ts";
import { runsRootTests } from "../../support/root.ts";
import { once } from "../../support/until.ts";

const MAKE = "git init -q; echo a > a; echo d > d; git add .; git commit -qm one; git branch side; echo b > b; git add b; git commit -qm two";
const COMMIT = "echo c > c; echo more >> a; git add .; git commit -qm three";

const PROGRAM = join(import.meta.dirname, "../../support/programs/apply-changes.ts");

let here: GitWorkspace;
afterEach(async () => {
  await here.remove();
});

/** What git says of a repository: refs, where HEAD is, the entries of the index, and what differs from it. */
const STATE = "git for-each-ref --format='%(refname) %(objectname)'; git symbolic-ref -q HEAD || git rev-parse HEAD; git ls-files -s; git status --porcelain";
const isWhole = (): void => void here.onHost("git fsck --strict --no-dangling");

describe.runIf(runsRootTests)("what a run did with git lands by git's own hand", () => {
  test.each([
    ["a commit on the branch that is checked out", COMMIT],
    ["a commit on another branch, which is checked out then", `git checkout -q side; ${COMMIT}`],
    ["a new branch that stays checked out", `git checkout -qb work; ${COMMIT}`],
    ["a detached HEAD", `git checkout -q --detach; ${COMMIT}`],
    ["a branch that goes and one that comes", "git branch -D side -q; git branch new HEAD~1"],
    ["a branch in the place of a directory of branches", "git branch x/y; git tag v1; git pack-refs --all"],
    ["what is staged: a new file, a deletion, a mode", "echo s > s; git add s; git rm -q --cached b; git update-index --chmod=+x a"],
    [
      "a file in the place of a directory, and the other way round",
      "rm a; mkdir a; echo x > a/x; git add -A; git commit -qm t; git rm -rqf a; echo n > a; git add a",
    ],
    ["an amended commit", "echo c > c; git add c; git commit -q --amend --no-edit"],
    ["a reset", "git reset -q --hard HEAD~1"],
    ["a reset of the branch alone", "git reset -q --soft HEAD~1"],
    ["a rebase", `git checkout -q side; ${COMMIT}; git rebase -q main 2> /dev/null || true; git rebase --abort 2> /dev/null || true`],
    ["a merge", `git checkout -q side; echo c > c; git add c; git commit -qm three; git checkout -q main; git merge -q --no-edit side`],
    ["a stash", "echo changed > a; git stash -q"],
    ["an annotated tag and a note", "git tag -a v1 -m v1; git notes add -m note"],
    ["a packed repository", `${COMMIT}; git gc -q`],
  ])("%s", async (_what, script) => {
    here = await gitWorkspace(MAKE);
    here.inRun(script);
    const wanted = here.inRun(STATE);
    const report = await here.apply();
    for (const reason of reasonsOf(report)) expect(reason).toMatch(/steers git|only added|anew|name already|Its directory/u);
    expect(here.onHost(STATE)).toBe(wanted);
    isWhole();
  });

  test.each([
    ["SHA-256", "git init -q --object-format=sha256"],
    ["an untracked cache and a split index, as the person configured", "git init -q; git config core.untrackedCache true; git config core.splitIndex true"],
    ["feature.manyFiles", "git init -q; git config feature.manyFiles true"],
  ])("also in a repository with %s", async (_what, init) => {
    here = await gitWorkspace(`${init}; ${MAKE.replace("git init -q; ", "")}; git status > /dev/null`);
    here.inRun(`${COMMIT}; echo s > s; git add s`);
    const wanted = here.inRun(STATE);
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost(STATE)).toBe(wanted);
    isWhole();
  });

  test("and what a reset leaves staged, also where all objects were packed anew and no index was written", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun("git gc -q; git reset -q --soft HEAD~1; touch .git/index.lock");
    const wanted = here.inRun("git for-each-ref; git ls-files -s");
    await here.apply();
    expect(here.onHost("git for-each-ref; git ls-files -s")).toBe(wanted);
  });

  test("once: a second look finds nothing, and what a run does afterwards is told from it", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun(COMMIT);
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(await openChanges(here.runDirectory)).toBeNull();
  });

  test("and logs, ORIG_HEAD and what only they name stay with the run", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun(`${COMMIT}; git reset -q --hard HEAD~1; git log -1 --format=%H ORIG_HEAD`);
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(existsSync(join(here.workspace, ".git/ORIG_HEAD"))).toBe(false);
    expect(here.onHost("git reflog --format=%gs")).not.toContain("reset");
  });
});

describe.runIf(runsRootTests)("what a run wrote into git's files beside what git says", () => {
  test("trees that the index remembers: the next commit holds the entries that a review showed", async () => {
    here = await gitWorkspace(MAKE);
    // The cached tree of what was committed, beside other entries.
    here.inRun("echo evil > a; git add a; git write-tree > /dev/null");
    const bytes = readFileSync(join(here.view, ".git/index"));
    const [evil, good] = [here.inRun("git write-tree"), here.inRun("git rev-parse HEAD^{tree}")].map((id) => Buffer.from(id.trim(), "hex"));
    const { createHash } = await import("node:crypto");
    here.inRun("git read-tree HEAD; echo a > a; git add a; git write-tree");
    const honest = readFileSync(join(here.view, ".git/index"));
    const at = honest.indexOf(good!);
    expect([bytes.includes(evil!), at > 0]).toEqual([true, true]);
    evil!.copy(honest, at);
    const body = honest.subarray(0, honest.length - 20);
    writeFileSync(join(here.view, ".git/index"), Buffer.concat([body, createHash("sha1").update(body).digest()]));
    here.inRun("echo n > n; rm -f .git/index.lock");
    const report = await here.apply();
    expect(report.refused.filter(({ reason }) => !/name already/u.test(reason))).toEqual([]);
    expect(here.onHost("git write-tree; git diff --cached --stat")).toBe(`${good!.toString("hex")}\n`);
  });

  test("a peeled line of a list of refs does not land", async () => {
    here = await gitWorkspace(`${MAKE}; git tag -a v1 -m v1; git pack-refs --all`);
    here.inRun('git tag -a v2 -m v2 HEAD~1; git pack-refs --all; sed -i "s/^^.*/^$(git rev-parse HEAD~1)/" .git/packed-refs');
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost("git rev-parse v1^{} v2^{}")).toBe(here.onHost("git rev-parse HEAD HEAD~1"));
    expect(here.onHost("git describe --always --exact-match HEAD")).toBe("v1\n");
  });

  test("trees nested in the index until git crashes land nothing, and say so", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun(`echo s > s; git add s`);
    const { createHash } = await import("node:crypto");
    const index = readFileSync(join(here.view, ".git/index"));
    const tree = index.indexOf("TREE");
    const head = tree < 0 ? index.subarray(0, index.length - 20) : index.subarray(0, tree);
    const nested = Buffer.concat(
      Array.from({ length: 400_000 }, (_unused, level) => Buffer.from(`${level === 0 ? "" : "d"}\0-1 ${level === 399_999 ? "0" : "1"}\n`)),
    );
    const size = Buffer.alloc(4);
    size.writeUInt32BE(nested.length);
    const body = Buffer.concat([head, Buffer.from("TREE"), size, nested]);
    writeFileSync(join(here.view, ".git/index"), Buffer.concat([body, createHash("sha1").update(body).digest()]));
    const report = await here.apply();
    // Some gits read it, and others crash.
    expect(reasonsOf(report).filter((reason) => !reason.includes("git cannot read the index"))).toEqual([]);
    expect(here.onHost("git status --porcelain")).toMatch(/^(?:A  s\n)?(?:\?\? s\n)?$/u);
  });

  test("where entries begin is not taken from the run, also not by several threads", async () => {
    here = await gitWorkspace(`${MAKE}; git config index.threads 4`);
    here.inRun(
      "mkdir m; for n in $(seq 400); do echo $n > m/$n; done; git add m; git -c index.threads=4 update-index --force-write-index 2> /dev/null || true",
    );
    const wanted = here.inRun("git ls-files -s");
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost("git ls-files -s")).toBe(wanted);
  });

  test.each([
    ["configuration", "git config core.fsmonitor evil", ".git/config"],
    ["hooks", "mkdir -p .git/hooks; echo evil > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout", ".git/hooks/post-checkout"],
    ["alternates", "mkdir -p .git/objects/info; echo /tmp > .git/objects/info/alternates", ".git/objects/info/alternates"],
    ["grafts", "mkdir -p .git/info; git rev-parse HEAD > .git/info/grafts", ".git/info/grafts"],
    ["a replaced object", "git replace HEAD HEAD~1", ".git/refs/replace"],
    ["a worktree", "git worktree add -q ../other-wt 2> /dev/null", ".git/worktrees"],
  ])("%s: none of it lands, and a review says where", async (_what, script, path) => {
    here = await gitWorkspace(MAKE);
    const before = here.onHost("cat .git/config; ls .git/hooks .git/info .git/objects/info 2> /dev/null || true");
    here.inRun(`${COMMIT}; ${script}`);
    const review = await here.review();
    const flagged = (await review.flagged()).filter((change) => change.path.startsWith(path) && change.flags.some(({ kind }) => kind === "repository"));
    expect(flagged.length).toBeGreaterThan(0);
    await review.apply({ mayWrite: () => null });
    await review.close();
    expect(here.onHost("cat .git/config; ls .git/hooks .git/info .git/objects/info 2> /dev/null || true")).toBe(before);
    expect(here.onHost("git log -1 --format=%s; git for-each-ref refs/replace; git worktree list | wc -l")).toBe("three\n1\n");
    isWhole();
  });
});

describe.runIf(runsRootTests)("what a person did meanwhile", () => {
  test.each([
    ["switched the branch", "git switch -q side", /HEAD is side now, and was main/u],
    ["committed on the branch", "git commit -q --allow-empty -m theirs", /refs\/heads\/main was moved/u],
    [
      "is in a merge",
      "git checkout -q side; echo z > a; git commit -qam z; git checkout -q main; echo y > a; git commit -qam y; git merge side > /dev/null || true",
      /merge is under way/u,
    ],
    ["is in a rebase", "GIT_SEQUENCE_EDITOR='sed -i s/pick/edit/' git rebase -q -i HEAD~1 2> /dev/null", /rebase is under way/u],
    ["is in a bisect", "git bisect start > /dev/null", /bisect is under way/u],
    ["staged the file that the run committed", "echo mine > c; git add c", /c was staged otherwise/u],
    ["holds the index", "touch .git/index.lock", /index\.lock/u],
    ["holds HEAD", "touch .git/HEAD.lock", /HEAD\.lock/u],
    ["holds the branch", "touch .git/refs/heads/main.lock", /main\.lock/u],
  ])("%s: nothing of the repository lands, and the reason says why", async (_what, script, reason) => {
    here = await gitWorkspace(MAKE);
    here.inRun(COMMIT);
    here.onHost(script);
    const before = here.onHost("git for-each-ref; cat .git/HEAD; git ls-files -s");
    expect(reasonsOf(await here.apply()).join()).toMatch(reason);
    expect(here.onHost("git for-each-ref; cat .git/HEAD; git ls-files -s")).toBe(before);
  });

  test.each([
    ["committed on", "git branch -f side $(git commit-tree -p side -m theirs side^{tree})"],
    ["put a directory of branches in the place of", "git branch -qD side; git branch side/x"],
    ["committed on the branch that was left for", "echo mine > d; git commit -qam mine"],
  ])("%s the branch that the run checked out: nothing of the repository lands, and HEAD stays", async (_what, script) => {
    here = await gitWorkspace(MAKE);
    here.inRun("git checkout -q side; echo s > s; git add s");
    here.onHost(script);
    const refsAndIndex = STATE.replace("; git status --porcelain", "");
    const before = here.onHost(refsAndIndex);
    expect(reasonsOf(await here.apply()).join()).toMatch(/refs\/heads\/(?:side, which the run|main, which is) checked out, was moved/u);
    expect(here.onHost(refsAndIndex)).toBe(before);
  });

  test("checked the branch out in another worktree: nothing lands", async () => {
    here = await gitWorkspace(`${MAKE}; git checkout -qb other`);
    here.inRun("git branch -f side HEAD");
    here.onHost(`git worktree add -q ${here.workspace}-wt side`);
    const before = here.onHost("git rev-parse side");
    expect(reasonsOf(await here.apply()).join()).toMatch(/side is checked out in another worktree/u);
    expect(here.onHost("git rev-parse side")).toBe(before);
  });

  test("prepared a transaction of the same ref: nothing lands, and theirs does", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun(COMMIT);
    await here.end();
    const theirs = here.onHost("git commit-tree -p HEAD -m theirs HEAD^{tree}").trim();
    const child = spawn("git", ["update-ref", "--stdin"], {
      cwd: here.workspace,
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" },
    });
    const ended = once(child, "close");
    let said = "";
    child.stdout.on("data", (part: Buffer) => (said += part.toString()));
    child.stdin.write(`start\nupdate refs/heads/main ${theirs}\nprepare\n`);
    while (!said.includes("prepare: ok")) await once(child.stdout, "data");
    expect(reasonsOf(await here.apply()).join()).toMatch(/git does not move the refs/u);
    child.stdin.end("commit\n");
    await ended;
    expect(here.onHost("git rev-parse main").trim()).toBe(theirs);
  });

  test.each([
    ["only looked", "sleep 1; touch b d; git status > /dev/null"],
    ["packed the refs", "git pack-refs --all"],
    ["made another branch and a tag", "git branch more; git tag t"],
    ["staged another file", "echo z > z; git add z"],
  ])("%s: the run's commits land, and the next commit takes nothing of them back", async (_what, script) => {
    here = await gitWorkspace(MAKE);
    here.inRun(COMMIT);
    const head = here.inRun("git rev-parse HEAD");
    here.onHost(script);
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost("git rev-parse HEAD")).toBe(head);
    here.onHost("git commit -q --allow-empty -m next");
    expect(here.onHost("git diff --name-status HEAD~1 HEAD -- a b c d")).toBe("");
  });

  test("has a hook in the workspace: the run's own is not run by landing", async () => {
    here = await gitWorkspace(`${MAKE}; git config core.hooksPath .hooks; mkdir .hooks`);
    here.inRun(
      `${COMMIT}; printf '#!/bin/sh\ntouch ${here.workspace}/canary\n' > .hooks/reference-transaction; chmod +x .hooks/reference-transaction; cp .hooks/reference-transaction .hooks/post-index-change`,
    );
    await here.apply();
    expect(here.onHost("git -c core.hooksPath=/dev/null log -1 --format=%s")).toBe("three\n");
    expect(existsSync(join(here.workspace, ".hooks/reference-transaction"))).toBe(true);
    expect(existsSync(join(here.workspace, "canary"))).toBe(false);
  });

  test("has a hook of their own that refuses: nothing moves", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun(COMMIT);
    here.onHost(
      `mkdir -p .git/hooks; printf '#!/bin/sh\n[ "$1" != prepared ]\n' > .git/hooks/reference-transaction; chmod +x .git/hooks/reference-transaction`,
    );
    const before = here.onHost("git for-each-ref; git ls-files -s");
    expect(reasonsOf(await here.apply()).join()).toMatch(/git does not move the refs/u);
    expect(here.onHost("git for-each-ref; git ls-files -s")).toBe(before);
  });
});

describe.runIf(runsRootTests)("a landing that is killed", () => {
  test("at any moment leaves a whole repository, whose next commit keeps what the run did; the next call ends it", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun(
      `${COMMIT}; git checkout -qb work; for n in $(seq 30); do echo $n > n$n; done; git add .; git commit -qm four; echo s > s; git add s; git tag v1`,
    );
    const wanted = here.inRun(STATE);
    await here.end();
    for (let kills = 0; kills < rounds(6, 60); kills += 1) {
      const child = spawn(process.execPath, [PROGRAM, here.runDirectory], { stdio: ["ignore", "pipe", "ignore"], detached: true });
      const ended = once(child, "close");
      await once(child.stdout, "data").catch(() => ended);
      await Promise.race([pause(Math.random() * 700), ended]);
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await ended;
      here.onHost("rm -f .git/index.lock .git/HEAD.lock .git/packed-refs.lock; find .git/refs -name '*.lock' -delete");
      isWhole();
      // Moved with the refs, or before them.
      expect(here.onHost("git diff --cached --name-status HEAD -- c | grep ^D || true")).toBe("");
    }
    const review = await openChanges(here.runDirectory);
    const report = await review?.apply({ mayWrite: () => null });
    await review?.close();
    expect(report?.refused ?? []).toEqual([]);
    expect(here.onHost(STATE)).toBe(wanted);
    isWhole();
  });
});

describe.runIf(runsRootTests)("what is not finished in a run", () => {
  test.each([
    [
      "a merge",
      "git checkout -q side; echo z > a; git commit -qam z; git checkout -q main; echo y > a; git commit -qam y; git merge side > /dev/null || true",
      /merge/u,
    ],
    [
      "a merge without conflicts",
      "git checkout -q side; echo z > z; git add z; git commit -qm z; git checkout -q main; git merge -q --no-commit --no-ff side 2> /dev/null",
      /a merge is under way/u,
    ],
    ["a rebase", "GIT_SEQUENCE_EDITOR='sed -i s/pick/edit/' git rebase -q -i HEAD~1 2> /dev/null", /a rebase is under way/u],
    [
      "a cherry-pick",
      "git checkout -q side; echo z > a; git commit -qam z; git checkout -q main; echo y > a; git commit -qam y; git cherry-pick side > /dev/null 2>&1 || true",
      /cherry-pick|merge/u,
    ],
    ["a bisect", "git bisect start > /dev/null; git commit -q --allow-empty -m x", /a bisect is under way/u],
  ])("%s is said, and the repository stays as it is", async (_what, script, reason) => {
    here = await gitWorkspace(MAKE);
    here.inRun(script);
    const before = here.onHost(STATE.replace("; git status --porcelain", ""));
    expect(reasonsOf(await here.apply()).join()).toMatch(reason);
    expect(here.onHost(STATE.replace("; git status --porcelain", ""))).toBe(before);
    isWhole();
  });
});
