import type { Container, ContainerCreateOptions } from "dockerode";
import { setTimeout as sleep } from "node:timers/promises";
import { readFileSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";
import { endFrozenOf, endLeftOf, endProcessesOf } from "./leftover-processes.ts";
import { attachContainer } from "./reach/attach.ts";
import { type Engine, engineError, findImage, isBeingRemoved, isEnding, isGone, requireEngineRuntime } from "./engine.ts";
import { type EngineKind, engineKind, holdsToLimits } from "./engine-kind.ts";
import { cgroupHold } from "../limits/cgroup-control.ts";
import { dockerHold } from "./pause.ts";
import { ownerLabel } from "./elsewhere/labels.ts";
import { hostConfig, PROGRAMS_TARGET } from "../hardening.ts";
import { sandboxFile } from "../shipped-files.ts";
import { CLEAN_UP_GRACE_MS, HELLO_TIMEOUT_MS, type Lane, type LaneHold, type LaneOptions } from "../lane.ts";
import { groupsOfContainer } from "../limits/cgroup-files.ts";
import type { LaneLimits } from "../limits/limits.ts";
import { ownerOf } from "../owner.ts";
import type { OpenOptions, SandboxProfile } from "../runtime.ts";
import { connectSupervisor, type SupervisorClient } from "../supervisor/client.ts";
import type { PreparedWorkspace } from "../workspace/prepare.ts";

const REMOVE_TIMEOUT_MS = 3000;
/** A busy engine says for so long that it is removing a container. */
const BEING_REMOVED_MS = 60_000;

export type DockerLanePlan = { readonly engine: Engine; readonly profile: SandboxProfile; readonly options: OpenOptions };

/** What of a container the machine decides. */
export type Machine = { readonly imageId: string; readonly egressDirectory: string | null; readonly engine: EngineKind };

type StartPlan = Pick<Machine, "imageId" | "engine"> & Pick<LaneOptions, "onLost">;

type HoldPlan = Pick<Machine, "engine"> & { readonly limits: LaneLimits };

export type StartedContainer = { readonly container: Container; readonly lane: Lane };

/** Creates, attaches to and starts one hardened container. Throws `sandbox-unavailable`; then no container is left. */
export async function openDockerLane(plan: DockerLanePlan, workspace: PreparedWorkspace, laneOptions: LaneOptions, machine: Machine): Promise<Lane> {
  return (await startContainer(plan.engine, createOptionsOf(plan, workspace, machine), { ...machine, onLost: laneOptions.onLost })).lane;
}

/** Looks up what a profile wants of the engine. Throws `sandbox-unavailable` when it is not there. */
export async function machineOf({ engine, profile }: DockerLanePlan, { egressDirectory }: Pick<LaneOptions, "egressDirectory">): Promise<Machine> {
  const [imageId, kind] = await Promise.all([findImage(engine, profile), engineKind(engine), requireEngineRuntime(engine, profile)]);
  return { imageId, egressDirectory, engine: kind };
}

/** Creates a container, attaches to it, starts it. Throws `sandbox-unavailable`; then it is not left. */
export async function startContainer(engine: Engine, createOptions: ContainerCreateOptions, plan: StartPlan): Promise<StartedContainer> {
  let container: Container;
  try {
    container = await engine.docker.createContainer(createOptions);
  } catch (error) {
    throw engineError(error);
  }
  try {
    return { container, lane: await startLane(engine, container, { ...plan, limits: limitsOf(createOptions) }) };
  } catch (error) {
    try {
      await removeContainer(container);
    } catch (left) {
      // What failed first is what a person must know. What an engine that fails again keeps is reaped by the next start.
      if (!(left instanceof AgentError)) throw left;
    }
    throw engineError(error);
  }
}

/** What the engine is told of a lane's container. */
export function createOptionsOf(
  { profile, options }: DockerLanePlan,
  workspace: Pick<PreparedWorkspace, "user" | "home" | "mounts">,
  machine: Machine,
): ContainerCreateOptions {
  const owner = ownerOf(process.pid);
  if (owner === null) throw new AgentError("broken-invariant", "This process is not in /proc.");
  const isElsewhere = workspace.mounts.some(({ target }) => target === PROGRAMS_TARGET);
  return hostConfig(profile, {
    imageId: machine.imageId,
    supervisorPath: isElsewhere ? null : sandboxFile("build/warder-supervisor"),
    hostsPath: isElsewhere ? null : sandboxFile("hosts"),
    // Podman reads the profile from a file of the machine that it runs on, Docker takes its text.
    seccomp: machine.engine.isPodman ? sandboxFile("seccomp.json") : readFileSync(sandboxFile("seccomp.json"), "utf8"),
    ...machine.engine,
    user: workspace.user,
    mounts: workspace.mounts,
    home: workspace.home,
    owner,
    ...(isElsewhere ? { ownerLabel: ownerLabel() } : {}),
    runId: options.runId,
    egressDirectory: machine.egressDirectory,
  });
}

function limitsOf({ HostConfig: config }: ContainerCreateOptions): LaneLimits {
  return { memoryBytes: config?.Memory ?? 0, processes: config?.PidsLimit ?? 0, cpus: (config?.NanoCpus ?? 0) / 1e9 };
}

/** The API that Podman 4.3 serves has no way to change a container's limits, so there the container's own control groups are written. */
async function holdOf(container: Container, supervisor: SupervisorClient, plan: HoldPlan): Promise<LaneHold | null> {
  if (!holdsToLimits(plan.engine)) return null;
  if (!plan.engine.isPodman) return dockerHold(container, supervisor, plan.limits);
  const { State: state } = await container.inspect();
  const groups = groupsOfContainer(state.Pid, container.id);
  return groups === null ? null : cgroupHold(groups, supervisor, plan.limits);
}

async function startLane(engine: Engine, container: Container, plan: StartPlan & HoldPlan): Promise<Lane> {
  const streams = await attachContainer(engine.address, container.id, engine.limit);
  try {
    await container.start();
    const supervisor = await connectSupervisor(
      { readable: streams.stdout, writable: streams.stdin },
      { helloTimeoutMs: HELLO_TIMEOUT_MS, graceMs: CLEAN_UP_GRACE_MS, onLost: plan.onLost },
    );
    let closing: Promise<void> | null = null;
    const close = async (): Promise<void> => {
      supervisor.close();
      streams.destroy();
      await removeContainer(container);
    };
    const lane = { supervisor, imageDigest: plan.imageId, uncounted: plan.engine.uncounted, close: () => (closing ??= close()) };
    const hold = await holdOf(container, supervisor, plan);
    return hold === null ? lane : { ...lane, hold };
  } catch (error) {
    streams.destroy();
    const complaint = streams.complaint();
    if (error instanceof AgentError || complaint === "") throw error;
    throw new AgentError("sandbox-unavailable", `The sandbox did not start: ${complaint}`, { cause: error });
  }
}

/**
 * Waits until a container is gone: its supervisor ends when its input does, and the engine removes it
 * then; by force when that takes long. Its processes and its shim have ended afterwards, also when the engine fails: then it throws `sandbox-unavailable`.
 */
export async function removeContainer(container: Container): Promise<void> {
  try {
    for (const deadline = performance.now() + REMOVE_TIMEOUT_MS; performance.now() < deadline; await sleep(20)) {
      const { State: state } = await untilEnded(() => container.inspect());
      if (state.Status === "created") break;
    }
    await removeByForce(container);
    // It was asked for by the engine itself, too, and whoever comes second is not told when that is done.
    for (const deadline = performance.now() + BEING_REMOVED_MS; performance.now() < deadline; await sleep(50)) await untilEnded(() => container.inspect());
  } catch (error) {
    // An engine that dies while a container starts or ends forgets what it had begun.
    if (isGone(error)) return await endLeftOf(container.id, REMOVE_TIMEOUT_MS);
    endProcessesOf(container.id);
    throw engineError(error);
  }
}

/** Removes a container whatever its state; what its engine forgets of it ends too. Throws as any call of the engine. */
export async function removeByForce(container: Container): Promise<void> {
  try {
    endFrozenOf(container.id);
    await untilEnded(() => container.remove({ force: true, v: true }));
  } catch (error) {
    if (!isGone(error) && !isBeingRemoved(error)) throw error;
  } finally {
    endProcessesOf(container.id);
  }
}

/** Asks again where what is asked about was just ending. */
async function untilEnded<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const deadline = performance.now() + REMOVE_TIMEOUT_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isEnding(error) || performance.now() > deadline) throw error;
      await sleep(20);
    }
  }
}
