import { AgentError } from "../../base/errors.ts";
import { carrierFor, settlerOf } from "./carrier.ts";
import { reapElsewhere } from "./reap-elsewhere.ts";
import { answeringEngine } from "./ping.ts";
import { isOfThisMachine } from "./elsewhere/placement.ts";
import { engineKind } from "./engine-kind.ts";
import { type Engine, engineError, type EngineOptions, findImage, isPodman } from "./engine.ts";
import { createOptionsOf, type DockerLanePlan, machineOf, openDockerLane } from "./lane.ts";
import { openPooledLane } from "./pooled-lane.ts";
import { sandboxFile } from "../shipped-files.ts";
import { reapContainers } from "./reap.ts";
import { engineOverlays, reapOverlays } from "./overlay-volume.ts";
import { reapPools, reapRuns } from "../reap.ts";
import type { SandboxPool } from "./pool.ts";
import { containerProperties } from "./engine-view.ts";
import type { OpenOptions, Runtime, RuntimeStatus, SandboxProfile } from "../runtime.ts";
import { checkSandbox } from "../self-check/check.ts";
import type { SessionPlan } from "../parts.ts";
import { openServed } from "../served.ts";
import { openSession } from "../session.ts";
import type { PreparedWorkspace } from "../workspace/prepare.ts";

export { enginePlaceIn } from "./reach/address.ts";

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
    open: async (profile, options) => openSession(await sessionPlanOf(await answeringEngine(dockerOptions), profile, options, dockerOptions.pool)),
    serve: async (profile, options, command) => openServed(await sessionPlanOf(await answeringEngine(dockerOptions), profile, options), command),
    inspect: async (profile, options) => {
      const engine = await answeringEngine(dockerOptions);
      return checkSandbox(await sessionPlanOf(engine, profile, options), async (workspace) => {
        const machine = await machineOf({ engine, profile, options }, { egressDirectory: null });
        const wanted = createOptionsOf({ engine, profile, options }, workspace, machine);
        return containerProperties(engine, options.runId, { wanted, kind: machine.engine });
      });
    },
    reap: async (stateDirectory) => [...(await reapEngine(await answeringEngine(dockerOptions), stateDirectory)), ...reapPools(stateDirectory)],
  };
}

/** Throws `sandbox-unavailable` when the engine has not what the profile wants, or cannot be asked. */
export async function sessionPlanOf(engine: Engine, profile: SandboxProfile, options: OpenOptions, pool?: SandboxPool): Promise<SessionPlan> {
  const plan = { engine, profile, options };
  const { socketPath } = engine.address.request;
  const common = { runtime: "docker" as const, profile, options, isReachable: false, ...(socketPath === undefined ? {} : { sockets: [socketPath] }) };
  const planFor = (workspace: PreparedWorkspace): DockerLanePlan => ({ ...plan, profile: workspace.profile });
  const carrier = await carrierFor(plan);
  if (carrier !== null)
    return {
      ...common,
      carrier,
      openLane: async (workspace, laneOptions) => openDockerLane(planFor(workspace), workspace, laneOptions, await machineOf(plan, laneOptions)),
    };
  return {
    ...common,
    openInImage: async (workspace, laneOptions) => openDockerLane(planFor(workspace), workspace, laneOptions, await machineOf(planFor(workspace), laneOptions)),
    overlays: engineOverlays(plan),
    openLane: async (workspace, laneOptions) =>
      pool === undefined
        ? openDockerLane(planFor(workspace), workspace, laneOptions, await machineOf(plan, laneOptions))
        : openPooledLane(planFor(workspace), pool, workspace, laneOptions),
    ...(pool === undefined ? {} : { takeImage: (path: string) => pool.takeImage(path) }),
  };
}

/** Containers first: a volume stays as long as one has it. Then what runs wrote elsewhere comes back, and only then its volumes go. */
async function reapEngine(engine: Engine, stateDirectory: string): Promise<readonly string[]> {
  const isShared = await sharedByOthers(engine);
  return [
    ...(await reapContainers(engine, isShared)),
    ...(await reapOverlays(engine, isShared)),
    ...(await reapRuns(stateDirectory, settlerOf(engine))),
    ...(await reapElsewhere(engine, stateDirectory)),
  ];
}

async function sharedByOthers(engine: Engine): Promise<boolean> {
  try {
    return !(await isOfThisMachine({ ...engine, isPodman: () => isPodman(engine) }));
  } catch (error) {
    throw engineError(error);
  }
}

async function check(dockerOptions: DockerOptions): Promise<RuntimeStatus> {
  try {
    const engine = await answeringEngine(dockerOptions);
    const { Version: version, ApiVersion: api } = await engine.docker.version();
    const image = await findImage(engine, {});
    for (const file of ["build/warder-supervisor", "build/warder-host", "seccomp.json"] as const) sandboxFile(file);
    const { isPodman: isPodmans, isRootless } = await engineKind(engine);
    const name = isPodmans ? `${isRootless ? "rootless " : ""}Podman` : "Docker Engine";
    return { isReady: true, detail: `${name} ${version} (API ${api}) at ${engine.address.name}, image ${image.slice(0, 19)}` };
  } catch (error) {
    const { problem: detail, remedy } = error instanceof AgentError ? error : engineError(error);
    return remedy === null ? { isReady: false, detail } : { isReady: false, detail, remedy };
  }
}
