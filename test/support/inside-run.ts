import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { UNPRIVILEGED_USER } from "../../src/sandbox/mounts.ts";
import { OWN_UID } from "../contract/sandbox-fixture.ts";
import { until } from "./until.ts";
import type { Place } from "./warder-cli.ts";

/** Runs a program in the container of a run that goes on, as its commands run in a workspace of ours. Gives what it printed; null where it failed or there is no container yet. */
export function insideRun(runId: string, ...argv: readonly string[]): string | null {
  const [container = ""] = spawnSync("docker", ["ps", "--quiet", "--filter", `label=warder.run=${runId}`], { encoding: "utf8" }).stdout.split("\n");
  if (container === "") return null;
  const user = OWN_UID === 0 ? UNPRIVILEGED_USER.uid : OWN_UID;
  const { status, stdout } = spawnSync("docker", ["exec", "--user", `${String(user)}:${String(user)}`, container, ...argv], { encoding: "utf8" });
  return status === 0 ? stdout : null;
}

/** Waits until a run that goes on sees this text in a file of its workspace: its command has begun, and written that far. */
export async function untilWritten(here: Place, file: string, text: string): Promise<void> {
  const runs = join(here.state, "runs");
  await until(
    `${file} is ${JSON.stringify(text)} in a run`,
    () => existsSync(runs) && readdirSync(runs).some((id) => insideRun(id, "cat", join(here.workspace, file)) === text),
  );
}
