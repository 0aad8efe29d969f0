import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cgroupHold, endFrozen } from "../../../src/sandbox/limits/cgroup-control.ts";
import { openEngine } from "../../../src/sandbox/docker/engine.ts";
import { removeByForce } from "../../../src/sandbox/docker/lane.ts";
import { CGROUP_ROOT, cgroupVersion } from "../../../src/sandbox/limits/cgroup-files.ts";
import { runsRootTests } from "../../support/root.ts";
import { once, until } from "../../support/until.ts";

const LIMITS = { memoryBytes: 1000, processes: 60, cpus: 1.5 };

/** Freezers of this machine: of version 1, and of version 2, which may be mounted beside it without any other controller. */
const FREEZERS = ["/sys/fs/cgroup/freezer", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"]
  .filter((path) => existsSync(`${path}/cgroup.procs`))
  .map((path) => [path, existsSync(`${path}/cgroup.controllers`) ? 2 : 1] as const);

async function removed(directory: string): Promise<void> {
  await until("the group is gone", () => {
    try {
      rmdirSync(directory);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EBUSY") return false;
      throw error;
    }
  });
}

describe.runIf(runsRootTests).each(FREEZERS)("the freezer below %s", (parent, version) => {
  let directory = "";
  let child: ChildProcess;
  let silences: boolean[];
  beforeEach(() => {
    directory = `${parent}/test-of-warder-${String(process.pid)}`;
    mkdirSync(directory);
    child = spawn("sh", ["-c", "while :; do echo; sleep 0.01; done"], { stdio: ["ignore", "pipe", "ignore"] });
    child.stdout?.resume();
    writeFileSync(`${directory}/cgroup.procs`, String(child.pid));
    silences = [];
  });
  afterEach(async () => {
    child.kill("SIGKILL");
    endFrozen({ version, freezer: directory });
    await removed(directory);
  });

  const hold = () =>
    cgroupHold({ version, memory: "", pids: "", cpu: "", freezer: directory }, { expectSilence: (isExpected) => void silences.push(isExpected) }, LIMITS);
  const isFrozen = (): boolean =>
    version === 1
      ? readFileSync(`${directory}/freezer.state`, "utf8").trim() === "FROZEN"
      : readFileSync(`${directory}/cgroup.events`, "utf8").includes("frozen 1");

  test("holds what is in it, and lets it go on", async () => {
    await hold().freeze();
    expect(isFrozen()).toBe(true);
    await hold().thaw();
    expect(isFrozen()).toBe(false);
    expect(silences).toEqual([true, false]);
    await once(child.stdout ?? child, "data");
  });

  test("holds what makes processes all the time", async () => {
    let made = 0;
    const makers = Array.from({ length: 8 }, () => {
      const maker = spawn("sh", ["-c", "while :; do /bin/true; echo; done"], { stdio: ["ignore", "pipe", "ignore"] });
      maker.stdout.on("data", ({ length }: Buffer) => void (made += length));
      writeFileSync(`${directory}/cgroup.procs`, String(maker.pid));
      return maker;
    });
    for (let turns = 0; turns < 50; turns += 1) {
      const before = made;
      await until("they have got going", () => made > before + makers.length);
      await hold().freeze();
      expect(isFrozen()).toBe(true);
      await hold().thaw();
    }
    for (const maker of makers) maker.kill("SIGKILL");
    await Promise.all(makers.filter((maker) => maker.signalCode === null).map((maker) => once(maker, "exit")));
  });

  test("ends what stands still in it, and nothing else", async () => {
    endFrozen({ version, freezer: directory });
    await once(child.stdout ?? child, "data");
    await hold().freeze();
    endFrozen({ version, freezer: directory });
    await expect.poll(() => child.signalCode, { timeout: 60_000 }).toBe("SIGKILL");
  });

  test("says that it is gone", async () => {
    const gone = cgroupHold({ version, memory: "", pids: "", cpu: "", freezer: `${directory}-gone` }, { expectSilence: () => undefined }, LIMITS);
    await expect(gone.freeze()).rejects.toMatchObject({ code: "sandbox-unavailable", message: expect.stringContaining("-gone") });
    endFrozen({ version, freezer: `${directory}-gone` });
  });
});

test.runIf(runsRootTests)("a container of Podman's that stands still has ended when it is removed, though nobody told Podman", async () => {
  const id = String(process.pid).padStart(64, "a");
  const version = cgroupVersion();
  const directory = join(CGROUP_ROOT, version === 1 ? "freezer" : "", `libpod-${id}`);
  mkdirSync(directory);
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  try {
    writeFileSync(`${directory}/cgroup.procs`, String(child.pid));
    writeFileSync(version === 1 ? `${directory}/freezer.state` : `${directory}/cgroup.freeze`, version === 1 ? "FROZEN" : "1");
    const { docker: gone } = openEngine({ dockerHost: "unix:///nonexistent/docker.sock" });
    await expect(removeByForce(gone.getContainer(id))).rejects.toThrow(/ENOENT/);
    await expect.poll(() => child.signalCode, { timeout: 60_000 }).toBe("SIGKILL");
  } finally {
    endFrozen({ version, freezer: directory });
    child.kill("SIGKILL");
    await removed(directory);
  }
});

describe("a lane's limits in control groups", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "warder-test-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const put = (files: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  };
  const read = (...names: readonly string[]): readonly string[] => names.map((name) => readFileSync(join(folder, name), "utf8"));
  const hold = (version: 1 | 2) =>
    cgroupHold({ version, memory: folder, pids: folder, cpu: folder, freezer: folder }, { expectSilence: () => undefined }, LIMITS);

  test("are written in version 2, and left where more is in use", async () => {
    put({ "memory.current": "900", "memory.stat": "anon 1\ninactive_file 600\n", "memory.max": "1000" });
    expect(await hold(2).limit(0.5)).toBe(true);
    expect(read("memory.max", "pids.max", "cpu.max")).toEqual(["500", "30", "75000 100000"]);
    expect(await hold(2).limit(1 / 3)).toBe(false);
    expect(read("memory.max")).toEqual(["500"]);
  });

  test("are written in version 1, memory with swap with them", async () => {
    const memory = { "memory.usage_in_bytes": "300", "memory.stat": "inactive_file 5\ntotal_inactive_file 0\n" };
    put({ ...memory, "memory.limit_in_bytes": "1000", "memory.memsw.limit_in_bytes": "1000" });
    expect(await hold(1).limit(0.5)).toBe(true);
    expect(read("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "pids.max", "cpu.cfs_quota_us")).toEqual(["500", "500", "30", "75000"]);
    expect(await hold(1).limit(1)).toBe(true);
    expect(read("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "pids.max", "cpu.cfs_quota_us")).toEqual(["1000", "1000", "60", "150000"]);
  });

  test("are told again to stand still where the kernel passed an order over, in version 1", async () => {
    const state = join(folder, "freezer.state");
    symlinkSync("/dev/null", state);
    const frozen = hold(1).freeze();
    put({ "next.state": "FREEZING" });
    renameSync(join(folder, "next.state"), state);
    await frozen;
    expect(read("freezer.state")).toEqual(["FROZEN"]);
  });

  test("that cannot be read are an error, not room", async () => {
    await expect(hold(cgroupVersion()).limit(1)).rejects.toMatchObject({ code: "sandbox-unavailable" });
  });
});
