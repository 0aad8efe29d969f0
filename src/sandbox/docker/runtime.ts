import { AgentError } from "../../base/errors.ts";
import { answeringEngine } from "./ping.ts";
import { type Engine, engineError, type EngineOptions, findImage } from "./engine.ts";
import { createOptionsOf, machineOf, openDockerLane } from "./lane.ts";
import { openPooledLane } from "./pooled-lane.ts";
import { sandboxFile } from "../shipped-files.ts";
import { reapContainers } from "./reap.ts";
import { engineOverlays, reapOverlays } from "./overlay-volume.ts";
import { reapPools, reapRuns } from "../workspace/reap.ts";
import type { SandboxPool } from "./pool.ts";
import { containerProperties } from "./engine-view.ts";
import type { OpenOptions, Runtime, RuntimeStatus, SandboxProfile } from "../runtime.ts";
import { checkSandbox } from "../self-check/check.ts";
import type { SessionPlan } from "../parts.ts";
import { openSession } from "../session.ts";

export type DockerOptions = EngineOptions & {
  /** How long the engine may take to answer at all. Default: ten seconds. */
  readonly answerTimeoutMs?: number;
  /** Where sandboxes are started ahead; absent: each is started when it is wanted. */
  readonly pool?: SandboxPool | undefined;
};

/** Sandboxes in Docker Engine 20.10 or later on this machine, one warm container for each session. */
export function dockerRuntime(dockerOptions: DockerOptions = {}): Runtime {
  return {
    name: "docker",
    check: () => check(dockerOptions),
    open: async (profile, options) => openSession(sessionPlanOf(await answeringEngine(dockerOptions), profile, options, dockerOptions.pool)),
    inspect: async (profile, options) => {
      const engine = await answeringEngine(dockerOptions);
      return checkSandbox(sessionPlanOf(engine, profile, options), async (workspace) => {
        const machine = await machineOf({ engine, profile, options }, { egressDirectory: null });
        const wanted = createOptionsOf({ engine, profile, options }, workspace, machine);
        return containerProperties(engine, options.runId, { wanted, kind: machine.engine });
      });
    },
    reap: async (stateDirectory) => [
      ...(await reapSandboxes(await answeringEngine(dockerOptions))),
      ...(await reapRuns(stateDirectory)),
      ...reapPools(stateDirectory),
    ],
  };
}

export function sessionPlanOf(engine: Engine, profile: SandboxProfile, options: OpenOptions, pool?: SandboxPool): SessionPlan {
  const plan = { engine, profile, options };
  return {
    runtime: "docker",
    profile,
    options,
    isReachable: false,
    sockets: [engine.address.socketPath],
    overlays: engineOverlays(plan),
    openLane: async (workspace, laneOptions) =>
      pool === undefined
        ? openDockerLane(plan, workspace, laneOptions, await machineOf(plan, laneOptions))
        : openPooledLane(plan, pool, workspace, laneOptions),
    ...(pool === undefined ? {} : { takeImage: (path: string) => pool.takeImage(path) }),
  };
}

/** Containers first: a volume stays as long as one has it. */
async function reapSandboxes(engine: Engine): Promise<readonly string[]> {
  return [...(await reapContainers(engine)), ...(await reapOverlays(engine))];
}

async function check(dockerOptions: DockerOptions): Promise<RuntimeStatus> {
  try {
    const engine = await answeringEngine(dockerOptions);
    const { Version: version, ApiVersion: api } = await engine.docker.version();
    const image = await findImage(engine, {});
    for (const file of ["build/warder-supervisor", "build/warder-host", "seccomp.json"] as const) sandboxFile(file);
    return { isReady: true, detail: `Docker Engine ${version} (API ${api}), image ${image.slice(0, 19)}` };
  } catch (error) {
    const { problem: detail, remedy } = error instanceof AgentError ? error : engineError(error);
    return remedy === null ? { isReady: false, detail } : { isReady: false, detail, remedy };
  }
}
