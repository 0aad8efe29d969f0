import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { groupsOfContainer, type Kernel } from "../../../src/sandbox/limits/cgroup-files.ts";

const ID = "0123456789abcdef".repeat(4);
const PID = 4711;
const UNIFIED = ["memory.max", "memory.current", "memory.stat", "pids.max", "cpu.max", "cgroup.freeze", "cgroup.events", "cgroup.procs"];
const OLD = {
  memory: ["memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat", "cgroup.procs"],
  pids: ["pids.max", "cgroup.procs"],
  "cpu,cpuacct": ["cpu.cfs_period_us", "cpu.cfs_quota_us", "cgroup.procs"],
  freezer: ["freezer.state", "cgroup.procs"],
};

describe("the control groups of a container", () => {
  let folder = "";
  let kernel: Kernel = { root: "", proc: "" };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "warder-test-"));
    kernel = { root: join(folder, "cgroup"), proc: join(folder, "proc") };
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function put(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const group = (path: string, files: readonly string[]): void => {
    for (const file of files) put(join(kernel.root, path, file), file === "cgroup.procs" ? `12\n${String(PID)}\n` : "");
  };
  const inGroup = (lines: string): void => {
    put(join(kernel.proc, String(PID), "cgroup"), lines);
  };
  const found = (): unknown => groupsOfContainer(PID, ID, kernel);

  /** Version 2, as crun below systemd has it: the process in a group inside of the container's. */
  const unified = (inner: readonly string[], outer: readonly string[] = UNIFIED): string => {
    put(join(kernel.root, "cgroup.controllers"), "cpu memory pids");
    group("machine.slice", UNIFIED);
    group(`machine.slice/libpod-${ID}.scope`, outer);
    group(`machine.slice/libpod-${ID}.scope/container`, inner);
    inGroup(`0::/machine.slice/libpod-${ID}.scope/container\n`);
    return join(kernel.root, `machine.slice/libpod-${ID}.scope`);
  };
  const all = (directory: string) => ({ version: 2, memory: directory, pids: directory, cpu: directory, freezer: directory });

  test("of version 2 are one, the deepest that has every file", () => {
    const scope = unified(UNIFIED);
    expect(found()).toEqual(all(join(scope, "container")));
    rmSync(join(scope, "container", "memory.max"));
    expect(found()).toEqual(all(scope));
  });

  test("of version 2 are none where the container's own lack a file, whatever lies above", () => {
    unified(
      ["cgroup.procs"],
      UNIFIED.filter((file) => file !== "cpu.max"),
    );
    expect(found()).toBeNull();
  });

  const old = (path: string): void => {
    for (const [controller, files] of Object.entries(OLD)) group(join(controller, path), files);
    // As systemd mounts two controllers at once, with a link for each.
    mkdirSync(join(kernel.root, "cpu"), { recursive: true });
    group(join("cpu", path), OLD["cpu,cpuacct"]);
  };

  test("of version 1 are one for each controller, also where version 2 is mounted beside it", () => {
    old(`libpod_parent/libpod-${ID}`);
    const path = `/libpod_parent/libpod-${ID}`;
    inGroup(`5:freezer:${path}\n4:cpu,cpuacct:${path}\n3:pids:${path}\n2:memory:${path}\n1:name=systemd:/\n0::/\n`);
    expect(found()).toEqual({
      version: 1,
      ...Object.fromEntries(["memory", "pids", "cpu", "freezer"].map((controller) => [controller, join(kernel.root, controller, path)])),
    });
    rmSync(join(kernel.root, "freezer", path, "freezer.state"));
    expect(found()).toBeNull();
  });

  test.each<[string, () => void]>([
    ["that is not named after it", () => inGroup("0::/machine.slice\n")],
    ["that this machine shows elsewhere", () => inGroup(`0::/../machine.slice/libpod-${ID}.scope/container\n`)],
    ["that is not there", () => inGroup(`0::/other/libpod-${ID}.scope\n`)],
    ["in which the process is not", () => put(join(kernel.root, `machine.slice/libpod-${ID}.scope/container/cgroup.procs`), "12\n47110\n")],
    ["of a process that is gone", () => rmSync(join(kernel.proc, String(PID)), { recursive: true })],
  ])("are none for a group %s", (_what, arrange) => {
    unified(UNIFIED);
    arrange();
    expect(found()).toBeNull();
  });

  test("are none for a part of an id", () => {
    unified(UNIFIED);
    expect(groupsOfContainer(PID, ID.slice(0, 12), kernel)).toBeNull();
    expect(groupsOfContainer(PID, "", kernel)).toBeNull();
  });
});
