import { execFileSync } from "node:child_process";
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap/runtime.ts";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import type { Runtime } from "../../src/sandbox/runtime.ts";
import type { RuntimeName } from "./attack.ts";

export type ArenaOptions = {
  readonly runtime: RuntimeName;
  /** The engine's socket, `unix://…`; absent: Docker's own. */ readonly dockerHost?: string | undefined;
};

export function runtimeOf({ runtime, dockerHost }: ArenaOptions): Runtime {
  return runtime === "bubblewrap" ? bubblewrapRuntime() : dockerRuntime({ dockerHost });
}

export function containersOf(runId: string, options: ArenaOptions, which: readonly string[] = ["--all"]): readonly string[] {
  return onEngine(["ps", ...which, "--quiet", "--no-trunc", "--filter", `label=warder.run=${runId}`], options);
}

export function volumesOf(runId: string, options: ArenaOptions): readonly string[] {
  return onEngine(["volume", "ls", "--quiet", "--filter", `label=warder.run=${runId}`], options);
}

/** The lines that the engine's client prints; none where there is no engine. */
export function onEngine(argv: readonly string[], options: ArenaOptions): readonly string[] {
  if (options.runtime === "bubblewrap") return [];
  return execFileSync("docker", argv, { encoding: "utf8", env: engineEnvironment(options) })
    .split("\n")
    .filter((line) => line !== "");
}

/** Whether a session's files are a copy in a volume of the engine. */
export const isCarried = ({ runtime }: ArenaOptions): boolean => runtime === "docker-elsewhere" || runtime === "docker-rootless";

export function engineEnvironment(options: ArenaOptions): NodeJS.ProcessEnv {
  return options.dockerHost === undefined ? process.env : { ...process.env, DOCKER_HOST: options.dockerHost };
}
