import { afterEach, describe, expect, test } from "vitest";
import { type GitWorkspace, gitWorkspace, reasonsOf } from "../../support/git-workspace.ts";
import { runsRootTests } from "../../support/root.ts";

const MAKE = "git init -q; echo a > a; git add .; git commit -qm one; git branch side; echo b > b; git add b; git commit -qm two";

let here: GitWorkspace;
afterEach(async () => {
  await here.remove();
});

/** What a review says of refs, as a person reads it. */
async function shown(): Promise<string> {
  const review = await here.review();
  const text = (await review.flagged()).flatMap(({ refs = [] }) => refs.flatMap((ref) => Object.values(ref).flat())).join("\n");
  await review.close();
  return text;
}

const KEPT = "git for-each-ref --format='%(contents:subject)' refs/warder";

describe.runIf(runsRootTests)("a commit that only the run's logs name", () => {
  test.each([
    ["was reset", "echo c > c; git add c; git commit -qm lost; git reset -q --hard HEAD~1", ["lost"]],
    [
      "lay on a branch that was deleted",
      "git checkout -qb work; echo c > c; git add c; git commit -qm lost; git checkout -q main; git branch -qD work",
      ["lost"],
    ],
    ["is an older stash", "echo 1 > a; git stash -qm lost; echo 2 > a; git stash -qm newest", ["On main: lost"]],
    ["was made without a branch", "git checkout -q --detach; echo c > c; git add c; git commit -qm lost; git checkout -q main", ["lost"]],
    ["is the last of several", "for n in 1 2 3; do echo $n > n; git add n; git commit -qm lost$n; done; git reset -q --hard HEAD~3", ["lost3"]],
  ])("%s: it is shown, lands under a name of its own, and is there afterwards", async (_what, script, subjects) => {
    here = await gitWorkspace(MAKE);
    here.inRun(script);
    expect(await shown()).toMatch(/refs\/warder\/dropped\/[0-9a-f]{12}: nothing → [0-9a-f]{12}/u);
    expect(reasonsOf(await here.apply())).toEqual([]);
    here.onHost("git reflog expire --expire=now --all; git gc -q --prune=now; git fsck --strict");
    expect(here.onHost(KEPT).trim().split("\n")).toEqual(subjects);
  });

  test.each([
    ["amended", "echo c > c; git add c; git commit -qm replaced; echo d > d; git add d; git commit -q --amend -m better"],
    ["rebased", "git checkout -q side; echo c > c; git add c; git commit -qm replaced; git rebase -q main"],
    ["made one with others", "for n in 1 2 3; do echo $n > n; git add n; git commit -qm replaced; done; git reset -q --soft HEAD~3; git commit -qm all"],
    ["undone by the next one", "echo c > c; git add c; git commit -qm x; git rm -q c; git commit -qm replaced; git reset -q --hard HEAD~2"],
  ])("was %s: it is named in the review, and not kept", async (_what, script) => {
    here = await gitWorkspace(MAKE);
    here.inRun(script);
    expect(await shown()).toMatch(/in no ref, as others took their place: \d commits?\n[0-9a-f]{12} replaced/u);
    for (const reason of reasonsOf(await here.apply())) expect(reason).toMatch(/AUTO_MERGE steers/u);
    expect(here.onHost(KEPT)).toBe("");
  });

  test("keeps the run from being forgotten where nothing of it lands", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun("echo c > c; git add c; git commit -qm lost; git reset -q --hard HEAD~1");
    here.onHost("GIT_SEQUENCE_EDITOR='sed -i s/pick/edit/' git rebase -q -i HEAD~1 2> /dev/null");
    expect(reasonsOf(await here.apply()).join()).toMatch(/rebase is under way/u);
    expect(await shown()).toMatch(/refs\/warder\/dropped\//u);
    expect(here.onHost(KEPT)).toBe("");
  });
});

describe.runIf(runsRootTests)("what a review shows of refs", () => {
  // No command of git is under way then.
  const conflict = "echo z > a; git stash -q; echo y > a; git commit -qam mine; git stash pop > /dev/null 2>&1 || true";

  test.each([
    ["of the run", "inRun", "In the run"],
    ["of the person", "onHost", "The index has conflicts"],
  ] as const)("is all of them, also where the index %s has conflicts", async (_whose, side, said) => {
    here = await gitWorkspace(MAKE);
    here.inRun("git checkout -qb work; git commit -q --allow-empty -m made; git checkout -q main");
    here[side](conflict);
    expect(await shown()).toMatch(/refs\/heads\/work: nothing → [0-9a-f]{12}/u);
    const before = here.onHost("git for-each-ref");
    expect(reasonsOf(await here.apply()).join()).toContain(said);
    expect(here.onHost("git for-each-ref")).toBe(before);
  });

  test("is no move that the person made, whether the run saw it or not", async () => {
    here = await gitWorkspace(`${MAKE}; git branch packed; git pack-refs --all; git branch loose`);
    here.inRun("git branch -qD packed; git tag v1");
    // What had a file of its own is in the person's list now, and not in the one that the run wrote.
    here.onHost("git branch -f side main; git pack-refs --all");
    expect([...(await shown()).matchAll(/(refs\/\S+): \S+ →/gu)].map(([, name = ""]) => name).toSorted()).toEqual(["refs/heads/packed", "refs/tags/v1"]);
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost("git for-each-ref --format='%(refname)'; git rev-parse side main | uniq | wc -l")).toBe(
      "refs/heads/loose\nrefs/heads/main\nrefs/heads/side\nrefs/tags/v1\n1\n",
    );
  });
});
