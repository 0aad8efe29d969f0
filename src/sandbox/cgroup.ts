import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxSettings } from "../policy/policy.ts";
import { isOwnerAlive, ownerName, ownerNamed } from "./owner.ts";

const ROOT = "/sys/fs/cgroup";
const PREFIX = "warder-";
const PERIOD_MICROSECONDS = 100_000;

/** Control groups that hold a sandbox's limits. */
export type Cgroups = {
  /** Files that a process writes its id to, before it starts anything. */
  readonly joinFiles: readonly string[];
  /** What could not be limited on this machine. */
  readonly missing: readonly string[];
  /** Removes the groups once their processes are gone. */
  remove(): Promise<void>;
};

/** Makes groups (version 1 or 2) with the limits of a policy, where this process may. `owner` and `name` make them known to the reaper. */
export function makeCgroups(settings: SandboxSettings, owner: string, name: string): Cgroups {
  const directories: string[] = [];
  const missing: string[] = [];
  for (const [parent, limits] of limitsOf(settings)) {
    const directory = `${parent}/${PREFIX}${ownerName(owner)}-${name}`;
    try {
      mkdirSync(directory);
      directories.push(directory);
      for (const [file, value] of limits) writeFileSync(`${directory}/${file}`, value);
    } catch (error) {
      // EROFS, EACCES, ENOENT: no such controller here, or not ours to use.
      missing.push(`${parent.slice(ROOT.length + 1) || "cgroup"}: ${(error as Error).message}`);
    }
  }
  return { joinFiles: directories.map((directory) => `${directory}/cgroup.procs`), missing, remove: () => removeAll(directories) };
}

/** Removes the groups of dead owners; one line for each. */
export function reapCgroups(): readonly string[] {
  const lines: string[] = [];
  for (const parent of [ROOT, `${ROOT}/memory`, `${ROOT}/pids`, `${ROOT}/cpu`]) {
    if (!existsSync(parent)) continue;
    for (const name of readdirSync(parent)) {
      const owner = /^warder-(.+?_\d+_\d+_\d+)-/u.exec(name)?.[1];
      if (owner === undefined || isOwnerAlive(ownerNamed(owner))) continue;
      if (removeEmpty(`${parent}/${name}`)) lines.push(`removed control group ${name}`);
    }
  }
  return lines;
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

function limitsOf(settings: SandboxSettings): Limits {
  const memory = String(settings.memoryBytes);
  const processes = String(settings.processes);
  const quota = String(Math.max(1000, Math.round(settings.cpus * PERIOD_MICROSECONDS)));
  if (existsSync(`${ROOT}/cgroup.controllers`)) {
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
