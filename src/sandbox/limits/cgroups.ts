import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { endFrozen, PERIOD_MICROSECONDS, quotaOf } from "./cgroup-control.ts";
import { areHoldable, CGROUP_ROOT as ROOT, cgroupVersion, type LaneGroups } from "./cgroup-files.ts";
import type { LaneLimits } from "./limits.ts";
import { isOwnerAlive, ownerName, ownerNamed } from "../owner.ts";

const PREFIX = "warder-";
/** What was killed, here or with its owner, takes a moment to go, and its groups are busy until then. */
const GOING_MS = 5000;

/** Control groups that hold a sandbox's limits. */
export type Cgroups = {
  /** Files that a process writes its id to, before it starts anything. */
  readonly joinFiles: readonly string[];
  /** What could not be limited on this machine. */
  readonly missing: readonly string[];
  /** What the sandbox can be held by beside others; null where this process may not write all of that. */
  readonly groups: LaneGroups | null;
  /** Removes the groups once their processes are gone. */
  remove(): Promise<void>;
};

/** Makes groups (version 1 or 2) with the limits of a policy, where this process may. `owner` and `name` make them known to the reaper. */
export function makeCgroups(settings: LaneLimits, owner: string, name: string): Cgroups {
  const groupName = `${PREFIX}${ownerName(owner)}-${name}`;
  const directories: string[] = [];
  const missing: string[] = [];
  for (const [parent, limits] of limitsOf(settings)) {
    const directory = `${parent}/${groupName}`;
    try {
      mkdirSync(directory);
      directories.push(directory);
      for (const [file, value] of limits) writeFileSync(`${directory}/${file}`, value);
    } catch (error) {
      // EROFS, EACCES, ENOENT: no such controller here, or not ours to use.
      missing.push(`${parent.slice(ROOT.length + 1) || "cgroup"}: ${(error as Error).message}`);
    }
  }
  const groups = missing.length === 0 ? laneGroups(groupName) : null;
  return {
    joinFiles: directories.map((directory) => `${directory}/cgroup.procs`),
    missing,
    groups: groups !== null && areHoldable(groups) ? groups : null,
    remove: () => removeAll(directories),
  };
}

function laneGroups(name: string): LaneGroups {
  const version = cgroupVersion();
  const at = (controller: string): string => (version === 1 ? `${ROOT}/${controller}/${name}` : `${ROOT}/${name}`);
  return { version, memory: at("memory"), pids: at("pids"), cpu: at("cpu"), freezer: at("freezer") };
}

/** Ends what stands still in the groups of dead owners, which nothing else would ever end, and removes the groups; one line for each. */
export async function reapCgroups(): Promise<readonly string[]> {
  const lines: string[] = [];
  const left = [ROOT, `${ROOT}/memory`, `${ROOT}/pids`, `${ROOT}/cpu`, `${ROOT}/freezer`].flatMap((parent) => deadGroups(parent));
  for (const { directory } of left) endFrozen({ version: cgroupVersion(), freezer: directory });
  const deadline = performance.now() + GOING_MS;
  for (const { directory, name } of left) {
    let isRemoved = removeEmpty(directory);
    for (; !isRemoved && existsSync(directory) && performance.now() < deadline; isRemoved = removeEmpty(directory)) await sleep(10);
    if (isRemoved) lines.push(`removed control group ${name}`);
  }
  return lines;
}

function deadGroups(parent: string): readonly { readonly directory: string; readonly name: string }[] {
  if (!existsSync(parent)) return [];
  return readdirSync(parent).flatMap((name) => {
    const owner = /^warder-(.+?_\d+_\d+_\d+)-/u.exec(name)?.[1];
    return owner === undefined || isOwnerAlive(ownerNamed(owner)) ? [] : [{ directory: `${parent}/${name}`, name }];
  });
}

/** False when processes are still on their way out of it (EBUSY), or somebody else was faster: the next reaping looks again. */
function removeEmpty(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch (error) {
    if (["EBUSY", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

type Limits = readonly (readonly [parent: string, limits: readonly (readonly [file: string, value: string])[]])[];

function limitsOf(settings: LaneLimits): Limits {
  const memory = String(settings.memoryBytes);
  const processes = String(settings.processes);
  const quota = quotaOf(settings.cpus);
  if (cgroupVersion() === 2) {
    const limits: [string, string][] = [
      ["memory.max", memory],
      ["pids.max", processes],
      ["cpu.max", `${quota} ${String(PERIOD_MICROSECONDS)}`],
    ];
    const hasSwap = readFileSync("/proc/swaps", "utf8").trim().split("\n").length > 1;
    return [[ROOT, hasSwap ? [...limits, ["memory.swap.max", "0"]] : limits]];
  }
  return [
    [`${ROOT}/memory`, [["memory.limit_in_bytes", memory]]],
    [`${ROOT}/pids`, [["pids.max", processes]]],
    [
      `${ROOT}/cpu`,
      [
        ["cpu.cfs_period_us", String(PERIOD_MICROSECONDS)],
        ["cpu.cfs_quota_us", quota],
      ],
    ],
    [`${ROOT}/freezer`, []],
  ];
}

async function removeAll(directories: readonly string[]): Promise<void> {
  for (const directory of directories) {
    for (let tries = 0; existsSync(directory); tries += 1) {
      try {
        rmdirSync(directory);
      } catch (error) {
        // EBUSY: the last process is still on its way out.
        if ((error as NodeJS.ErrnoException).code !== "EBUSY" || tries > 100) throw error;
        await sleep(10);
      }
    }
  }
}
