import { type Engine, engineError } from "./engine.ts";
import { removeByForce } from "./lane.ts";
import { isOfThisBoot, isOwnerAlive } from "../owner.ts";

/**
 * Removes containers whose owner is dead; of an engine that other machines may use (`isShared`), only those of this machine's. Returns a line for each, also for one that the engine does not remove: a container that outlived a kill -9 of the engine can be such. */
export async function reapContainers(engine: Engine, isShared = false): Promise<readonly string[]> {
  let containers;
  try {
    containers = await engine.docker.listContainers({ all: true, filters: { label: ["warder.owner"] } });
  } catch (error) {
    throw engineError(error);
  }
  const lines: string[] = [];
  for (const { Id: id, Labels: labels } of containers) {
    const owner = labels["warder.owner"] ?? "";
    if (isOwnerAlive(owner) || (isShared && !isOfThisBoot(owner))) continue;
    const name = `container ${id.slice(0, 12)} of ${labels["warder.run"] ?? "an unknown run"}`;
    try {
      await removeByForce(engine.docker.getContainer(id));
      lines.push(`removed ${name}`);
    } catch (error) {
      // Its processes have ended. That an engine keeps what is left of one container must not stop every later start.
      lines.push(`could not remove ${name}: ${engineError(error).message}`);
    }
  }
  return lines;
}
