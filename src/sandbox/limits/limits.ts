import type { SandboxSettings } from "../../policy/policy.ts";

/** What a lane is limited to. */
export type LaneLimits = Pick<SandboxSettings, "memoryBytes" | "processes" | "cpus">;

/** A part that is used up to here is no room to work in: below what is in use the kernel would kill, and might choose the supervisor. */
const MAX_USED = 0.8;
/** The supervisor, its forwarder and a command with a child or two. */
const MIN_PROCESSES = 8;

/** A part (above 0, at most 1) of a lane's limits; null where the lane uses so much memory that it would not do. */
export function partOf(limits: LaneLimits, part: number, usedBytes: number): LaneLimits | null {
  const memoryBytes = Math.floor(limits.memoryBytes * part);
  if (usedBytes > memoryBytes * MAX_USED) return null;
  return { memoryBytes, processes: Math.max(MIN_PROCESSES, Math.floor(limits.processes * part)), cpus: limits.cpus * part };
}
