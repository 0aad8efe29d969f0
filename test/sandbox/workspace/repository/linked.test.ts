import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { ApplyReport } from "../../../../src/sandbox/runtime.ts";
import { type OverlaidWorkspace, overlayWorkspace } from "../../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../../support/root.ts";

const SETTINGS = ["user.name=A", "user.email=a@example.com", "protocol.file.allow=always", "init.defaultBranch=main", "safe.directory=*"];
const ENV = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_COUNT: String(SETTINGS.length),
  ...Object.fromEntries(
    SETTINGS.flatMap((setting, at) => {
      const [key = "", value = ""] = setting.split("=");
      return [
        [`GIT_CONFIG_KEY_${String(at)}`, key],
        [`GIT_CONFIG_VALUE_${String(at)}`, value],
      ];
    }),
  ),
};

let here: OverlaidWorkspace;
afterEach(async () => {
  await here.remove();
});

const shell = (directory: string, script: string): string => execFileSync("bash", ["-ec", script], { cwd: directory, encoding: "utf8", env: ENV });
const at = (path: string): string => `${here.workspace}/${path}`;

async function apply(): Promise<ApplyReport> {
  const review = await here.review();
  const report = await review.apply({ mayWrite: () => null });
  await review.close();
  return report;
}

describe.runIf(runsRootTests)("a linked worktree", () => {
  test.each([
    ["replaced by a repository", "rm .git; git init -q; echo evil > .git/hooks/post-checkout"],
    ["led elsewhere", "mkdir -p evil/objects evil/refs; echo gitdir: evil > .git"],
    ["removed", "rm .git"],
  ])("stays one when its file is %s; other files land", async (_name, script) => {
    here = await overlayWorkspace({}, (workspace) => {
      shell(workspace, `git init -q ../main; cd ../main; echo a > a; git add a; git commit -qm one; git worktree add -q --force ${workspace} -b work`);
    });
    const before = readFileSync(at(".git"), "utf8");
    shell(here.view, `${script}; echo b > b`);
    const report = await apply();
    expect(report.refused.length).toBeGreaterThan(0);
    for (const { change } of report.refused) expect(change.path).toMatch(/^\.git(?:\/|$)/u);
    expect([statSync(at(".git")).isFile(), readFileSync(at(".git"), "utf8"), readFileSync(at("b"), "utf8")]).toEqual([true, before, "b\n"]);
    expect(shell(here.workspace, "git status --porcelain --untracked-files=all | grep -v evil")).toBe("?? b\n");
  });
});

describe.runIf(runsRootTests)("a submodule whose repository lies in the workspace", () => {
  const withSubmodule = async (): Promise<void> => {
    here = await overlayWorkspace({}, (workspace) => {
      shell(workspace, "git init -q ../source; cd ../source; echo s > s; git add s; git commit -qm source");
      shell(workspace, "git init -q; git submodule --quiet add ../source sub; git commit -qm one");
    });
  };
  const ids = (): string => shell(here.workspace, "git rev-parse HEAD; git -C sub rev-parse HEAD");

  test("keeps its commits, and no commit lands that names one of them; the files land", async () => {
    await withSubmodule();
    const before = ids();
    shell(here.view, "cd sub; echo t > s; git commit -qam two; cd ..; git commit -qam two; git reset -q HEAD~1 -- sub");
    const report = await apply();
    expect(ids()).toBe(before);
    expect(report.applied.map(({ path }) => path)).toEqual(["sub/s"]);
    const reasonOf = (path: string): string | undefined => report.refused.find(({ change }) => change.path === path)?.reason;
    expect(reasonOf(".git/refs/heads/main")).toMatch(/names the commit [0-9a-f]{40}, which the run made in a submodule/u);
    expect(reasonOf(".git/modules/sub/refs/heads/main")).toMatch(/own repository of a submodule/u);
    shell(here.workspace, "git fsck --strict");
  });

  test("nor does an index that names one", async () => {
    await withSubmodule();
    shell(here.view, "cd sub; echo t > s; git commit -qam two; cd ..; git add sub");
    expect((await apply()).applied.map(({ path }) => path)).toEqual(["sub/s"]);
    expect(shell(here.workspace, "git diff --cached")).toBe("");
  });

  test("holds back no commit that names none of them", async () => {
    await withSubmodule();
    shell(here.view, "cd sub; echo t > s; git commit -qam two; cd ..; echo b > b; git add b; git commit -qm two");
    await apply();
    expect(shell(here.workspace, "git log --format=%s")).toBe("two\none\n");
    expect(existsSync(at("b"))).toBe(true);
  });
});
