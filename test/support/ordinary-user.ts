import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { ENGINE } from "../contract/docker-under-test.ts";

/** Nobody's on any machine. */
export const ORDINARY_USER = 65_530;
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

type Report = {
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly message?: string; readonly assertionResults: readonly Assertion[] }[];
};
type Assertion = { readonly status: string; readonly fullName: string; readonly failureMessages?: readonly string[] };

/** Those of the engine's socket: whoever reaches it is as good as root to the engine, and is not root here. */
export const engineGroups = (): readonly number[] => [statSync((ENGINE.dockerHost ?? "").replace(/^unix:\/\//u, "") || "/var/run/docker.sock").gid];

/** A whole run of tests as another user takes longer than a test may otherwise: each of its tests has the usual time. */
export const WITHIN = { timeout: 900_000 };

/** Runs a program to its end as a user who is not root, or for most of {@link WITHIN}. */
export function runAsOrdinaryUser(
  argv: readonly string[],
  { groups, ...options }: { readonly groups: readonly number[]; readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): SpawnSyncReturns<string> {
  const supplementary = groups.length === 0 ? "--clear-groups" : `--groups=${groups.join(",")}`;
  const identity = [`--reuid=${String(ORDINARY_USER)}`, `--regid=${String(ORDINARY_USER)}`, supplementary, "--inh-caps=-all"];
  return spawnSync("setpriv", [...identity, "--", ...argv], { ...options, encoding: "utf8", timeout: WITHIN.timeout - 60_000 });
}

/** Runs files of tests, or those whose names have one of `parts`, as a user who is not root and in `groups`; expects that none fails. Returns how many passed. */
export function passedAsOrdinaryUser(
  files: readonly string[],
  { groups, parts = [] }: { readonly groups: readonly number[]; readonly parts?: readonly string[] },
): number {
  const home = mkdtempSync(join(tmpdir(), "warder-test-"));
  chownSync(home, ORDINARY_USER, ORDINARY_USER);
  const report = join(home, "report.json");
  const vitest = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--no-cache", "--config-loader=native", "--reporter=json", `--outputFile=${report}`];
  const named = parts.length === 0 ? [] : ["-t", parts.join("|")];
  const { REQUIRE_DOCKER: _required, TEST_DISK: _disk, ...env } = process.env;
  try {
    const done = runAsOrdinaryUser([process.execPath, ...vitest, ...named, ...files], { groups, cwd: ROOT, env: { ...env, HOME: home } });
    // Without a report nothing began.
    if (!existsSync(report)) expect(`${done.stdout}${done.stderr}`.slice(-4000)).toBe("");
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
    const failed = testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === "failed");
    expect(failed.map(({ fullName, failureMessages }) => [fullName, failureMessages])).toEqual([]);
    expect(done.status === 0 ? "" : `${done.stdout}${done.stderr}`.slice(-4000)).toBe("");
    return numPassedTests;
  } finally {
    chmodSync(home, 0o700);
    rmSync(home, { recursive: true, force: true });
  }
}
