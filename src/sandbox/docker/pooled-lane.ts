import { newId } from "../../base/ids.ts";
import { AgentError } from "../../base/errors.ts";
import { type DockerLanePlan, machineOf, openDockerLane } from "./lane.ts";
import { canBePooled, type DockerSlot, kindOf, openSlot } from "./ready-container.ts";
import type { Lane, LaneOptions } from "../lane.ts";
import type { SandboxPool } from "./pool.ts";
import type { PreparedWorkspace } from "../workspace/prepare.ts";

/**
 * Takes a ready lane of this kind from the pool, or opens a new one, and starts the next of the kind meanwhile. Throws
 * `sandbox-unavailable`; then nothing is left.
 */
export async function openPooledLane(plan: DockerLanePlan, pool: SandboxPool, workspace: PreparedWorkspace, laneOptions: LaneOptions): Promise<Lane> {
  const machine = await machineOf(plan, laneOptions);
  if (!canBePooled(plan.profile)) return await openDockerLane(plan, workspace, laneOptions, machine);
  const shape = { user: workspace.user, home: workspace.home, mounts: workspace.mounts.filter(({ kind }) => kind === "scratch") };
  const kind = kindOf(plan, shape, machine);
  const lane = (await occupied(pool, kind, workspace, laneOptions)) ?? (await openDockerLane(plan, workspace, laneOptions, machine));
  pool.prepare(kind, () => openSlot(plan, shape, { machine, pool, id: newId("ready") }));
  pool.prepareImage();
  return lane;
}

async function occupied(pool: SandboxPool, kind: string, workspace: PreparedWorkspace, laneOptions: LaneOptions): Promise<Lane | null> {
  const slot = (await pool.take(kind)) as DockerSlot | null;
  if (slot === null) return null;
  try {
    return await slot.occupy(workspace, laneOptions);
  } catch (error) {
    // An engine whose processes this process cannot enter: as if there were no pool.
    if (error instanceof AgentError && error.code === "sandbox-unavailable") return null;
    throw error;
  }
}
