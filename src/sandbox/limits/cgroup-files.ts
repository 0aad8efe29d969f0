import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const CGROUP_ROOT = "/sys/fs/cgroup";

const CONTROLLERS = ["memory", "pids", "cpu", "freezer"] as const;
export type Controller = (typeof CONTROLLERS)[number];

/** The control group of each controller that a lane is held by: directories, with version 2 all the same one. */
export type LaneGroups = { readonly version: 1 | 2 } & Readonly<Record<Controller, string>>;

/** What is written of each. */
const WRITTEN: Readonly<Record<1 | 2, Readonly<Record<Controller, readonly string[]>>>> = {
  1: { memory: ["memory.limit_in_bytes"], pids: ["pids.max"], cpu: ["cpu.cfs_period_us", "cpu.cfs_quota_us"], freezer: ["freezer.state"] },
  2: { memory: ["memory.max"], pids: ["pids.max"], cpu: ["cpu.max"], freezer: ["cgroup.freeze"] },
};
/** What is only read. */
const READ: typeof WRITTEN = {
  1: { memory: ["memory.usage_in_bytes", "memory.stat"], pids: [], cpu: [], freezer: ["cgroup.procs"] },
  2: { memory: ["memory.current", "memory.stat"], pids: [], cpu: [], freezer: ["cgroup.procs", "cgroup.events"] },
};

/** The kernel's file systems: others in tests. */
export type Kernel = { readonly root: string; readonly proc: string };
export const KERNEL: Kernel = { root: CGROUP_ROOT, proc: "/proc" };

/** Which version limits are written in here: 1 also where version 2 is mounted beside it. */
export function cgroupVersion(root: string = CGROUP_ROOT): 1 | 2 {
  return existsSync(join(root, "cgroup.controllers")) ? 2 : 1;
}

/** Whether this process may give a lane other limits and freeze it: all of that, or it counts as nothing. */
export function areHoldable(groups: LaneGroups): boolean {
  return CONTROLLERS.every((controller) => isUsable(groups.version, controller, groups[controller]));
}

/**
 * The control groups of a container that an engine started as process `pid`; null where this machine shows none that are certainly this
 * container's, or this process may not write one of them.
 */
export function groupsOfContainer(pid: number, containerId: string, kernel: Kernel = KERNEL): LaneGroups | null {
  const version = cgroupVersion(kernel.root);
  const needed = (controller: Controller): readonly Controller[] => (version === 1 ? [controller] : CONTROLLERS);
  const [memory, pids, cpu, freezer] = CONTROLLERS.map((controller) =>
    // The deepest that will do: crun starts a container in a group inside of the one that systemd made, where a controller may be missing.
    groupsFrom({ pid, containerId, controller }, kernel).find((directory) => needed(controller).every((each) => isUsable(version, each, directory))),
  );
  if (memory === undefined || pids === undefined || cpu === undefined || freezer === undefined) return null;
  return { version, memory, pids, cpu, freezer };
}

/**
 * From the group that a process is in upwards, as far as they lie in one that is named after the container. None where it is not, or
 * where the process is not in it: its id may mean another process where the engine runs.
 */
export function groupsFrom(
  { pid, containerId, controller }: { readonly pid: number; readonly containerId: string; readonly controller: Controller },
  { root, proc }: Kernel = KERNEL,
): readonly string[] {
  // Only whole ids, which no other group's name holds by chance.
  if (!/^[0-9a-f]{64}$/u.test(containerId)) return [];
  const isUnified = cgroupVersion(root) === 2;
  const own = (textOf(join(proc, String(pid), "cgroup")) ?? "")
    .split("\n")
    .map((line) => /^\d+:(?<controllers>[^:]*):\/(?<path>.+)$/u.exec(line)?.groups)
    .find((group) => (isUnified ? group?.["controllers"] === "" : group?.["controllers"]?.split(",").includes(controller)));
  const names = own?.["path"]?.split("/") ?? [];
  // What lies outside of what this process is shown begins with `..`, and is elsewhere below the root.
  if (names.includes("..")) return [];
  const base = isUnified ? root : join(root, controller);
  const at = (depth: number): string => join(base, ...names.slice(0, depth));
  const members = textOf(join(at(names.length), "cgroup.procs"))?.split("\n") ?? [];
  const topmost = names.findIndex((name) => name.includes(containerId)) + 1;
  if (topmost === 0 || !members.includes(String(pid))) return [];
  return Array.from({ length: names.length - topmost + 1 }, (_unused, up) => at(names.length - up));
}

function isUsable(version: 1 | 2, controller: Controller, directory: string): boolean {
  const isAllowed = (name: string, mode: number): boolean => mayAccess(join(directory, name), mode);
  return (
    WRITTEN[version][controller].every((name) => isAllowed(name, constants.R_OK | constants.W_OK)) &&
    READ[version][controller].every((name) => isAllowed(name, constants.R_OK))
  );
}

function mayAccess(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/** Null for a group or a process that is gone. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ENODEV", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}
