import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ENGINE } from "../../contract/docker-under-test.ts";
import { IS_GVISOR } from "../../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../../support/docker.ts";
import { runsRootTests } from "../../support/root.ts";

/** Nobody's on any machine. Whoever reaches the engine's socket is as good as root to it, and this process still is not. */
const USER = 65_530;
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** What differs for who may not mount: the rest of the suite is the same as root's. */
const PARTS = [
  "in a transactional workspace of user",
  "keeps the changes of a workspace of user",
  "its owner is killed in the middle",
  "keeps two sessions apart",
];

type Report = {
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly message?: string; readonly assertionResults: readonly Assertion[] }[];
};
type Assertion = { readonly status: string; readonly fullName: string; readonly failureMessages?: readonly string[] };

describeWithDocker("an ordinary user of the engine", () => {
  test.skipIf(!runsRootTests || IS_GVISOR)("has transactional workspaces that keep what root's keep [needs root, to become one]", () => {
    const home = mkdtempSync(join(tmpdir(), "warder-test-"));
    chownSync(home, USER, USER);
    const socket = (ENGINE.dockerHost ?? "").replace(/^unix:\/\//u, "") || "/var/run/docker.sock";
    const identity = [`--reuid=${String(USER)}`, `--regid=${String(USER)}`, `--groups=${String(statSync(socket).gid)}`, "--inh-caps=-all"];
    const report = join(home, "report.json");
    const vitest = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--no-cache", "--config-loader=native", "--reporter=json", `--outputFile=${report}`];
    const { REQUIRE_DOCKER: _required, TEST_DISK: _disk, ...env } = process.env;
    try {
      const done = spawnSync("setpriv", [...identity, "--", process.execPath, ...vitest, "-t", PARTS.join("|"), "test/sandbox/docker/runtime.test.ts"], {
        cwd: ROOT,
        env: { ...env, HOME: home },
        encoding: "utf8",
      });
      expect(done.status === 0 ? "" : `${done.stdout}${done.stderr}`.slice(-4000)).toBe("");
      const { numPassedTests, testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
      const failed = testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === "failed");
      expect(failed.map(({ fullName, failureMessages }) => [fullName, failureMessages])).toEqual([]);
      // Not one of these was left out.
      expect(numPassedTests).toBeGreaterThan(30);
    } finally {
      chmodSync(home, 0o700);
      rmSync(home, { recursive: true, force: true });
    }
  });
});
