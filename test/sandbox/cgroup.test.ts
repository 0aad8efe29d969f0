import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { reapCgroups } from "../../src/sandbox/cgroup.ts";
import { ownerName } from "../../src/sandbox/owner.ts";
import { deadOwner } from "../support/dead-owner.ts";
import { runsRootTests } from "../support/root.ts";
import { until } from "../support/until.ts";

const ROOT = existsSync("/sys/fs/cgroup/cgroup.controllers") ? "/sys/fs/cgroup" : "/sys/fs/cgroup/pids";

test.runIf(runsRootTests)("groups of dead owners go when the last process has left them, and no reaping fails before", async () => {
  const name = `warder-${ownerName(deadOwner())}-run-${process.pid}`;
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  try {
    // Whatever else reaps on this machine may remove it while nobody is in it.
    await until("a group with a process in it", () => {
      mkdirSync(`${ROOT}/${name}`, { recursive: true });
      try {
        writeFileSync(`${ROOT}/${name}/cgroup.procs`, String(child.pid));
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
        throw error;
      }
    });
    expect(reapCgroups().join("\n")).not.toContain(name);
    child.kill("SIGKILL");
    await once(child, "exit");
    await until("the group is gone", () => {
      reapCgroups();
      return !existsSync(`${ROOT}/${name}`);
    });
  } finally {
    child.kill("SIGKILL");
    if (existsSync(`${ROOT}/${name}`)) rmdirSync(`${ROOT}/${name}`);
  }
});
