import type { Container } from "dockerode";
import { engineError } from "./engine.ts";
import type { LaneHold } from "../lane.ts";
import { type LaneLimits, partOf } from "../limits/limits.ts";
import type { SupervisorClient } from "../supervisor/client.ts";

type Stats = { readonly memory_stats?: { readonly usage?: number; readonly stats?: Readonly<Record<string, number>> } };

/** Freezes a container and changes its limits through the engine, which knows the control groups of its version and driver. */
export function dockerHold(container: Container, supervisor: SupervisorClient, limits: LaneLimits): LaneHold {
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
        const wanted = partOf(limits, part, await usedMemory(container));
        if (wanted === null) return false;
        const { memoryBytes, processes, cpus } = wanted;
        await container.update({ Memory: memoryBytes, MemorySwap: memoryBytes, PidsLimit: processes, NanoCpus: Math.floor(cpus * 1e9) });
        return true;
      }),
  };
}

/** What could not be given back at once: the cache of files that nobody has open does not count. */
async function usedMemory(container: Container): Promise<number> {
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
