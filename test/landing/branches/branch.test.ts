import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { readJournals } from "../../../src/sandbox/workspace/changes/journal.ts";
import { workspacePaths } from "../../../src/sandbox/workspace/record.ts";
import { type GitWorkspace, gitWorkspace } from "../../support/git-workspace.ts";
import { letGoOf } from "../../support/git-locks.ts";
import { runsRootTests } from "../../support/root.ts";

const MAKE =
  "git init -q; git config user.name A; git config user.email a@example.com; echo a > a; echo d > d; mkdir sub; echo s > sub/s; printf 'out/\\n*.log\\n' > .gitignore; git add .; git commit -qm one; git branch side; echo b > b; git add b; git commit -qm two";
const TRAILERS = ["Warder-Run: run-x", "Warder-Policy: p sha256:0"];

let here: GitWorkspace;
afterEach(async () => {
  await here.remove();
});

async function branch(name = "warder/x", mayWrite: (path: string) => string | null = () => null) {
  const review = await here.review();
  try {
    return await review.branch({ mayWrite, branch: name, trailers: TRAILERS });
  } finally {
    await review.close();
  }
}

const STATE = "git ls-files -s; cat .git/HEAD; git status --porcelain; git for-each-ref refs/heads/main refs/heads/side; git diff | sha256sum";

describe.runIf(runsRootTests)("a branch for what a run did", () => {
  test("holds its commits, and what it left in one more by the person, and touches nothing else", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun(
      "echo c > c; git add c; git commit -qm three; echo staged > d; git add d; echo more >> a; rm b; ln -s a l; printf 'x' > tool; chmod +x tool; rm -r sub; echo file > sub; mkdir out; echo o > out/o; echo l > x.log",
    );
    const before = here.onHost(STATE);
    const { commit, refused } = await branch();
    expect(here.onHost(STATE)).toBe(before);
    expect(here.onHost("git rev-parse warder/x").trim()).toBe(commit);
    expect(here.onHost("git log --format='%s|%an|%ae' warder/x")).toBe(
      `Left uncommitted by ${here.runDirectory.split("/").at(-1) ?? ""}|A|a@example.com\nthree|A|a@example.com\ntwo|A|a@example.com\none|A|a@example.com\n`,
    );
    expect(here.onHost("git log -1 --format='%(trailers)' warder/x").trim()).toBe(TRAILERS.join("\n"));
    expect(here.onHost("git diff --raw --no-renames main warder/x | cut -d' ' -f1,2,5")).toBe(
      [
        ":100644 100644 M\ta",
        ":100644 000000 D\tb",
        ":000000 100644 A\tc",
        ":100644 100644 M\td",
        ":000000 120000 A\tl",
        ":000000 100644 A\tsub",
        ":100644 000000 D\tsub/s",
        ":000000 100755 A\ttool",
        "",
      ].join("\n"),
    );
    expect(here.onHost("git show warder/x:d warder/x:a")).toBe("staged\na\nmore\n");
    expect(refused.map(({ change, reason }) => `${change.path}: ${reason}`)).toEqual([
      "out/o: The repository ignores it (.gitignore).",
      "x.log: The repository ignores it (.gitignore).",
    ]);
    here.onHost("git fsck --strict --no-dangling; git clone -q . ../clone -b warder/x; git -C ../clone fsck --strict");
  });

  test("begins where the run began, whatever somebody committed, reset or packed since", async () => {
    for (const meanwhile of [
      "echo theirs > a; echo t > t; git add .; git commit -qm theirs; git pack-refs --all",
      "git reset -q --hard HEAD~1; echo theirs > d; git commit -qam theirs",
      "git checkout -q -b elsewhere; echo theirs > a; git commit -qam theirs; git branch -D main -q",
    ]) {
      here = await gitWorkspace(MAKE);
      const began = here.onHost("git rev-parse HEAD").trim();
      here.inRun("echo run > a; echo n > n");
      here.onHost(meanwhile);
      await branch();
      expect(here.onHost("git rev-parse warder/x~1").trim()).toBe(began);
      expect(here.onHost("git diff --name-status warder/x~1 warder/x; git show warder/x:a")).toBe("M\ta\nA\tn\nrun\n");
      await here.remove();
    }
    here = await gitWorkspace(`${MAKE}; git branch gone $(git commit-tree -m gone HEAD^{tree})`);
    here.inRun("echo run > a");
    here.onHost("git branch -D gone -q; git reflog expire --expire=now --all; git gc -q --prune=now");
    await branch();
    expect(here.onHost("git diff --name-only warder/x~1 warder/x")).toBe("a\n");
    await here.remove();
    here = await gitWorkspace(MAKE);
    here.inRun("git update-ref refs/heads/new HEAD~1; echo run > a");
    here.onHost("echo theirs > d; git commit -qam theirs");
    await branch();
    expect(here.onHost("git diff --name-only warder/x~1 warder/x; git log -1 --format=%s warder/x~1")).toBe("a\ntwo\n");
  });

  test.each([
    ["committed on the same branch", "echo z > a; git commit -qam theirs"],
    ["switched the branch", "git switch -q side"],
    [
      "is in a merge with conflicts",
      "git checkout -q side; echo z > a; git commit -qam z; git checkout -q main; echo y > a; git commit -qam y; git merge side > /dev/null || true",
    ],
    ["is in a rebase", "GIT_SEQUENCE_EDITOR='sed -i s/pick/edit/' git rebase -q -i HEAD~1 2> /dev/null"],
    ["holds the index, HEAD and the branch", "touch .git/index.lock .git/HEAD.lock .git/refs/heads/main.lock"],
    ["changed the same file, and staged it", "echo mine > c; git add c; echo mine > a"],
    ["left the branch and deleted it", "git checkout -q --detach; git branch -qD main"],
  ])("is made also where the person %s", async (_what, script) => {
    here = await gitWorkspace(MAKE);
    here.inRun("echo c > c; git add c; git commit -qm three; echo more >> a");
    here.onHost(script);
    const before = here.onHost("git ls-files -s; cat .git/HEAD; git for-each-ref");
    await branch();
    expect(here.onHost("git ls-files -s; cat .git/HEAD; git for-each-ref | grep -v warder/x")).toBe(before);
    expect(here.onHost("git log -2 --format=%s warder/x | tail -1; git show warder/x:a")).toBe("three\na\nmore\n");
  });

  test.each([
    ["a merge", "git checkout -q side; echo z > a; git commit -qam z; git checkout -q main; echo y > a; git commit -qam y; git merge side > /dev/null || true"],
    ["a rebase", "GIT_SEQUENCE_EDITOR='sed -i s/pick/edit/' git rebase -q -i HEAD~1 2> /dev/null"],
    ["an index that is none", "echo nonsense > .git/index"],
    ["no commit, and everything staged", "echo z > z; git add -A"],
  ])("is made also of %s in the run", async (_what, script) => {
    here = await gitWorkspace(MAKE);
    here.inRun(`${script}; echo more > more`);
    await branch();
    expect(here.onHost("git show warder/x:more")).toBe("more\n");
    here.onHost("git fsck --strict --no-dangling");
  });

  test.each([
    ["moved its history back, and kept the files", "git reset -q --soft HEAD~1; echo more > more", "a b d more sub/s .gitignore"],
    ["left its history", "git checkout -q --orphan fresh; echo more > more", "a b d more sub/s .gitignore"],
    ["staged what is not on the disk", "git rm -q --cached b; echo x > x; git add x; rm x", "a d x sub/s .gitignore"],
    ["deleted what the person deleted, too", "rm a; echo more > more", "b d more sub/s .gitignore", "git rm -q a; git commit -qm theirs"],
    ["made a directory anew that the person deleted, too", "rm -r sub; mkdir sub; echo n > sub/n", "a b d sub/n .gitignore", "rm -r sub"],
    ["put HEAD where the person put it, too", "git symbolic-ref HEAD refs/heads/side", "a b d sub/s .gitignore", "git checkout -q side; echo t > t"],
    ["moved the branch as the person did", "git merge -q ahead", "a b c d sub/s .gitignore", "git merge -q ahead; echo t > t"],
  ])("holds all that the run left where it %s", async (_what, script, files, meanwhile = "") => {
    here = await gitWorkspace(`${MAKE}; git checkout -qb ahead; echo c > c; git add c; git commit -qm ahead; git checkout -q main`);
    here.inRun(script);
    const head = here.inRun("git rev-parse -q --verify HEAD || git rev-parse main").trim();
    here.onHost(meanwhile);
    await branch();
    if (!script.includes("--orphan")) here.onHost(`git merge-base --is-ancestor ${head} warder/x`);
    expect(here.onHost("git ls-tree -r --name-only warder/x").trim().split("\n").toSorted()).toEqual(files.split(" ").toSorted());
  });

  test("holds nothing that the person staged, and begins where the run began", async () => {
    here = await gitWorkspace(`${MAKE}; echo theirs > t; git add t`);
    here.inRun("echo more > more");
    here.onHost("git commit -qm theirs; git reset -q --hard HEAD~2");
    await branch();
    expect(here.onHost("git log --format=%s warder/x | tail -n +2; git ls-tree -r --name-only warder/x")).toBe("two\none\n.gitignore\na\nb\nd\nmore\nsub/s\n");
  });

  test("writes down which locks git holds for it, so that those of a killed one go", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun("echo more > more");
    await branch();
    const locks = readJournals(workspacePaths(here.runDirectory).undo).flatMap((journal) => journal.locks);
    expect(locks.map(({ path }) => path)).toEqual([join(here.workspace, ".git/refs/heads/warder/x.lock")]);
    await expect(branch()).rejects.toThrow(/does not make the branch/u);
    here.onHost("touch .git/refs/heads/warder/y.lock");
    await expect(branch("warder/y")).rejects.toThrow(/That was waited for, 5 s\. .* one that was killed has left it\..*rm '.*y\.lock'$/u);
  });

  test("waits for the lock of refs that somebody's git has for a moment", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun("echo more > more");
    here.onHost("mkdir -p .git/refs/heads/warder; touch .git/refs/heads/warder/x.lock");
    await here.end();
    const made = branch();
    await letGoOf(here.workspace, ".git/refs/heads/warder/x.lock");
    expect((await made).branch).toBe("warder/x");
  });

  test("begins where there was no commit", async () => {
    here = await gitWorkspace("git init -q; git config user.name A; git config user.email a@example.com; echo a > a");
    here.inRun("echo b > b");
    await branch();
    expect(here.onHost("git log --format=%s warder/x | wc -l; git ls-tree --name-only warder/x")).toBe("1\nb\n");
  });

  test("leaves out what may not land: what policy forbids, secrets, links that leave, another repository's files", async () => {
    here = await gitWorkspace(`${MAKE}; git init -q nested; cd nested; echo n > n; git add n; git commit -qm n`);
    here.inRun(`echo x > forbidden; ln -s /etc/passwd l; echo ghp_${"a1B2".repeat(9)} > token; echo more > nested/n; echo fine > fine`);
    const { refused, committed } = await branch("warder/x", (path) => (path.endsWith("/forbidden") ? "Forbidden." : null));
    expect(committed.map(({ path }) => path)).toEqual(["fine"]);
    expect(refused.map(({ change, reason }) => `${change.path}: ${reason.slice(0, 20)}`)).toEqual([
      "forbidden: Forbidden.",
      "l: The link points out ",
      "nested/n: It lies in another r",
      "token: It holds a GitHub to",
    ]);
  });

  test.each([
    ["a branch of this name is there", "side", "echo x > x", /does not make the branch/u],
    ["it is no name of a branch", "a..b", "echo x > x", /no name of a branch/u],
    ["a commit holds a secret", "warder/x", `echo ghp_${"a1B2".repeat(9)} > t; git add t; git commit -qm t`, /A commit holds a GitHub token/u],
    ["the run left nothing that may be committed", "warder/x", "echo l > x.log", /committed nothing/u],
  ])("is not made where %s", async (_what, name, script, reason) => {
    here = await gitWorkspace(MAKE);
    here.inRun(script);
    const before = here.onHost("git for-each-ref");
    await expect(branch(name)).rejects.toMatchObject({ code: "usage", message: expect.stringMatching(reason) });
    expect(here.onHost("git for-each-ref")).toBe(before);
  });
});
