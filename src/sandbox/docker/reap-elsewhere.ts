import { basename, dirname, join } from "node:path";
import type { VolumeInspectInfo } from "dockerode";
import { isOwnerAlive } from "../owner.ts";
import { readRecord, owedFrom } from "../workspace/record.ts";
import { STORE_LABEL } from "./carrier.ts";
import { ownerLabel } from "./elsewhere/labels.ts";
import { removeContainer, removeVolume } from "./elsewhere/store.ts";
import { type Engine, engineError } from "./engine.ts";

/**
 * Removes what dead owners of this machine left on an engine elsewhere. A volume with what a run wrote stays as long as the run's record names it, and where
 * the run is another Warder's. Returns a line for each.
 */
export async function reapElsewhere(engine: Engine, stateDirectory: string): Promise<readonly string[]> {
  const { docker } = engine;
  const key = ownerLabel();
  const lines: string[] = [];
  const remove = async (what: string, removal: () => Promise<void>): Promise<void> => {
    try {
      await removal();
      lines.push(`removed ${what}`);
    } catch (error) {
      // One that the engine keeps must not stop every later start.
      lines.push(`could not remove ${what}: ${engineError(error).message}`);
    }
  };
  try {
    for (const { Id: id, Labels: labels } of await docker.listContainers({ all: true, filters: { label: [key] } }))
      if (isLeft(labels[key]))
        await remove(`container ${id.slice(0, 12)} of ${labels["warder.run"] ?? "an unknown run"}`, () => removeContainer(docker.getContainer(id)));
    const found: { readonly Volumes: readonly VolumeInspectInfo[] | null } = await docker.listVolumes({ filters: JSON.stringify({ label: [key] }) });
    // A volume that others show parts of has the shortest name, and goes last.
    for (const { Name: name, Labels: labels } of (found.Volumes ?? []).toSorted((one, other) => other.Name.length - one.Name.length))
      if (isLeft(labels[key]) && !isKept(name, labels, stateDirectory))
        await remove(`volume ${name} of ${labels["warder.run"] ?? "an unknown run"}`, () => removeVolume(docker, name));
  } catch (error) {
    throw engineError(error);
  }
  return lines;
}

/** What names no owner of this machine is somebody else's, whatever the engine lists. */
const isLeft = (owner: string | undefined): boolean => owner !== undefined && !isOwnerAlive(owner);

function isKept(name: string, labels: Readonly<Record<string, string>>, stateDirectory: string): boolean {
  const directory = labels[STORE_LABEL];
  if (directory === undefined) return false;
  if (dirname(directory) !== join(stateDirectory, "runs") || basename(directory) === "") return true;
  const record = readRecord(directory);
  return record !== null && owedFrom(record)?.store === name;
}
