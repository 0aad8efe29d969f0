import { execFileSync, spawnSync } from "node:child_process";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import type { JobsUnderTest } from "./runtime-jobs.ts";

/** Docker, or whatever serves its API at DOCKER_HOST: Podman passes the same suites. */
export const ENGINE = { dockerHost: process.env["DOCKER_HOST"] };

/** What the engine's client printed. Throws when it failed. */
export const command = (...argv: string[]): string => execFileSync("docker", argv, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();

export const containersOf = (label: string): readonly string[] =>
  command("ps", "--all", "--quiet", "--filter", `label=${label}`)
    .split("\n")
    .filter((line) => line !== "");

const volumesOfRun = (runId: string): readonly string[] =>
  command("volume", "ls", "--quiet", "--filter", `label=warder.run=${runId}`)
    .split("\n")
    .filter((line) => line !== "");

/** One that was never started runs nothing: it stands for what a run has on an engine elsewhere. */
const startedOfRun = (runId: string): readonly string[] =>
  command("ps", "--all", "--format", "{{.ID}} {{.State}}", "--filter", `label=warder.run=${runId}`)
    .split("\n")
    .flatMap((line) => (line === "" || line.endsWith(" created") ? [] : [line.split(" ", 1)[0] ?? ""]));

const containersOfRun = (runId: string): readonly string[] => containersOf(`warder.run=${runId}`);

export const docker: JobsUnderTest = {
  make: () => dockerRuntime(ENGINE),
  running: startedOfRun,
  leftovers: (runId) => [...containersOfRun(runId), ...volumesOfRun(runId)],
  lanes: (runId) =>
    containersOfRun(runId)
      // One that is being removed, or has not started, has none.
      .map((id) => Number(spawnSync("docker", ["inspect", "--format", "{{.State.Pid}}", id], { encoding: "utf8" }).stdout))
      .filter((pid) => pid > 0),
};
