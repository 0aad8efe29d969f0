import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { ApplyReport } from "../../../src/landing/files/report.ts";
import { engineWorkspace } from "../../support/engine-overlay.ts";
import type { OverlaidWorkspace } from "../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../support/root.ts";

const SECRET = "the-secret-of-this-test";
const FILES = { "a.txt": "alpha\n", ".env": SECRET, "deep/er/.env": SECRET, "deep/er/x": "x\n", "secrets/key": SECRET };
const GIT = "git -c user.name=A -c user.email=a@example.com -c init.defaultBranch=main -c safe.directory='*'";

let here: OverlaidWorkspace;
afterEach(async () => {
  await here.remove();
});

const shell = (directory: string, script: string): string =>
  execFileSync("bash", ["-ec", `git() { command ${GIT} "$@"; }; ${script}`], {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, HOME: "/nonexistent" },
  });
const inView = (script: string): string => shell(here.view, script);
const at = (path: string): string => `${here.workspace}/${path}`;

async function apply(): Promise<ApplyReport> {
  const review = await here.review();
  const report = await review.apply({ mayWrite: () => null });
  await review.close();
  return report;
}

async function listed(): Promise<readonly string[]> {
  const review = await here.review();
  const changes = review.list().map(({ kind, path }) => `${kind} ${path}`);
  await review.close();
  return changes;
}

describe.runIf(runsRootTests)("an overlay that the engine mounts", () => {
  test("has nothing of what is forbidden, whatever is renamed, linked or put in its place", async () => {
    here = await engineWorkspace(FILES);
    const script = `ls -A . deep/er; mv deep d; mv secrets s || true; mkdir secrets; ls -A d/er secrets; cat .env d/er/.env secrets/key || true; ln .env l || true; grep -rs ${SECRET} . || true`;
    const shown = inView(`{ ${script}; } 2>&1`);
    expect(shown).toContain("a.txt");
    expect(shown).not.toContain(SECRET);
    expect(shown.match(/No such file/gu)?.length).toBeGreaterThan(3);
  });

  test("shows what is put in a forbidden path's place as new, and nothing of what is there", async () => {
    here = await engineWorkspace(FILES);
    inView("echo mine > .env; mkdir secrets; echo mine > secrets/key; chmod 000 .env");
    const review = await here.review();
    expect(review.list().map(({ kind, path }) => `${kind} ${path}`)).toEqual(["added .env", "added secrets", "added secrets/key"]);
    expect(await review.diff(100_000)).not.toContain(SECRET);
    // Even where the policy is another one by then.
    expect((await review.apply({ mayWrite: () => null, paths: [".env", "secrets", "secrets/key"] })).applied).toEqual([]);
    await review.close();
    expect([readFileSync(at(".env"), "utf8"), readFileSync(at("secrets/key"), "utf8")]).toEqual([SECRET, SECRET]);
  });

  test("does not take a forbidden file away with the directory that a run removes", async () => {
    here = await engineWorkspace(FILES);
    inView("rm -r deep");
    expect(await listed()).toEqual(["deleted deep", "deleted deep/er", "deleted deep/er/x"]);
    expect((await apply()).applied).toEqual([]);
    expect([readFileSync(at("deep/er/.env"), "utf8"), existsSync(at("deep/er/x"))]).toEqual([SECRET, true]);
  });

  test.each(["user.overlay.opaque", "trusted.overlay.opaque", "user.overlay.whiteout", "user.overlay.redirect"])(
    "is not misread by %s that a command sets",
    async (name) => {
      here = await engineWorkspace({ "d/kept.txt": "kept\n" });
      inView(`touch d/new; python3 -c 'import os,sys; os.setxattr("d", sys.argv[1], b"y")' ${name} 2>/dev/null || true; ls d`);
      expect(await listed()).toEqual(["added d/new"]);
    },
  );

  test("marks what a run made anew, and a part of it can be thrown away", async () => {
    here = await engineWorkspace({ "d/a": "a\n", "d/b": "b\n", "d/e/f": "f\n" });
    inView("rm -r d; mkdir d; echo n > d/n; echo B > d/b");
    expect(await listed()).toEqual(["deleted d/a", "modified d/b", "deleted d/e", "deleted d/e/f", "added d/n"]);
    const review = await here.review();
    await review.discard(["d/e/f", "d/b"]);
    expect(review.list().map(({ kind, path }) => `${kind} ${path}`)).toEqual(["deleted d/a", "added d/n"]);
    await review.close();
    expect(lstatSync(at("d/e/f")).isFile()).toBe(true);
  });

  describe("over a repository that holds a forbidden file", () => {
    const begin = async (): Promise<void> => {
      here = await engineWorkspace(FILES, (workspace) => void shell(workspace, "git init -q; git add -f -A; git commit -qm one"));
    };
    const head = (): string => shell(here.workspace, "git rev-parse HEAD").trim();

    test.each([
      ["a commit of everything", "echo more >> a.txt; git commit -qam two"],
      ["a commit of everything, with others after it", "git commit -qam two; echo more >> a.txt; git commit -qm three a.txt"],
      ["a deletion that is only staged", "echo more >> a.txt; git add -A"],
      ["a commit of a whole directory's end", "git rm -rq --cached secrets; git commit -qm two"],
    ])("does not take it away by %s", async (_name, script) => {
      await begin();
      const before = head();
      inView(script);
      const { refused } = await apply();
      expect(refused.map(({ reason }) => reason).join("\n")).toMatch(/deletes \S+, which the policy hides from the run/u);
      expect(head()).toBe(before);
      expect(shell(here.workspace, "git ls-files")).toContain(".env");
    });

    test("lands a commit that leaves it alone", async () => {
      await begin();
      inView("echo more >> a.txt; echo new > new.txt; git add a.txt new.txt; git commit -qm two");
      expect((await apply()).refused).toEqual([]);
      expect(shell(here.workspace, "git show --stat --format=%s HEAD; git status --short")).toMatch(/^two[^]*2 files changed/u);
      expect(shell(here.workspace, "git ls-tree -r --name-only HEAD")).toContain("secrets/key");
    });

    test("lands a merge with a branch in which somebody removed it", async () => {
      here = await engineWorkspace(FILES, (workspace) => {
        shell(
          workspace,
          "git init -q; git add -f -A; git commit -qm one; git checkout -qb side; git rm -q --cached .env; git commit -qm two; git checkout -qf main; echo b > b; git add b; git commit -qm three",
        );
      });
      inView("git merge -q -m merged side");
      expect((await apply()).refused.map(({ reason }) => reason)).toEqual([]);
      expect(shell(here.workspace, "git log -1 --format=%s").trim()).toBe("merged");
    });
  });
});
