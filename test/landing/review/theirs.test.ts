import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { workspacePaths } from "../../../src/sandbox/workspace/record.ts";
import { type OverlaidWorkspace, overlayWorkspace } from "../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../support/root.ts";

let here: OverlaidWorkspace;
afterEach(async () => {
  await here.remove();
});

const env = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.directory",
  GIT_CONFIG_VALUE_0: "*",
};
const git = (directory: string, ...words: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], { cwd: directory, env, encoding: "utf8" });

/** Older than the index that is made of it, as files are that somebody works with. */
function age(workspace: string, paths: readonly string[]): void {
  for (const path of paths) utimesSync(join(workspace, path), 1_700_000_000, 1_700_000_000);
}

/** A repository with these files committed; then `prepare`. */
async function repository(files: Readonly<Record<string, string>>, prepare: (workspace: string) => void = () => undefined): Promise<void> {
  here = await overlayWorkspace(files, (workspace) => {
    age(workspace, Object.keys(files));
    git(workspace, "init", "-q", "-b", "main");
    git(workspace, "add", ".");
    git(workspace, "commit", "-qm", "one");
    prepare(workspace);
  });
}

async function diff(...paths: readonly string[]): Promise<string> {
  const review = await here.review();
  try {
    return await review.diff(100_000, paths);
  } finally {
    await review.close();
  }
}

describe.runIf(runsRootTests)("what somebody changed while a run went on", () => {
  test("is shown as theirs, and what the run did as from where it began", async () => {
    await repository({ "a.txt": "one\ntwo\nthree\n" });
    writeFileSync(join(here.view, "a.txt"), "one\ntwo\nrun\n");
    writeFileSync(join(here.workspace, "a.txt"), "mine\ntwo\nthree\n");
    expect((await diff("a.txt")).split("\n")).toEqual([
      expect.stringMatching(/^! a\.txt: Conflict: somebody changed it/u),
      "--- a/a.txt\twhen the run began",
      "+++ b/a.txt\tthe run's",
      "@@ -1,3 +1,3 @@",
      " one",
      " two",
      "-three",
      "+run",
      "a.txt: changed here since the run began, not by the run:",
      "| @@ -1,3 +1,3 @@",
      "| -one",
      "| +mine",
      "|  two",
      "|  three",
      "",
    ]);
  });

  test("also when they committed it, removed it, or made it", async () => {
    await repository({ "a.txt": "one\n", "b.txt": "b\n" });
    for (const name of ["a.txt", "b.txt", "new.txt"]) writeFileSync(join(here.view, name), "run\n");
    writeFileSync(join(here.workspace, "a.txt"), "mine\n");
    writeFileSync(join(here.workspace, "new.txt"), "theirs\n");
    rmSync(join(here.workspace, "b.txt"));
    git(here.workspace, "commit", "-qam", "theirs");
    const shown = await diff("*.txt");
    expect(shown).toMatch(/--- a\/a\.txt\twhen the run began\n[^|]*-one\n\+run\n.*not by the run:\n\| @@.*\n\| -one\n\| \+mine\n/u);
    expect(shown).toMatch(/--- a\/b\.txt\twhen the run began\n[^|]*-b\n\+run\nb\.txt: removed here since the run began/u);
    expect(shown).toMatch(/--- \/dev\/null\n\+\+\+ b\/new\.txt\tthe run's\n.*\n\+run\nnew\.txt: changed here.*\n\| @@.*\n\| \+theirs\n/u);
    expect(shown).not.toMatch(/^-(?:mine|theirs)$/mu);
  });

  test("is told apart from what was not committed when the run began", async () => {
    await repository({ "a.txt": "one\n" }, (workspace) => {
      writeFileSync(join(workspace, "a.txt"), "own\n");
    });
    writeFileSync(join(here.view, "a.txt"), "run\n");
    writeFileSync(join(here.workspace, "a.txt"), "now\n");
    const shown = await diff("a.txt");
    expect(shown).toMatch(/--- a\/a\.txt\tas it is here now: lines with - may be yours\n/u);
    expect(shown).toContain("-now\n+run\na.txt: what it held when the run began is not known\n");
  });

  test("is not known of a file that was written as git wrote its index, or without a copy of that", async () => {
    await repository({ "a.txt": "one\n" });
    const [copy = ""] = readdirSync(workspacePaths(here.runDirectory).indexes);
    expect(copy).toMatch(/^[0-9a-f]{32}\.\d+$/u);
    writeFileSync(join(here.view, "a.txt"), "run\n");
    writeFileSync(join(here.workspace, "a.txt"), "now\n");
    execFileSync("mv", [copy, copy.replace(/\d+$/u, "1700000000000000000")], { cwd: workspacePaths(here.runDirectory).indexes });
    expect(await diff("a.txt")).toContain("is not known");
    rmSync(workspacePaths(here.runDirectory).indexes, { recursive: true });
    expect(await diff("a.txt")).toContain("is not known");
  });

  test("is not taken for what git would store in another way", async () => {
    await repository({ "a.txt": "one\r\n", ".gitattributes": "*.txt text\n" });
    writeFileSync(join(here.view, "a.txt"), "run\n");
    writeFileSync(join(here.workspace, "a.txt"), "now\n");
    expect(await diff("a.txt")).toContain("is not known");
  });
});
