import { afterEach, describe, expect, test } from "vitest";
import { type GitWorkspace, gitWorkspace, reasonsOf } from "../../support/git-workspace.ts";
import { runsRootTests } from "../../support/root.ts";

const MAKE =
  "git init -q; echo a > a; git add .; git commit -qm one; git branch side; git branch d/x; git tag v1; git tag v2; echo b > b; git add b; git commit -qm two";
const PACK = "git pack-refs --all";
const COMMIT = "echo c > c; git add c; git commit -qm three";

let here: GitWorkspace;
afterEach(async () => {
  await here.remove();
});

/** Names of the refs that a review lists as moved. */
async function moved(): Promise<readonly string[]> {
  const review = await here.review();
  const text = (await review.flagged()).flatMap(({ refs = [] }) => refs.map(({ summary }) => summary)).join("\n");
  await review.close();
  return [...text.matchAll(/^(refs\/\S+): /gmu)].map(([, name = ""]) => name).toSorted();
}

describe.runIf(runsRootTests)("refs that the person packs while a run works", () => {
  test.each([
    ["renamed the branch", "git branch -m renamed", ["refs/heads/main", "refs/heads/renamed"]],
    ["removed a branch, and its directory", "git branch -qD d/x; git tag new", ["refs/heads/d/x", "refs/tags/new"]],
    ["removed a branch, and made another in its directory", "git branch -qD d/x; git branch d/y; git pack-refs --no-all", ["refs/heads/d/x", "refs/heads/d/y"]],
    ["removed a tag, and nothing else", "git update-ref -d refs/tags/v1", ["refs/tags/v1"]],
    ["committed, and packed them, too", `${COMMIT}; ${PACK}`, ["refs/heads/main"]],
    ["packed them alike, and made a tag", `${PACK}; git tag new`, ["refs/tags/new"]],
    ["packed them alike, and committed", `${PACK}; ${COMMIT}`, ["refs/heads/main"]],
    ["packed them, and removed one", `${PACK}; git branch -qD side`, ["refs/heads/side"]],
  ])("are as the run left them where it %s", async (_what, script, names) => {
    here = await gitWorkspace(MAKE);
    here.inRun(script);
    const wanted = here.inRun("git for-each-ref; git symbolic-ref HEAD");
    here.onHost(PACK);
    expect(await moved()).toEqual(names);
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost("git for-each-ref; git symbolic-ref HEAD")).toBe(wanted);
    await expect(here.review()).rejects.toThrow("There are no changes.");
  });

  test("are gone where a directory of others took their place", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun("git branch -qD side; git branch side/x");
    here.onHost(PACK);
    expect(await moved()).toEqual(["refs/heads/side", "refs/heads/side/x"]);
    // In one transaction git makes no directory of a ref.
    expect(reasonsOf(await here.apply())).toEqual([expect.stringContaining("cannot create 'refs/heads/side/x'")]);
  });

  test.each([
    ["all", "mv .git/refs r; ln -s ../r .git/refs"],
    ["one directory", "mv .git/refs/heads r; ln -s ../../r .git/refs/heads"],
  ])("stay where the run put a link in the place of %s", async (_what, script) => {
    here = await gitWorkspace(MAKE);
    here.inRun(`${COMMIT}; ${script}`);
    here.onHost(PACK);
    const before = here.onHost("git for-each-ref");
    const reasons = reasonsOf(await here.apply());
    expect(here.onHost("git for-each-ref")).toBe(before);
    expect(reasons).toContainEqual(expect.stringContaining("is no directory any more"));
  });

  test("are the person's where these moved them afterwards, and the run only packed them", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun(`${PACK}; git tag new`);
    here.onHost(`${PACK}; ${COMMIT}; git branch -f side; git branch -qD d/x`);
    const before = here.onHost("git for-each-ref");
    expect(await moved()).toEqual(["refs/tags/new"]);
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost("git tag -d new > /dev/null; git for-each-ref")).toBe(before);
  });
});
