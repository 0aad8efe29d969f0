import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { runsRootTests } from "../../../support/root.ts";
import { temporaryDirectory } from "../../../support/temporary-store.ts";

const UID = 65_534;
const SCAN = join(import.meta.dirname, "../../../../src/sandbox/workspace/scan/all-roots.ts");

// Root reads every directory, so the survey is made by a process that has become somebody else.
describe.runIf(runsRootTests)("what an account that is not root finds in its home", () => {
  let home: string;
  beforeEach(() => {
    home = join(temporaryDirectory(), "home");
    for (const directory of [home, join(home, "state"), join(home, "state/run"), join(home, "private")]) {
      mkdirSync(directory);
      chownSync(directory, UID, UID);
    }
    chmodSync(dirname(home), 0o755);
  });

  /** A directory of the account's own that nobody may read, as the mask of a session is. */
  function closed(path: string): void {
    mkdirSync(join(home, path));
    chownSync(join(home, path), UID, UID);
    chmodSync(join(home, path), 0);
  }

  /** What is masked as a session begins and after a command, or the complaint. */
  function surveyed(): unknown {
    const roots = [{ path: home, access: "read" }];
    const settings = { workspace: "bind" };
    const profile = { settings, roots, forbidden: [`${home}/private/**`], protected: [], ownPaths: [join(home, "state")] };
    const code = `const { scanRoots, scanAfterCommand } = await import(${JSON.stringify(SCAN)});
      process.chdir(${JSON.stringify(home)}); process.setuid(${UID});
      const profile = JSON.parse(${JSON.stringify(JSON.stringify(profile))});
      const masked = (scans) => scans.flatMap((scan) => scan.masked.map(({ path }) => path.slice(profile.roots[0].path.length))).toSorted();
      try { console.log(JSON.stringify([masked(scanRoots(profile, "none")), masked(scanAfterCommand(profile))])); }
      catch (error) { console.log(JSON.stringify(error.message)); }`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], { encoding: "utf8" });
    expect(stderr).toBe("");
    return JSON.parse(stdout);
  }

  test("does not stop at the masks of sessions in Warder's own state", () => {
    closed("state/run/mask-directory");
    expect(surveyed()).toEqual([
      ["/private", "/state"],
      ["/private", "/state"],
    ]);
  });

  test("stops where it cannot see whether what is forbidden has another name", () => {
    closed("private/keys");
    expect(surveyed()).toMatch(/private\/keys cannot be looked through: EACCES/u);
  });
});
