import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { ApplyReport } from "../../../src/landing/files/report.ts";
import { openUndo } from "../../../src/landing/undo/undo.ts";
import { type OverlaidWorkspace, overlayWorkspace } from "../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../support/root.ts";

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
  const withSubmodule = async (uid = 0): Promise<void> => {
    here = await overlayWorkspace({}, (workspace) => {
      shell(workspace, "git init -q ../source; cd ../source; echo s > s; git add s; git commit -qm source");
      shell(workspace, "git init -q; git config user.name A; git config user.email a@example.com; git submodule --quiet add ../source sub; git commit -qm one");
      // Its owner reaches it.
      shell(workspace, `chmod 711 ..; chown -R ${String(uid)}:${String(uid)} .`);
    });
  };
  const ids = (): string => shell(here.workspace, "git rev-parse HEAD; git -C sub rev-parse HEAD");

  test("lands as one of its own, and before the commit that names its commit", async () => {
    await withSubmodule();
    shell(here.view, "cd sub; git config alias.x '!evil'; echo t > s; git commit -qam two; git branch other; cd ..; git commit -qam two");
    const report = await apply();
    expect(report.refused.map(({ change, reason }) => `${change.path}: ${reason}`)).toEqual([
      ".git/modules/sub/config: What steers git in a submodule is not applied.",
    ]);
    expect(
      shell(here.workspace, "git log --format=%s; git -C sub log --format=%s; git -C sub branch --format='%(refname:short)'; git submodule status"),
    ).toMatch(/^two\none\ntwo\nsource\nmain\nother\n [0-9a-f]{40} sub/u);
    expect(shell(here.workspace, "git status --porcelain; git -C sub status --porcelain; git fsck --strict; git -C sub fsck --strict")).toBe("");
    expect(shell(here.workspace, "git -C sub config --get-all alias.x || echo none")).toBe("none\n");
    const last = await openUndo(here.runDirectory);
    expect((await last?.undo([]))?.refused).toEqual([]);
    await last?.close();
    expect(shell(here.workspace, "git log --format=%s; git -C sub log --format=%s; git submodule status; git status --porcelain; cat sub/s")).toMatch(
      /^one\nsource\n [0-9a-f]{40} sub \([^)]*\)\ns\n$/u,
    );
  });

  const branch = async (name: string) => {
    const review = await here.review();
    try {
      return await review.branch({ mayWrite: () => null, branch: name, trailers: [] });
    } finally {
      await review.close();
    }
  };

  test("has a branch of the same name, which holds what the outer one names; its checkout stays", async () => {
    await withSubmodule();
    shell(here.view, "cd sub; echo t > s; git commit -qam two; cd ..; git commit -qam two; echo m > m");
    const before = ids();
    expect((await branch("warder/x")).submodules).toEqual(["sub"]);
    expect(shell(here.workspace, "git rev-parse warder/x:sub")).toBe(shell(here.workspace, "git -C sub rev-parse warder/x"));
    expect(shell(here.workspace, "git status --porcelain; git -C sub status --porcelain; git fsck --strict; git -C sub fsck --strict; cat sub/s")).toBe("s\n");
    expect(ids()).toBe(before);
    expect(shell(here.workspace, "git checkout -q warder/x; git submodule --quiet update; cat sub/s m")).toBe("t\nm\n");
  });

  test("keeps the branch that it has where the outer one could not be made, and is one with it when it can", async () => {
    await withSubmodule();
    shell(here.view, "cd sub; echo t > s; git commit -qam two; cd ..; git commit -qam two");
    shell(here.workspace, "touch .git/packed-refs.lock; mkdir -p .git/refs/heads/warder; touch .git/refs/heads/warder/x.lock");
    await expect(branch("warder/x")).rejects.toThrow(/does not make the branch/u);
    shell(here.workspace, "find .git -name '*.lock' -delete");
    expect((await branch("warder/x")).submodules).toEqual(["sub"]);
    expect(shell(here.workspace, "git rev-parse warder/x:sub")).toBe(shell(here.workspace, "git -C sub rev-parse warder/x"));
  });

  test("holds the branch back where the run added it: nobody has its commits", async () => {
    await withSubmodule();
    shell(here.view, `git submodule --quiet add ${at("../source")} other; cd other; echo t > s; git commit -qam three; cd ..; git add -A; git commit -qm two`);
    await expect(branch("warder/x")).rejects.toThrow(/names the commit [0-9a-f]{40}, which the run made in a submodule/u);
    expect(shell(here.workspace, "git for-each-ref refs/heads/warder; git -C sub for-each-ref refs/heads/warder")).toBe("");
  });

  test("lands when it has a name that is a path, a worktree elsewhere, and one of its own in it", async () => {
    here = await overlayWorkspace({}, (workspace) => {
      shell(workspace, "git init -q ../inner; cd ../inner; echo i > i; git add i; git commit -qm inner");
      shell(workspace, "git init -q ../source; cd ../source; echo s > s; git add s; git submodule --quiet add ../inner deep; git commit -qm source");
      shell(workspace, "git init -q; git submodule --quiet add ../source libs/sub; git submodule --quiet update --init --recursive; git commit -qm one");
      shell(workspace, "git mv libs/sub moved; git commit -qm moved");
    });
    const commit = "git checkout -q -B work; git add -A; git commit -qm two; git pack-refs --all; git rev-parse HEAD";
    const made = shell(here.view, `cd moved/deep; echo j > i; ${commit}; cd ..; echo t > s; ${commit}; cd ..; ${commit}; cd moved; echo staged > s; git add s`);
    const report = await apply();
    expect(report.refused).toEqual([]);
    expect(shell(here.workspace, "git -C moved/deep rev-parse HEAD; git -C moved rev-parse HEAD; git rev-parse HEAD")).toBe(made);
    expect(shell(here.workspace, "git -C moved diff --cached --name-only; git -C moved/deep status --porcelain; git fsck --strict")).toBe("s\n");
  });

  test("that the run made is not known, and no commit lands that names its commits", async () => {
    await withSubmodule();
    const source = `${here.workspace}/../source`;
    shell(here.view, `git submodule --quiet add ${source} other; cd other; echo t > s; git commit -qam three; cd ..; git add -A; git commit -qm two`);
    const report = await apply();
    const reasonOf = (path: string): string | undefined => report.refused.find(({ change }) => change.path === path)?.reason;
    expect(reasonOf(".git/modules/other/HEAD")).toMatch(/It is not known what the repository was/u);
    expect(reasonOf(".git/refs/heads/main")).toMatch(/names the commit [0-9a-f]{40}, which the run made in a submodule/u);
    expect(shell(here.workspace, "git log --format=%s; git fsck --strict")).toBe("one\n");
  });

  test("stays as it is where somebody committed in it meanwhile, and so does what names the run's commit", async () => {
    await withSubmodule();
    shell(here.view, "cd sub; echo t > s; git commit -qam two; cd ..; git commit -qam two; git reset -q HEAD~1 -- sub");
    shell(at("sub"), "echo u > u; git add u; git commit -qm mine");
    const before = ids();
    const report = await apply();
    expect(ids()).toBe(before);
    expect(report.applied.map(({ path }) => path)).toEqual(["sub/s"]);
    const reasonOf = (path: string): string | undefined => report.refused.find(({ change }) => change.path === path)?.reason;
    expect(reasonOf(".git/refs/heads/main")).toMatch(/names the commit [0-9a-f]{40}, which the run made in a submodule/u);
    expect(reasonOf(".git/modules/sub/refs/heads/main")).toMatch(/Conflict: refs\/heads\/main was moved/u);
    shell(here.workspace, "git fsck --strict");
  });

  test("nor does an index that names one", async () => {
    await withSubmodule();
    shell(here.view, "cd sub; echo t > s; git commit -qam two; cd ..; git add sub");
    shell(at("sub"), "echo u > u; git add u; git commit -qm mine");
    expect((await apply()).applied.map(({ path }) => path)).toEqual(["sub/s"]);
    expect(shell(here.workspace, "git diff --cached")).toBe("");
  });

  test("that cannot land holds back no commit that names none of its own", async () => {
    await withSubmodule();
    shell(here.view, "cd sub; echo t > s; git commit -qam two; cd ..; echo b > b; git add b; git commit -qm two");
    shell(at("sub"), "echo u > u; git add u; git commit -qm mine");
    await apply();
    expect(shell(here.workspace, "git log --format=%s; git -C sub log --format=%s -1")).toBe("two\none\nmine\n");
    expect(existsSync(at("b"))).toBe(true);
  });

  test("takes nothing that steers git: no hook, no setting, no place of objects, no other worktree", async () => {
    await withSubmodule();
    const git = shell(here.workspace, "cd .git/modules/sub; find . -type f ! -path './objects/*' ! -path './logs/*' | sort; cat config HEAD");
    shell(
      here.view,
      `cd sub; echo t > s; git commit -qam two; git replace HEAD HEAD~1; git worktree add -q -b away ../away
       cd ../.git/modules/sub; git config core.hooksPath /evil; git config core.worktree /evil
       printf '#!/bin/sh\\ntouch ${here.workspace}/ran' > hooks/post-checkout; cp hooks/post-checkout hooks/reference-transaction; chmod +x hooks/*
       echo /evil > objects/info/alternates; echo '* filter=evil' > info/attributes; ln -s /etc/passwd refs/heads/link; mkdir -p modules/sub; cp config HEAD modules/sub
       printf 'gitdir: /evil' > ../../../sub/.git`,
    );
    const { refused } = await apply();
    const paths = refused.map(({ change }) => change.path);
    for (const path of ["config", "hooks/reference-transaction", "objects/info/alternates", "refs/heads/link", "modules/sub/HEAD", "worktrees/away/HEAD"])
      expect(paths).toContain(`.git/modules/sub/${path}`);
    expect(
      shell(here.workspace, "cd .git/modules/sub; find . -type f ! -path './objects/*' ! -path './logs/*' ! -path './refs/heads/away' | sort; cat config HEAD"),
    ).toBe(git);
    expect(shell(here.workspace, "git -C sub status --porcelain; git -C sub fsck --strict; find . -name ran; cat sub/.git")).toBe(
      "gitdir: ../.git/modules/sub\n",
    );
    expect(shell(here.workspace, "git -C sub log --format=%s -1; cat sub/s")).toBe("two\nt\n");
  });

  test("is its owner's, when root lands it for somebody", async () => {
    await withSubmodule(1000);
    shell(here.view, "cd sub; echo t > s; git commit -qam two; cd ..; git commit -qam two");
    expect((await apply()).refused).toEqual([]);
    expect(shell(here.workspace, "git -C sub log --format=%s -1; find . ! -user 1000")).toBe("two\n");
  });
});

describe.runIf(runsRootTests)("a repository in another one, with a directory of its own", () => {
  test("lands by itself, and before the commit that names its commit", async () => {
    here = await overlayWorkspace({}, (workspace) => {
      shell(
        workspace,
        "git init -q; git init -q own; cd own; echo s > s; git add s; git commit -qm source; cd ..; git add own 2>/dev/null; git commit -qm one",
      );
    });
    shell(here.view, "cd own; echo t > s; git commit -qam two; cd ..; git commit -qam two");
    expect((await apply()).refused).toEqual([]);
    expect(shell(here.workspace, "git log --format=%s; git -C own log --format=%s; git status --porcelain; git -C own fsck --strict; git fsck --strict")).toBe(
      "two\none\ntwo\nsource\n",
    );
  });
});
