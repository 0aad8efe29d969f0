import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { workspacePaths } from "../../../src/sandbox/workspace/record.ts";
import { type GitWorkspace, gitWorkspace, reasonsOf } from "../../support/git-workspace.ts";
import { letGoOf } from "../../support/git-locks.ts";
import { hasReftable } from "../../support/reftable.ts";
import { runsRootTests } from "../../support/root.ts";

const FILES = "echo a > a; echo b > b; git add .; git commit -qm one; git branch side";
const MAKE = `git init -q --ref-format=reftable; ${FILES}`;
const STATE = "git for-each-ref; git symbolic-ref -q HEAD || git rev-parse HEAD; git ls-files -s";
const COMMIT = "echo c > c; git add c; git commit -qm two";

let here: GitWorkspace;
afterEach(async () => {
  await here.remove();
});

/** What a review says of refs. */
async function shown(): Promise<string> {
  const review = await here.review();
  const text = (await review.flagged()).flatMap(({ refs = [] }) => refs.flatMap((ref) => Object.values(ref).flat())).join("\n");
  await review.close();
  return text;
}

describe.runIf(runsRootTests && hasReftable)("with git 2.45 or newer, a repository whose refs lie in tables", () => {
  test.each([
    ["a commit and a branch", `${COMMIT}; git branch more`],
    ["another branch that is checked out, and no commit", "git symbolic-ref HEAD refs/heads/side"],
    ["a branch that goes, a tag and packed tables", `git branch -qD side; git tag -a v1 -m v1; ${COMMIT}; git pack-refs --all; git gc -q`],
    ["no branch", `git checkout -q --detach; ${COMMIT}`],
  ])("lands as any other: %s", async (_what, script) => {
    here = await gitWorkspace(MAKE);
    here.inRun(script);
    const wanted = here.inRun(STATE);
    expect(await shown()).not.toBe("");
    expect(reasonsOf(await here.apply()).filter((reason) => !/steers git|only added|anew|name already|Its directory/u.test(reason))).toEqual([]);
    expect(here.onHost(STATE)).toBe(wanted);
    expect(here.onHost("git fsck --strict --no-dangling 2>&1")).toBe("");
  });

  test("is what it was when the run began, whatever git made of its tables since", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun("git branch more; echo x > x");
    here.onHost("for n in $(seq 9); do git branch theirs-$n; done; git branch -f side $(git commit-tree -p HEAD -m theirs HEAD^{tree}); git pack-refs --all");
    expect([...(await shown()).matchAll(/(refs\/\S+): \S+ →/gu)].map(([, name]) => name)).toEqual(["refs/heads/more"]);
    const before = here.onHost("git for-each-ref --exclude=refs/heads/more");
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect([here.onHost("git for-each-ref --exclude=refs/heads/more"), here.onHost("git rev-parse more main | uniq | wc -l")]).toEqual([before, "1\n"]);
  });

  test("a commit that only its log names is shown, and kept", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun(`${COMMIT}; git reset -q --hard HEAD~1`);
    expect(await shown()).toMatch(/refs\/warder\/dropped\/[0-9a-f]{12}: nothing → [0-9a-f]{12}/u);
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost("git for-each-ref --format='%(contents:subject)' refs/warder")).toBe("two\n");
  });

  test("nothing of it lands where the run's list of tables names a pipe, and a review does not wait for it", async () => {
    here = await gitWorkspace(MAKE);
    const { check, upper } = workspacePaths(here.runDirectory);
    here.inRun(`git branch more; mkfifo f; echo ${relative(join(check, "reftable"), join(upper, "f"))} >> .git/reftable/tables.list`);
    const before = here.onHost(STATE);
    expect(reasonsOf(await here.apply()).join()).toContain(".git/reftable/tables.list names what is no table.");
    expect(here.onHost(STATE)).toBe(before);
  });

  test("nothing of it lands while somebody's git holds its tables", async () => {
    here = await gitWorkspace(MAKE);
    here.inRun(COMMIT);
    const before = here.onHost(STATE);
    here.onHost("touch .git/reftable/tables.list.lock");
    expect(reasonsOf(await here.apply()).join()).toMatch(
      /git does not move the refs: .* one that was killed has left it\..*rm '\.git\/reftable\/tables\.list\.lock'$/u,
    );
    here.onHost("rm .git/reftable/tables.list.lock");
    expect(here.onHost(STATE)).toBe(before);
    expect(reasonsOf(await here.apply())).toEqual([]);
    expect(here.onHost("git log -1 --format=%s")).toBe("two\n");
  });

  test("gets its branch as soon as somebody's git lets go of its tables", async () => {
    here = await gitWorkspace(`${MAKE}; git config user.name A; git config user.email a@example.com`);
    here.inRun(COMMIT);
    here.onHost("touch .git/reftable/tables.list.lock");
    await here.end();
    const review = await here.review();
    const made = review.branch({ mayWrite: () => null, branch: "warder/x", trailers: [] });
    await letGoOf(here.workspace, ".git/reftable/tables.list.lock");
    expect((await made).branch).toBe("warder/x");
    await review.close();
    expect(here.onHost("git log -1 --format=%s warder/x")).toBe("two\n");
  });
});

describe.runIf(runsRootTests && !hasReftable)("with a git before 2.45, a repository whose refs lie in tables", () => {
  test("is left alone, and that is said, where git does not know them", async () => {
    here = await gitWorkspace(`git init -q; ${FILES}; git config core.repositoryformatversion 1; git config extensions.refstorage reftable`);
    here.inRun("echo x > x; cp .git/refs/heads/main .git/refs/heads/made");
    const review = await here.review();
    const said = (await review.flagged()).flatMap(({ flags }) => flags.map(({ reason }) => reason)).join("\n");
    expect(said).toMatch(/could not be read: .*unknown repository extension/su);
    expect(reasonsOf(await review.apply({ mayWrite: () => null })).join()).toMatch(/unknown repository extension/u);
    await review.close();
    expect(readFileSync(join(here.workspace, "x"), "utf8")).toBe("x\n");
    expect(execFileSync("ls", [join(here.workspace, ".git/refs/heads")], { encoding: "utf8" })).toBe("main\nside\n");
  });
});
