import type { Container } from "dockerode";
import { engineError } from "./docker-engine.ts";
import type { LaneHold } from "./lane.ts";
import type { SupervisorClient } from "./supervisor/client.ts";

/** What an engine limits of a container: bytes, processes, billionths of a CPU. */
export type ContainerLimits = { readonly Memory: number; readonly PidsLimit: number; readonly NanoCpus: number };

/** A part that is used up to here is no room to work in. */
const MAX_USED = 0.8;
/** The supervisor, its forwarder and a command with a child or two. */
const MIN_PROCESSES = 8;

type Stats = { readonly memory_stats?: { readonly usage?: number; readonly stats?: Readonly<Record<string, number>> } };

/** Freezing through the engine, which knows the control groups of its version and driver; the supervisor's silence is expected meanwhile. */
export function dockerHold(container: Container, supervisor: SupervisorClient, limits: ContainerLimits): LaneHold {
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
        const memory = Math.floor(limits.Memory * part);
        const used = await usedMemory(container);
        // Below what is in use the kernel would kill, and might choose the supervisor.
        if (used > memory * MAX_USED) return false;
        await container.update({
          Memory: memory,
          MemorySwap: memory,
          PidsLimit: Math.max(MIN_PROCESSES, Math.floor(limits.PidsLimit * part)),
          NanoCpus: Math.floor(limits.NanoCpus * part),
        });
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
