import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * A name for a process that no later process shares: boot, pid namespace, pid and start time (field 22
 * of `/proc/PID/stat`, in ticks since boot). A pid alone is given out again.
 */
export function ownerOfThisProcess(): string {
  return `${bootId()}/${pidNamespace()}/${process.pid}/${startTicks(process.pid) ?? "unknown"}`;
}

/** Whether the process that an owner names has ended for certain. What cannot be known is taken as alive. */
export function isOwnerDead(owner: string): boolean {
  const [boot, namespace, pid, start] = owner.split("/");
  if (boot === undefined || pid === undefined || start === undefined || start === "unknown") return false;
  if (boot !== bootId()) return true;
  // A pid of another container means nothing here.
  if (namespace !== pidNamespace()) return false;
  return startTicks(Number(pid)) !== start;
}

function bootId(): string {
  return readOrNull("/proc/sys/kernel/random/boot_id")?.trim() ?? `host-${hostname()}`;
}

function pidNamespace(): string {
  return readlinkSync("/proc/self/ns/pid");
}

function startTicks(pid: number): string | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses and may hold anything, also `)`.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    // Gone (ENOENT), or gone while it was read (ESRCH).
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return null;
    throw error;
  }
}
