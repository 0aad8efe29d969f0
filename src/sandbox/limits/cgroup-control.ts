import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentError } from "../../base/errors.ts";
import type { LaneHold } from "../lane.ts";
import type { LaneGroups } from "./cgroup-files.ts";
import { type LaneLimits, partOf } from "./limits.ts";
import type { SupervisorClient } from "../supervisor/client.ts";

export const PERIOD_MICROSECONDS = 100_000;
const MIN_QUOTA_MICROSECONDS = 1000;
/** A process that waits for a disk stands still when that has answered. */
const SETTLE_TIMEOUT_MS = 20_000;
const LOOK_MS = 2;

type Freezer = Pick<LaneGroups, "version" | "freezer">;

/** The time that a number of CPUs has in each period, as the kernel takes it. */
export function quotaOf(cpus: number): string {
  return String(Math.max(MIN_QUOTA_MICROSECONDS, Math.round(cpus * PERIOD_MICROSECONDS)));
}

/** Freezing and limits through a lane's own control groups; the supervisor's silence is expected meanwhile. */
export function cgroupHold(groups: LaneGroups, supervisor: Pick<SupervisorClient, "expectSilence">, limits: LaneLimits): LaneHold {
  return {
    freeze: () =>
      told(async () => {
        supervisor.expectSilence(true);
        await turn(groups, true);
      }),
    thaw: () =>
      told(async () => {
        await turn(groups, false);
        supervisor.expectSilence(false);
      }),
    limit: (part) =>
      told(() => {
        const wanted = partOf(limits, part, usedMemory(groups));
        return Promise.resolve(wanted !== null && hasWritten(groups, wanted));
      }),
  };
}

/** Ends what stands still, or is about to: kills all of it, then lets it go on, which is its end before it has done anything. False where nothing does. */
export function endFrozen(freezer: Freezer): boolean {
  try {
    if (stateOf(freezer) === "thawed") return false;
    for (const pid of readFileSync(join(freezer.freezer, "cgroup.procs"), "utf8").split("\n").map(Number)) if (pid > 1) kill(pid);
    order(freezer, false);
    return true;
  } catch (error) {
    // Another was faster.
    if (!["ENOENT", "ENODEV"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return false;
  }
}

function order({ version, freezer }: Freezer, isToFreeze: boolean): void {
  if (version === 1) writeFileSync(join(freezer, "freezer.state"), isToFreeze ? "FROZEN" : "THAWED");
  else writeFileSync(join(freezer, "cgroup.freeze"), isToFreeze ? "1" : "0");
}

function stateOf({ version, freezer }: Freezer): "frozen" | "thawed" | "turning" {
  if (version === 1) {
    const state = readFileSync(join(freezer, "freezer.state"), "utf8").trim();
    return state === "FROZEN" ? "frozen" : state === "THAWED" ? "thawed" : "turning";
  }
  const isFrozen = readFileSync(join(freezer, "cgroup.events"), "utf8").split("\n").includes("frozen 1");
  const isWanted = readFileSync(join(freezer, "cgroup.freeze"), "utf8").trim() === "1";
  return isFrozen !== isWanted ? "turning" : isFrozen ? "frozen" : "thawed";
}

/**
 * Returns when the kernel says that the last process stands, or goes on. Version 1 may pass over a process that was being made when the order was given, and
 * waits for it for ever: so the order is given again with every look.
 */
async function turn(groups: Freezer, isToFreeze: boolean): Promise<void> {
  const wanted = isToFreeze ? "frozen" : "thawed";
  order(groups, isToFreeze);
  for (const deadline = performance.now() + SETTLE_TIMEOUT_MS; stateOf(groups) !== wanted;) {
    if (performance.now() > deadline)
      throw new AgentError("sandbox-unavailable", `${groups.freezer} was not ${wanted} within ${String(SETTLE_TIMEOUT_MS / 1000)} s.`);
    await sleep(LOOK_MS);
    if (groups.version === 1) order(groups, isToFreeze);
  }
}

/** What could not be given back at once: the cache of files that nobody has open does not count. */
export function usedMemory({ version, memory }: Pick<LaneGroups, "version" | "memory">): number {
  const used = Number(readFileSync(join(memory, version === 1 ? "memory.usage_in_bytes" : "memory.current"), "utf8"));
  const cache = (version === 1 ? /^total_inactive_file (\d+)$/mu : /^inactive_file (\d+)$/mu).exec(readFileSync(join(memory, "memory.stat"), "utf8"));
  return Math.max(0, used - Number(cache?.[1] ?? 0));
}

/** Memory first: it alone may be refused, and then nothing has changed. */
function hasWritten({ version, memory, pids, cpu }: LaneGroups, { memoryBytes, processes, cpus }: LaneLimits): boolean {
  try {
    if (version === 1) writeMemory(memory, memoryBytes);
    else writeFileSync(join(memory, "memory.max"), String(memoryBytes));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EBUSY") return false;
    throw error;
  }
  writeFileSync(join(pids, "pids.max"), String(processes));
  if (version === 2) writeFileSync(join(cpu, "cpu.max"), `${quotaOf(cpus)} ${String(PERIOD_MICROSECONDS)}`);
  else {
    writeFileSync(join(cpu, "cpu.cfs_period_us"), String(PERIOD_MICROSECONDS));
    writeFileSync(join(cpu, "cpu.cfs_quota_us"), quotaOf(cpus));
  }
  return true;
}

/** Memory with swap, where that is counted, is never below memory alone: of two numbers that grow it is the first, of two that shrink the last. */
function writeMemory(memory: string, bytes: number): void {
  const [own, withSwap] = [join(memory, "memory.limit_in_bytes"), join(memory, "memory.memsw.limit_in_bytes")];
  const files = existsSync(withSwap) ? [own, withSwap] : [own];
  const isGrowing = bytes > Number(readFileSync(own, "utf8"));
  for (const file of isGrowing ? files.toReversed() : files) writeFileSync(file, String(bytes));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // Ended meanwhile; or another user's, which only root could end.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AgentError) throw error;
    throw new AgentError("sandbox-unavailable", `The sandbox's control groups cannot be used: ${(error as Error).message}`, { cause: error });
  }
}
