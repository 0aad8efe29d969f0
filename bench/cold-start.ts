import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rowOf, timed, type Row } from "./samples.ts";

const WARDER = join(import.meta.dirname, "..", "bin", "warder");

/**
 * From nothing to a verdict: `warder check` and `node -e 0`, both as new processes, turn by turn. The first round, which fills the
 * compile cache that `bin/warder` keeps in the checkout, is not counted.
 */
export function measureColdStart(rounds: number): { readonly bare: Row; readonly check: Row } {
  const root = mkdtempSync(join(tmpdir(), "warder-bench-"));
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  const env = { ...process.env, HOME: root, WARDER_HOME: join(root, "state") };
  const run = (command: string, argv: readonly string[]): void => {
    const { status, stderr } = spawnSync(command, argv, { cwd: workspace, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${command} ended with ${String(status)}: ${stderr}`);
  };
  const bare: number[] = [];
  const check: number[] = [];
  try {
    for (let round = -1; round < rounds; round += 1) {
      const times = [timed(() => run(process.execPath, ["-e", "0"])), timed(() => run(WARDER, ["check", "git status"]))] as const;
      if (round < 0) continue;
      bare.push(times[0]);
      check.push(times[1]);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return { bare: rowOf(bare), check: rowOf(check) };
}
