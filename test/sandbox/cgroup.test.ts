import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { reapCgroups } from "../../src/sandbox/cgroup.ts";
import { ownerName } from "../../src/sandbox/owner.ts";
import { deadOwner } from "../support/dead-owner.ts";
import { runsRootTests } from "../support/root.ts";

const ROOT = existsSync("/sys/fs/cgroup/cgroup.controllers") ? "/sys/fs/cgroup" : "/sys/fs/cgroup/pids";

test.runIf(runsRootTests)("groups of dead owners go when the last process has left them, and no reaping fails before", async () => {
  const name = `warder-${ownerName(deadOwner())}-run-${process.pid}`;
  mkdirSync(`${ROOT}/${name}`);
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  try {
    writeFileSync(`${ROOT}/${name}/cgroup.procs`, String(child.pid));
    expect(reapCgroups().join("\n")).not.toContain(name);
    child.kill("SIGKILL");
    await once(child, "exit");
    for (let tries = 0; tries < 100 && existsSync(`${ROOT}/${name}`); tries += 1) {
      reapCgroups();
      await sleep(20);
    }
    expect(existsSync(`${ROOT}/${name}`)).toBe(false);
  } finally {
    child.kill("SIGKILL");
    if (existsSync(`${ROOT}/${name}`)) rmdirSync(`${ROOT}/${name}`);
  }
});
