import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { endFrozen } from "../limits/cgroup-control.ts";
import { cgroupVersion, groupsFrom } from "../limits/cgroup-files.ts";

const LOOK_MS = 50;

/**
 * Kills what is left of a container that its engine has removed, on this machine: processes of its control group, and the shim that watches them. An
 * engine that dies while a container starts forgets both (containerd killed between a task's creation and its start). Returns how many there were.
 */
export function endProcessesOf(containerId: string): number {
  return processesOf(containerId).filter(hasKilled).length;
}

/**
 * The same for a container that ended by itself and is gone: its engine may have died between the two (containerd killed before it ended the shim).
 * What still ends by itself, as Podman's cleaning up does, has `graceMs` for it.
 */
export async function endLeftOf(containerId: string, graceMs: number): Promise<void> {
  for (const deadline = performance.now() + graceMs; performance.now() < deadline; await sleep(LOOK_MS)) if (processesOf(containerId).length === 0) return;
  endProcessesOf(containerId);
}

/** Ends a container of Podman's that stands still. Podman did not freeze it, and whether what it kills can end is up to the OCI runtime (runc thaws it). */
export function endFrozenOf(containerId: string): void {
  for (const pid of processesOf(containerId)) {
    const groups = groupsFrom({ pid, containerId, controller: "freezer" });
    for (const freezer of groups.filter((group) => group.includes(`libpod-${containerId}`))) endFrozen({ version: cgroupVersion(), freezer });
  }
}

function processesOf(containerId: string): readonly number[] {
  // Only whole ids, which nobody else's command line or group holds by chance.
  if (!/^[0-9a-f]{64}$/u.test(containerId)) return [];
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/u.test(pid) && belongsTo(pid, containerId))
    .map(Number);
}

function belongsTo(pid: string, containerId: string): boolean {
  try {
    // A process that has ended and waits for its parent to see it holds nothing any more.
    if (/\) [ZX] /u.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) return false;
    if (readFileSync(`/proc/${pid}/cgroup`, "utf8").includes(containerId)) return true;
    const argv = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return /(?:^|\/)(?:containerd-shim[\w-]*|conmon)$/u.test(argv[0] ?? "") && argv.includes(containerId);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return false;
    throw error;
  }
}

function hasKilled(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Ended meanwhile; or another user's, which only root could end.
    if (code === "ESRCH" || code === "EPERM") return false;
    throw error;
  }
}
