import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { workspacePaths } from "../../../src/sandbox/workspace/record.ts";
import { crashProgram, hasCompiler } from "../../support/crash/crash-at.ts";
import { rounds } from "../../support/extent.ts";
import { type GitWorkspace, gitWorkspace, reasonsOf } from "../../support/git-workspace.ts";
import { runsRootTests } from "../../support/root.ts";

const PROGRAM = join(import.meta.dirname, "../../support/programs/rebase-changes.ts");
const MAKE =
  "git init -q; git config user.name A; git config user.email a@example.com; printf '1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n' > a; echo b > b; echo c > c; printf '*.log\\n' > .gitignore; git add .; git commit -qm one";

let here: GitWorkspace;
afterEach(async () => {
  await here.remove();
});

async function rebase() {
  const review = await here.review();
  try {
    return await review.rebase();
  } finally {
    await review.close();
  }
}

async function looked(): Promise<{ readonly listed: readonly string[]; readonly diff: string }> {
  const review = await here.review();
  const listed = (await review.flagged())
    .filter(({ path }) => !path.startsWith(".git/"))
    .map(({ kind, path, flags }) => [kind, path, ...flags.map((flag) => flag.kind)].join(" "));
  const diff = await review.diff(100_000);
  await review.close();
  return { listed, diff };
}

const RUN =
  "sed -i s/^2/two/ a; git commit -qam run-a; echo n > n; git add n; git commit -qm run-n; sed -i s/^3/three/ a; echo left > left.txt; echo l > x.log; git tag t";
const HOST = "sed -i s/^8/eight/ a; echo b2 > b; echo h > h; git add .; git commit -qm host";

describe.runIf(runsRootTests)("a run that is brought onto where its branch is now", () => {
  test("lands there: its commits, and what it left uncommitted, each against the new beginning", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun(RUN);
    here.onHost(HOST);
    expect((await looked()).listed).toContainEqual(expect.stringMatching(/^modified a .*conflict/u));
    const before = here.onHost("git rev-parse HEAD; git status --porcelain; git for-each-ref; find .git -type f | sort | xargs sha256sum");
    expect(await rebase()).toMatchObject({ kind: "rebased", branch: "refs/heads/main", commits: 2, onto: here.onHost("git rev-parse HEAD").trim() });
    // Nothing of the person's moved.
    expect(here.onHost("git rev-parse HEAD; git status --porcelain; git for-each-ref; find .git -type f | sort | xargs sha256sum")).toBe(before);
    const { listed, diff } = await looked();
    expect(listed.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual(["modified a", "added left.txt", "added n", "added x.log"]);
    expect(listed.join(" ")).not.toContain("conflict");
    expect(diff).toMatch(/-2\n-3\n\+two\n\+three\n/u);
    expect(diff).not.toMatch(/eight\n[^]*-8|^-h$/mu);
    expect(diff).toMatch(/refs\/heads\/main: [0-9a-f]{12} → [0-9a-f]{12}, 2 files differ\n {4}[0-9a-f]{7} run-n\n {4}[0-9a-f]{7} run-a\n {4}M a\n {4}A n\n/u);
    const report = await here.apply();
    expect(reasonsOf(report)).toEqual([]);
    expect(here.onHost("git log --format=%s:%an; git status --porcelain; git fsck --strict --no-dangling 2>&1; cat a")).toBe(
      "run-n:A\nrun-a:A\nhost:A\none:A\n M a\n?? left.txt\n1\ntwo\nthree\n4\n5\n6\n7\neight\n9\n",
    );
    // A tag is where the run put it.
    expect(here.onHost("git log -1 --format=%s t; git diff --name-only HEAD~2 HEAD; cat x.log").trim()).toBe("run-n\na\nn\nl");
  });

  test("lands with its index also when its commits are on a branch here already", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun(RUN);
    here.onHost(HOST);
    await rebase();
    const review = await here.review();
    await review.branch({ mayWrite: () => null, branch: "warder/x", trailers: ["Warder-Run: x"] });
    await review.close();
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost("git log --format=%s; git status --porcelain")).toBe("run-n\nrun-a\nhost\none\n M a\n?? left.txt\n");
  });

  test("is as it was where something conflicts, and the conflict is named by its commit", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun("sed -i s/^2/two/ a; git commit -qam $'run\\033[2J-a'; echo left > c");
    here.onHost("sed -i s/^2/zwei/ a; git commit -qam host");
    const before = await looked();
    expect(await rebase()).toEqual({ kind: "conflicts", conflicts: [{ what: expect.stringMatching(/^[0-9a-f]{7} run\\u\{1b\}\[2J-a$/u), paths: ["a"] }] });
    expect(await looked()).toEqual(before);
    here.onHost("git reset -q --hard HEAD~1; echo other > c; git commit -qam other");
    expect(await rebase()).toEqual({ kind: "conflicts", conflicts: [{ what: "what the run left uncommitted", paths: ["c"] }] });
    expect(existsSync(`${workspacePaths(here.runDirectory).rebase}.new`)).toBe(false);
  });

  test("writes over nothing that somebody did not commit", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun("sed -i s/^2/two/ a; echo new > new");
    here.onHost("sed -i s/^8/eight/ a; git commit -qam host; sed -i s/^9/nine/ a");
    await expect(rebase()).rejects.toThrow(/a has changes of yours that are not committed/u);
    here.onHost("git commit -qam more; echo mine > new");
    await expect(rebase()).rejects.toThrow(/new has changes of yours that are not committed/u);
    here.onHost("rm new; git checkout -q -b side");
    await expect(rebase()).rejects.toThrow(/refs\/heads\/side is checked out now/u);
    here.onHost("git checkout -q main");
    expect(await rebase()).toMatchObject({ kind: "rebased", commits: 0 });
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost("cat a new; git status --porcelain")).toBe("1\ntwo\n3\n4\n5\n6\n7\neight\nnine\nnew\n M a\n?? new\n");
  });

  test("starts no program that the run or an attribute names", async () => {
    here = await gitWorkspace(`${MAKE}; mkdir ../marks`);
    const mark = join(here.workspace, "..", "marks");
    const evil = (name: string): string => `touch ${mark}/${name}; false`;
    here.inRun(`echo '* merge=evil filter=evil diff=evil' > .gitattributes; git add .gitattributes
      for key in merge.evil.driver filter.evil.clean filter.evil.smudge diff.evil.command diff.evil.textconv core.fsmonitor core.sshCommand; do git config $key '${evil("run")}'; done
      mkdir -p .git/hooks; for h in pre-commit post-rewrite reference-transaction post-checkout pre-rebase; do printf '#!/bin/sh\\n${evil("hook")}\\n' > .git/hooks/$h; chmod +x .git/hooks/$h; done
      git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c filter.evil.clean=cat -c merge.evil.driver=true commit -qm attributes; sed -i s/^2/two/ a; git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c filter.evil.clean=cat commit -qam a`);
    execFileSync("sh", ["-c", `rm -f ${mark}/*`]);
    here.onHost(
      `sed -i s/^8/eight/ a; git commit -qam host; for key in merge.evil.driver filter.evil.clean filter.evil.smudge; do git config $key '${evil("host")}'; done`,
    );
    expect(await rebase()).toMatchObject({ kind: "rebased", commits: 2 });
    expect(readdirSync(mark)).toEqual([]);
  });

  test("is not rebased over merges, a switched HEAD or a submodule of another commit, and says so", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun(
      "git checkout -q -b other; echo o > o; git add o; git commit -qm o; git checkout -q main; echo m > m; git add m; git commit -qm m; git merge -q --no-edit other",
    );
    await expect(rebase()).rejects.toThrow(/is where it was when the run began: there is nothing to rebase/u);
    here.onHost("echo h > h; git add h; git commit -qm host");
    await expect(rebase()).rejects.toThrow(/merges or begins a history/u);
    await here.remove();
    // What only its index holds would be lost.
    here = await gitWorkspace(MAKE);
    here.inRun("echo staged > b; git add b; git show HEAD:b > b; touch x");
    here.onHost("echo h > h; git add h; git commit -qm host");
    await expect(rebase()).rejects.toThrow(/b would have to change/u);
  });

  test.runIf(hasCompiler || process.env["REQUIRE_DOCKER"] === "1")("is as it was or rebased, whatever step it is killed before", async () => {
    const crash = crashProgram();
    let steps = 0;
    const points = rounds(3, 24);
    const seen = new Set<string>();
    for (let point = 0; point <= points; point += 1) {
      here = await gitWorkspace(MAKE);
      here.inRun(RUN);
      here.onHost(HOST);
      const before = await looked();
      // Not killed at first, then before the first step, and before later ones, the same each time.
      const step = point === 0 ? 0 : 1 + Math.floor((steps * (point - 1)) / points);
      const crashed = await crash(step, here.runDirectory, [process.execPath, PROGRAM, here.runDirectory]);
      expect(crashed.isKilled, crashed.complaint).toBe(point > 0);
      if (point === 0) steps = crashed.steps;
      const after = await looked();
      const isRebased = !after.listed.join(" ").includes("conflict");
      seen.add(isRebased ? "rebased" : "as it was");
      const outcome = isRebased
        ? [
            reasonsOf(await here.apply()).filter((reason) => !reason.startsWith("A write that was interrupted left it")),
            here.onHost("git log --format=%s; git status --porcelain; git fsck --strict --no-dangling 2>&1"),
          ]
        : after;
      expect(outcome).toEqual(isRebased ? [[], "run-n\nrun-a\nhost\none\n M a\n?? left.txt\n"] : before);
      const { rebase: directory } = workspacePaths(here.runDirectory);
      expect([existsSync(directory), existsSync(`${directory}.new`)]).toEqual([false, false]);
      if (point < points) await here.remove();
    }
    expect([...seen].toSorted()).toEqual(["as it was", "rebased"]);
  });

  test("that counted and was not ended is ended by whoever opens it next", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun(RUN);
    here.onHost(HOST);
    const { rebase: directory, manifest, beginnings } = workspacePaths(here.runDirectory);
    const prepare = (): void => {
      mkdirSync(`${directory}.new/files`, { recursive: true });
      writeFileSync(`${directory}.new/records.json`, '[["remove","left.txt","any"]]');
    };
    prepare();
    // One that did not count yet.
    expect((await looked()).diff).toContain("+left");
    prepare();
    copyFileSync(manifest, `${directory}.new/manifest.json`);
    copyFileSync(beginnings, `${directory}.new/repositories.json`);
    renameSync(`${directory}.new`, directory);
    expect((await looked()).diff).not.toContain("+left");
    expect(existsSync(directory)).toBe(false);
  });
});
