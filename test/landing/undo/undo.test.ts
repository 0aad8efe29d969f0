import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { reapRuns } from "../../../src/sandbox/reap.ts";
import { readRecord, workspacePaths } from "../../../src/sandbox/workspace/record.ts";
import { openUndo, type UndoReport } from "../../../src/landing/undo/undo.ts";
import { type GitWorkspace, gitWorkspace } from "../../support/git-workspace.ts";
import { runsRootTests } from "../../support/root.ts";
import { CHANGE, FACTS, FILES, undoIn } from "../../support/undo-workspace.ts";
import { once } from "../../support/until.ts";

let here: GitWorkspace;
afterEach(async () => {
  await here.remove();
});

const at = (path: string): string => `${here.workspace}/${path}`;
const land = (paths: readonly string[] = []): Promise<unknown> => here.apply(paths);

const undo = (paths: readonly string[] = []): Promise<UndoReport> => undoIn(here.runDirectory, paths);

describe.runIf(runsRootTests)("a landing is taken back", () => {
  test("with files, modes, lists, attributes, links and what was deleted, and waits for a review again", async () => {
    here = await gitWorkspace(FILES);
    const before = here.onHost(FACTS);
    here.inRun(CHANGE);
    await here.end();
    await land();
    const landed = here.onHost(FACTS);
    expect([landed === before, readRecord(here.runDirectory)?.state]).toEqual([false, "discarded"]);
    expect((await undo()).refused).toEqual([]);
    expect([here.onHost(FACTS), readRecord(here.runDirectory)?.state]).toEqual([before, "closed"]);
    await land();
    expect(here.onHost(FACTS)).toBe(landed);
  });

  test("what a run wrote is as new as its undo: make builds it again", async () => {
    here = await gitWorkspace("echo old > a; touch -d 2001-01-01 a");
    here.inRun("echo new > a");
    await land();
    const landedMs = statSync(at("a")).mtimeMs;
    await undo();
    expect(statSync(at("a")).mtimeMs).toBeGreaterThanOrEqual(landedMs);
  });

  test("a part of it, and then the rest", async () => {
    here = await gitWorkspace(FILES);
    const before = here.onHost(FACTS);
    here.inRun(CHANGE);
    await land();
    const first = await undo(["n", "d/e/x", "a"]);
    expect(first.applied.map(({ path }) => path)).toEqual(["a", "d", "d/e", "d/e/x", "n", "n/m", "n/m/f"]);
    expect([existsSync(at("n")), readFileSync(at("a"), "utf8"), existsSync(at("gone"))]).toEqual([false, "old\n", false]);
    await undo();
    expect(here.onHost(FACTS)).toBe(before);
  });

  test("of several the last comes first", async () => {
    here = await gitWorkspace("echo 1 > a; echo 1 > b; echo 1 > c");
    here.inRun("echo 2 > a; echo 2 > b; echo 2 > c");
    await land(["a"]);
    await land(["b"]);
    const review = await here.review();
    await review.discard();
    const steps: unknown[] = [];
    for (let step = 0; step < 3; step += 1) steps.push([(await undo()).what, here.onHost("cat a b")]);
    expect(steps).toEqual([
      ["discard", "2\n2\n"],
      ["landing", "2\n1\n"],
      ["landing", "1\n1\n"],
    ]);
    expect(await openUndo(here.runDirectory)).toBeNull();
  });

  test.each([
    ["somebody changed it", "echo mine > a", "Conflict: somebody changed it since it landed"],
    ["somebody removed it", "rm a", "Conflict: somebody removed it since it landed"],
    ["somebody put something in a directory that came", "echo mine > n/mine", "Conflict: somebody put something there since it landed"],
    ["somebody put something where it deleted", "echo mine > gone", "Conflict: somebody put something there since it landed"],
    ["its directory is a link now", "mkdir -p ../away; mv n ../away/; ln -s ../away/n n", "since it landed"],
  ])("not where %s: nothing is, and it is said", async (_what, script, reason) => {
    here = await gitWorkspace("echo old > a; echo gone > gone; echo b > b");
    here.inRun("echo new > a; echo new > b; rm gone; mkdir n; echo n > n/f");
    await land();
    here.onHost(script);
    const landed = here.onHost(FACTS);
    const { applied, refused } = await undo();
    expect([applied, refused.map((each) => each.reason).join("; ")]).toEqual([[], expect.stringContaining(reason)]);
    expect(here.onHost(FACTS)).toBe(landed);
    expect((await undo(["b"])).refused).toEqual([]);
    expect(readFileSync(at("b"), "utf8")).toBe("b\n");
  });

  test("with commits, staged files and HEAD, by git's hand", async () => {
    here = await gitWorkspace("git init -q; echo a > a; git add a; git commit -qm one; git branch gone; echo s > s; git add s");
    const before = here.onHost(FACTS);
    here.inRun("git checkout -qb work; echo b > b; git add b; git commit -qm two; git branch -D gone; git tag t; echo c > c; git add c");
    await land();
    const landed = here.onHost(FACTS);
    expect(landed).toContain("refs/heads/work");
    const { refused } = await undo();
    expect(refused).toEqual([]);
    expect(here.onHost(FACTS)).toBe(before);
    here.onHost("git fsck --strict --no-dangling");
    await land();
    expect(here.onHost(FACTS)).toBe(landed);
  });

  test.each([
    ["the branch was moved", "git commit -qm mine --allow-empty", "refs/heads/main was moved since it landed"],
    ["the same file was staged otherwise", "echo other > b; git add b", "b was staged otherwise since it landed"],
    ["another branch is checked out", "git checkout -qb other", "HEAD is other now, and was main when it landed"],
    ["a merge is under way", "git rev-parse HEAD > .git/MERGE_HEAD", "a merge is under way"],
    ["a lock is held", "touch .git/index.lock", "index.lock"],
  ])("not where %s", async (_what, script, reason) => {
    here = await gitWorkspace("git init -q; echo a > a; git add a; git commit -qm one");
    here.inRun("echo b > b; git add b; git commit -qm two; echo c > c; git add c");
    await land();
    here.onHost(script);
    const landed = here.onHost("git for-each-ref; git ls-files -s; ls");
    const { applied, refused } = await undo();
    expect([applied, refused.map((each) => each.reason).join("; ")]).toEqual([[], expect.stringContaining(reason)]);
    expect(here.onHost("git for-each-ref; git ls-files -s; ls")).toBe(landed);
  });

  test.each([
    ["to check out again", "git branch -f main $(git commit-tree -p main -m mine side^{tree})", "main, which was"],
    ["that is checked out", "echo mine > a; git commit -qam mine", "side, which is"],
  ])("not where the branch %s was moved", async (_what, script, said) => {
    here = await gitWorkspace("git init -q; echo a > a; git add a; git commit -qm one; git branch side; echo b > b; git add b; git commit -qm two");
    here.inRun("git checkout -q side");
    await land();
    here.onHost(script);
    const landed = here.onHost("git for-each-ref; git symbolic-ref HEAD; git ls-files -s");
    expect((await undo()).refused.map(({ reason }) => reason).join()).toContain(`${said} checked out, was moved since it landed`);
    expect(here.onHost("git for-each-ref; git symbolic-ref HEAD; git ls-files -s")).toBe(landed);
  });

  test("a branch goes if it is where it was left, and is not checked out", async () => {
    here = await gitWorkspace("git init -q; git config user.name A; git config user.email a@example.com; echo a > a; git add a; git commit -qm one");
    here.inRun("echo b > b; git add b; git commit -qm two; echo c > c");
    const branch = async (): Promise<void> => {
      const review = await here.review();
      await review.branch({ mayWrite: () => null, branch: "left", trailers: [] });
      await review.close();
    };
    await branch();
    here.onHost("git checkout -q left");
    expect((await undo()).refused[0]?.reason).toContain("refs/heads/left is checked out");
    here.onHost("git commit -qm mine --allow-empty; git checkout -q main");
    expect((await undo()).refused[0]?.reason).toContain("refs/heads/left was moved since it landed");
    here.onHost("git branch -f left left~1");
    expect((await undo()).what).toBe("branch");
    expect(here.onHost("git branch --format='%(refname)'")).toBe("refs/heads/main\n");
  });

  test("not out of the workspace: what was kept is readable by its owner alone, and is checked", async () => {
    here = await gitWorkspace("echo old > a; echo secret > b; chmod 644 b");
    here.inRun("echo new > a; echo new > b");
    await land();
    const { undo: directory } = workspacePaths(here.runDirectory);
    expect([directory, join(directory, "1"), join(directory, "1/files")].map((path) => statSync(path).mode & 0o077)).toEqual([0, 0, 0]);
    appendFileSync(join(directory, "1/files/a"), "tampered");
    rmSync(join(directory, "1/files/b"));
    const { refused } = await undo();
    expect(refused.map(({ reason }) => reason)).toEqual([expect.stringContaining("damaged"), expect.stringContaining("not kept")]);
    expect(here.onHost("cat a b")).toBe("new\nnew\n");
  });

  test("a discard, for a day, and a landing, for a week; then what was kept is removed", async () => {
    here = await gitWorkspace("echo old > a; echo old > b");
    here.inRun("echo new > a; echo new > b");
    await land(["a"]);
    await (await here.review()).discard();
    const paths = workspacePaths(here.runDirectory);
    const age = (number: number, days: number): void => {
      const file = join(paths.undo, String(number), "journal");
      const text = readFileSync(file, "utf8");
      writeFileSync(file, text.replace(/"atMs":\d+/u, `"atMs":${String(Date.now() - days * 86_400_000)}`));
    };
    age(2, 1.1);
    const state = join(here.runDirectory, "../..");
    await reapRuns(state);
    expect([existsSync(join(paths.undo, "1")), existsSync(join(paths.undo, "2")), existsSync(paths.layers)]).toEqual([true, false, true]);
    age(1, 7.1);
    expect(await openUndo(here.runDirectory)).toBeNull();
    await reapRuns(state);
    expect([existsSync(paths.undo), existsSync(paths.layers), existsSync(paths.manifest)]).toEqual([false, false, false]);
  });

  test("by one of two that come at once", async () => {
    here = await gitWorkspace("for i in $(seq 100); do echo old > $i; done");
    const before = here.onHost(FACTS);
    here.inRun("for i in $(seq 100); do echo new > $i; done");
    await land();
    const program = join(import.meta.dirname, "../../support/programs/undo-changes.ts");
    const ends = await Promise.all(
      [0, 1, 2].map(async () => {
        const child = spawn(process.execPath, [program, here.runDirectory], { stdio: ["ignore", "ignore", "pipe"] });
        let complaint = "";
        child.stderr.on("data", (part: Buffer) => (complaint += part.toString()));
        const [status] = (await once(child, "close")) as [number | null];
        return status === 0 ? "done" : complaint;
      }),
    );
    expect(ends).toContain("done");
    for (const end of ends) expect(end).toMatch(/^done$|works with this run|nothing to take back/u);
    expect(here.onHost(FACTS)).toBe(before);
  });
});
