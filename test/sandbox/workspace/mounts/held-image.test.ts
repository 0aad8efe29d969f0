import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newId } from "../../../../src/base/ids.ts";
import { unmountBelow } from "../../../../src/sandbox/workspace/mounts/directories.ts";
import { type Guardian, holdMounts } from "../../../../src/sandbox/workspace/mounts/guardian.ts";
import { deviceOf, makeImage, waitForImage } from "../../../../src/sandbox/workspace/mounts/image.ts";
import { holdersOf } from "../../../../src/sandbox/workspace/mounts/image-holders.ts";
import { runsRootTests } from "../../../support/root.ts";
import { once, until } from "../../../support/until.ts";

describe.runIf(runsRootTests)("layers that somebody keeps in use after they were unmounted", () => {
  let folder = "";
  let image = "";
  let overlay = "";
  let other: ChildProcess | null = null;
  beforeEach(() => {
    folder = mkdtempSync("/var/tmp/warder-test-");
    image = `${folder}/layers.ext4`;
    overlay = newId("overlay");
    for (const name of ["layers", "lower", "merged"]) mkdirSync(`${folder}/${name}`);
    makeImage(image);
  });
  afterEach(async () => {
    if (other !== null && other.exitCode === null && other.signalCode === null) {
      other.kill("SIGKILL");
      await once(other, "close");
    }
    other = null;
    unmountBelow(folder);
    await until("the image is free", () => deviceOf(image) === null);
    rmSync(folder, { recursive: true });
  });

  const hold = (): Promise<Guardian> =>
    holdMounts([
      ["image", image, `${folder}/layers`],
      ["dir", `${folder}/layers/upper`, "0755", "0", "0"],
      ["dir", `${folder}/layers/work`, "0700", "0", "0"],
      ["overlay", `${folder}/merged`, `${folder}/lower`, `${folder}/layers/upper`, `${folder}/layers/work`, overlay],
    ]);
  /** A process with a view of the mounts of its own, made of this one; `script` changes it first. */
  const viewOf = async (script: string): Promise<number> => {
    const child = spawn("unshare", ["--mount", "--propagation", "private", "sh", "-c", `${script}; echo ready; exec sleep 1000`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    other = child;
    await once(child.stdout, "data");
    const pid = child.pid ?? 0;
    expect(readlinkSync(`/proc/${String(pid)}/ns/mnt`)).not.toBe(readlinkSync("/proc/self/ns/mnt"));
    return pid;
  };
  test("are mounted again from the device that a copy of the mounts holds", async () => {
    const first = await hold();
    writeFileSync(`${folder}/merged/made`, "by the run");
    await viewOf(":");
    await first.release();
    const device = deviceOf(image);
    expect(device).not.toBeNull();
    await waitForImage({ image, overlay });
    const second = await hold();
    try {
      expect(readFileSync(`${folder}/merged/made`, "utf8")).toBe("by the run");
      expect(deviceOf(image)).toBe(device);
      const { dev } = statSync(`${folder}/layers`);
      expect(`7:${String(dev & 0xff)}`).toBe(device);
      writeFileSync(`${folder}/merged/made`, "by the next");
    } finally {
      await second.release();
    }
    other?.kill("SIGKILL");
    await waitForImage({ image });
    const third = await hold();
    expect(readFileSync(`${folder}/merged/made`, "utf8")).toBe("by the next");
    await third.release();
  });

  test("are free when what is left of the sandbox was killed", async () => {
    const first = await hold();
    const pid = await viewOf(`umount --lazy ${folder}/layers`);
    await first.release();
    expect(deviceOf(image)).not.toBeNull();
    await waitForImage({ image, overlay });
    expect(deviceOf(image)).toBeNull();
    await until("the process has ended", () => other?.signalCode === "SIGKILL");
    expect(pid).toBeGreaterThan(0);
  });

  test("are nobody's where another mount has the number that the overlay had", async () => {
    const first = await hold();
    const line = readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .find((text) => text.includes(` ${folder}/merged `));
    const pid = await viewOf(`umount --lazy ${folder}/layers`);
    await first.release();
    const [, , number = ""] = line?.split(" ") ?? [];
    expect(number).toMatch(/^0:\d+$/u);
    // It is mounted there, under this number and its own name.
    // A sandbox of another test that opened meanwhile may have a copy of it, until it ends.
    await expect.poll(() => holdersOf(deviceOf(image) ?? "", number)).toEqual([]);
    expect(holdersOf(deviceOf(image) ?? "", overlay)).toMatchObject([{ kind: "sandbox", processes: [pid] }]);
  });
});
