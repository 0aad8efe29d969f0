import { execFileSync } from "node:child_process";
import { afterEach, describe, expect, test } from "vitest";
import { type OverlaidWorkspace, overlayWorkspace } from "../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../support/root.ts";

let here: OverlaidWorkspace;
afterEach(async () => {
  await here.remove();
});

/** The flags of what a run changed in a repository that a person configured; each path with those kinds that are about git. */
async function flagged(files: Readonly<Record<string, string>>, configure: string, script: string): Promise<readonly string[]> {
  here = await overlayWorkspace(files, (workspace) => execFileSync("sh", ["-ec", `git init -q; ${configure}`], { cwd: workspace }));
  execFileSync("sh", ["-ec", script], { cwd: here.view });
  const review = await here.review();
  const changes = await review.flagged();
  await review.close();
  return changes.map(({ path, flags }) => [path, ...flags.map(({ kind }) => kind).filter((kind) => kind.startsWith("git-"))].join(" "));
}

describe.runIf(runsRootTests)("what a repository's own configuration names is flagged", () => {
  test.each([
    ["core.fsmonitor ./tools/x"],
    ["core.sshCommand 'ssh -F tools/x'"],
    ["filter.f.clean 'python3 tools/x %f'"],
    ["diff.d.textconv tools/x"],
    ["merge.m.driver 'tools/x %O %A %B'"],
    ["alias.a '!$(git rev-parse --show-toplevel)/tools/x'"],
    ["alias.b '!\"$TOP/tools/x\" && true'"],
    ["credential.helper '!tools/x'"],
    ["gpg.program tools/x"],
    ["core.attributesFile tools/x"],
    ["include.path ../tools/x"],
    ["includeIf.onbranch:main.path ../tools/x"],
    ["core.fsmonitor ./linked"],
  ])("%s", async (setting) => {
    const found = await flagged({ "tools/x": "", "tools/y": "" }, `ln -s tools/x linked; git config ${setting}`, "echo x > tools/x; echo y > tools/y");
    expect(found).toEqual(["tools/x git-configuration", "tools/y"]);
  });

  test("by what an included file says, and by a repository within the workspace", async () => {
    const configure = `git init -q sub; git -C sub config core.fsmonitor ./run; git config include.path ../extra; git config --file extra core.pager ./pager`;
    const found = await flagged({ "sub/run": "", pager: "", run: "" }, configure, "echo x > sub/run; echo x > pager; echo x > run");
    expect(found).toEqual(["pager git-configuration", "run", "sub/run git-configuration"]);
  });

  test("below core.hooksPath, and what takes the place of what is named", async () => {
    const configure = "git config core.hooksPath my/scripts; git config core.fsmonitor tools/deep/x";
    const script = "echo x > my/scripts/lib.sh; rm -r tools; ln -s my tools";
    const found = await flagged({ "my/scripts/pre-commit": "", "my/other": "", "tools/deep/x": "" }, configure, script);
    expect(found.filter((line) => line.includes(" "))).toEqual(["my/scripts/lib.sh git-hook", "tools git-configuration"]);
  });

  test("by the configuration that the worktrees of a repository share, in a linked worktree", async () => {
    const configure = `rm -r .git; git init -q ../main; cd ../main; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
      git config core.hooksPath scripts; git config alias.a '!tools/x'; top=$OLDPWD
      git worktree add -q --no-checkout ../w -b work 2> /dev/null; mv ../w/.git "$top/.git"; git worktree repair "$top" 2> /dev/null`;
    const found = await flagged({ "scripts/pre-commit": "", "tools/x": "" }, configure, "echo x > scripts/pre-commit; echo x > tools/x");
    expect(found.filter((line) => !line.startsWith("."))).toEqual(["scripts/pre-commit git-hook", "tools/x git-configuration"]);
  });

  test("and nothing else: an alias of git's own words, a name of a person", async () => {
    const configure = "git config alias.st status; git config user.name tools";
    expect(await flagged({ status: "", tools: "" }, configure, "echo x > status; echo x > tools")).toEqual(["status", "tools"]);
  });
});
