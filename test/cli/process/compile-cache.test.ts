import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const main = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));

/** A state directory of this mode, after the command line ran with it. */
function stateAfterStart(mode: number): string {
  const state = mkdtempSync(join(tmpdir(), "warder-compiled-"));
  onTestFinished(() => {
    rmSync(state, { recursive: true });
  });
  chmodSync(state, mode);
  const { NODE_COMPILE_CACHE: _there, ...environment } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [main, "--version"], { env: { ...environment, WARDER_HOME: state }, encoding: "utf8" });
  expect(status, stderr).toBe(0);
  return join(state, "compiled");
}

test("what Node.js compiled is kept in the state directory", () => {
  expect(readdirSync(stateAfterStart(0o700)).length).toBe(1);
});

test("nothing compiled is kept in a state directory where others may write", () => {
  expect(existsSync(stateAfterStart(0o770))).toBe(false);
});
