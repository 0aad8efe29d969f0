import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { reapCgroups } from "../../../src/sandbox/limits/cgroups.ts";
import { endFrozen } from "../../../src/sandbox/limits/cgroup-control.ts";
import { cgroupVersion } from "../../../src/sandbox/limits/cgroup-files.ts";
import { ownerName } from "../../../src/sandbox/owner.ts";
import { deadOwner } from "../../support/dead-owner.ts";
import { runsRootTests } from "../../support/root.ts";
import { once, until } from "../../support/until.ts";

const ROOT = existsSync("/sys/fs/cgroup/cgroup.controllers") ? "/sys/fs/cgroup" : "/sys/fs/cgroup/pids";

/** Whatever else reaps on this machine may remove a group while nobody is in it. */
async function join(directory: string, child: ChildProcess): Promise<void> {
  await until("a group with a process in it", () => {
    mkdirSync(directory, { recursive: true });
    try {
      writeFileSync(`${directory}/cgroup.procs`, String(child.pid));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
  });
}

test.runIf(runsRootTests)("groups of dead owners go when the last process has left them, and no reaping fails before", async () => {
  const name = `warder-${ownerName(deadOwner())}-run-${process.pid}`;
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  try {
    await join(`${ROOT}/${name}`, child);
    expect((await reapCgroups()).join("\n")).not.toContain(name);
    child.kill("SIGKILL");
    await once(child, "exit");
    await until("the group is gone", async () => {
      await reapCgroups();
      return !existsSync(`${ROOT}/${name}`);
    });
  } finally {
    child.kill("SIGKILL");
    if (existsSync(`${ROOT}/${name}`)) rmdirSync(`${ROOT}/${name}`);
  }
});

test.runIf(runsRootTests)("what stands still in a group of a dead owner is ended, and the group goes", async () => {
  const version = cgroupVersion();
  const directory = `/sys/fs/cgroup/${version === 1 ? "freezer/" : ""}warder-${ownerName(deadOwner())}-frozen-${process.pid}`;
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  try {
    await join(directory, child);
    writeFileSync(`${directory}/${version === 1 ? "freezer.state" : "cgroup.freeze"}`, version === 1 ? "FROZEN" : "1");
    await reapCgroups();
    await expect.poll(() => child.signalCode, { timeout: 60_000 }).toBe("SIGKILL");
    await until("the group is gone", async () => {
      await reapCgroups();
      return !existsSync(directory);
    });
  } finally {
    child.kill("SIGKILL");
    endFrozen({ version, freezer: directory });
    await until("the group is gone", () => {
      if (existsSync(directory) && child.signalCode !== null) rmdirSync(directory);
      return !existsSync(directory);
    });
  }
});
