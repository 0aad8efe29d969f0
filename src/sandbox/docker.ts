import { AgentError } from "../base/errors.ts";
import { type Engine, engineError, findImage, isPodman, openEngine } from "./docker-engine.ts";
import { createOptionsOf, openDockerLane } from "./docker-lane.ts";
import { sandboxFile } from "./host-program.ts";
import { reapContainers } from "./docker-reap.ts";
import { reapRuns } from "./reap.ts";
import { containerProperties } from "./outside-view.ts";
import type { OpenOptions, Runtime, RuntimeStatus, SandboxProfile } from "./runtime.ts";
import { checkSandbox } from "./self-check.ts";
import { openSession, type SessionPlan } from "./session.ts";

export type DockerOptions = { /** As the variable of this name: `unix:///path`. */ readonly dockerHost?: string | undefined };

/** Sandboxes in Docker Engine 20.10 or later on this machine, one warm container for each session. */
export function dockerRuntime(dockerOptions: DockerOptions = {}): Runtime {
  return {
    name: "docker",
    check: () => check(dockerOptions),
    open: (profile, options) => openSession(planOf(openEngine(dockerOptions.dockerHost), profile, options)),
    inspect: (profile, options) => {
      const engine = openEngine(dockerOptions.dockerHost);
      return checkSandbox(planOf(engine, profile, options), async (workspace) => {
        const machine = { imageId: await findImage(engine), egressDirectory: null, isPodman: await isPodman(engine) };
        const wanted = createOptionsOf({ engine, profile, options }, workspace, machine);
        return containerProperties(engine, options.runId, { wanted, isPodman: machine.isPodman });
      });
    },
    reap: async (stateDirectory) => [...(await reapContainers(openEngine(dockerOptions.dockerHost))), ...reapRuns(stateDirectory)],
  };
}

function planOf(engine: Engine, profile: SandboxProfile, options: OpenOptions): SessionPlan {
  return {
    runtime: "docker",
    profile,
    options,
    isReachable: false,
    openLane: (workspace, laneOptions) => openDockerLane({ engine, profile, options }, workspace, laneOptions),
  };
}

async function check(dockerOptions: DockerOptions): Promise<RuntimeStatus> {
  try {
    const engine: Engine = openEngine(dockerOptions.dockerHost);
    const { Version: version, ApiVersion: api } = await engine.docker.version();
    const image = await findImage(engine);
    for (const file of ["build/warder-supervisor", "build/warder-host", "seccomp.json"] as const) sandboxFile(file);
    return { isReady: true, detail: `Docker Engine ${version} (API ${api}), image ${image.slice(0, 19)}` };
  } catch (error) {
    const { message } = error instanceof AgentError ? error : engineError(error);
    const [detail = message, ...remedy] = message.split(/(?<=\.) /);
    return remedy.length === 0 ? { isReady: false, detail } : { isReady: false, detail, remedy: remedy.join(" ") };
  }
}
