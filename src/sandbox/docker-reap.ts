import { endProcessesOf } from "./container-processes.ts";
import { type Engine, engineError, isBeingRemoved, isGone } from "./docker-engine.ts";
import { isOwnerAlive } from "./owner.ts";

/** Removes containers whose owner is dead; one line for each. The engine outlived by its own kill -9 leaves such. */
export async function reapContainers(engine: Engine): Promise<readonly string[]> {
  let containers;
  try {
    containers = await engine.docker.listContainers({ all: true, filters: { label: ["warder.owner"] } });
  } catch (error) {
    throw engineError(error);
  }
  const lines: string[] = [];
  for (const { Id: id, Labels: labels } of containers) {
    if (isOwnerAlive(labels["warder.owner"] ?? "")) continue;
    try {
      await engine.docker.getContainer(id).remove({ force: true, v: true });
      lines.push(`removed container ${id.slice(0, 12)} of ${labels["warder.run"] ?? "an unknown run"}`);
    } catch (error) {
      if (!isGone(error) && !isBeingRemoved(error)) throw engineError(error);
    }
    endProcessesOf(id);
  }
  return lines;
}
