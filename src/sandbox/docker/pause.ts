import type { Container } from "dockerode";
import { engineError } from "./engine.ts";
import type { LaneHold } from "../lane.ts";
import { usedMemory } from "../limits/cgroup-control.ts";
import { cgroupVersion, groupsFrom, type Kernel, KERNEL } from "../limits/cgroup-files.ts";
import { type LaneLimits, partOf } from "../limits/limits.ts";
import type { SupervisorClient } from "../supervisor/client.ts";

type Stats = { readonly memory_stats?: { readonly usage?: number; readonly stats?: Readonly<Record<string, number>> } };

/** Freezes a container and changes its limits through the engine, which knows the control groups of its version and driver. */
export function dockerHold(container: Container, supervisor: Pick<SupervisorClient, "expectSilence">, limits: LaneLimits, kernel: Kernel = KERNEL): LaneHold {
  let held = 1;
  return {
    freeze: () =>
      asked(async () => {
        supervisor.expectSilence(true);
        await container.pause();
      }),
    thaw: () =>
      asked(async () => {
        await container.unpause();
        supervisor.expectSilence(false);
      }),
    limit: (part) =>
      asked(async () => {
        // What grows has room for what is in use.
        const wanted = partOf(limits, part, part < held ? await usedIn(container, kernel) : 0);
        if (wanted === null) return false;
        const { memoryBytes, processes, cpus } = wanted;
        await container.update({ Memory: memoryBytes, MemorySwap: memoryBytes, PidsLimit: processes, NanoCpus: Math.floor(cpus * 1e9) });
        held = part;
        return true;
      }),
  };
}

/** As this machine shows it; an engine, which is asked where it does not, answers with the next of its looks, one a second. */
async function usedIn(container: Container, kernel: Kernel): Promise<number> {
  const { State: state } = await container.inspect();
  const [memory] = groupsFrom({ pid: state.Pid, containerId: container.id, controller: "memory" }, kernel);
  if (memory === undefined) return await usedByEngine(container);
  try {
    return usedMemory({ version: cgroupVersion(kernel.root), memory });
  } catch (error) {
    // Not for this user to read, or gone with the container, of which the engine tells.
    if (!["EACCES", "ENOENT", "ENODEV"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return await usedByEngine(container);
  }
}

async function usedByEngine(container: Container): Promise<number> {
  const { memory_stats: memory } = (await container.stats({ stream: false, "one-shot": true })) as Stats;
  // Version 1 and version 2 of control groups.
  const cache = memory?.stats?.["total_inactive_file"] ?? memory?.stats?.["inactive_file"] ?? 0;
  return Math.max(0, (memory?.usage ?? 0) - cache);
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw engineError(error);
  }
}
