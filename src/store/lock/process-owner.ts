import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * A name for a process that no later process shares: boot, pid namespace, pid and start time (field 22
 * of `/proc/PID/stat`, in ticks since boot), joined by `/`. A pid alone is given out again.
 */
export function ownerOfThisProcess(): string {
  return `${bootId()}/${pidNamespace()}/${process.pid}/${startTicks(process.pid) ?? "unknown"}`;
}

/** The same of another process of this pid namespace; null when it runs no more. */
export function ownerOf(pid: number): string | null {
  const start = startTicks(pid);
  return start === null ? null : `${bootId()}/${pidNamespace()}/${pid}/${start}`;
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

/** The pid in an owner, for a person. */
export function pidOf(owner: string): string {
  return owner.split("/")[2] ?? "?";
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
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  // A zombie runs nothing any more and holds nothing open.
  return fields[0] === "Z" ? null : (fields[19] ?? null);
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
