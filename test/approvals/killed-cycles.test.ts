import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { verifyAudit } from "../../src/audit/verify/verify.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openStore } from "../../src/store/store.ts";
import { isWhole, rounds } from "../support/extent.ts";
import { examineCycles, preparePlace } from "../support/park-cycles.ts";
import { temporaryDirectory } from "../support/temporary-store.ts";
import { runsRootTests } from "../support/root.ts";

/** Beside the bundled command line, where there is one: it starts in half the time. */
const BUNDLE = process.env["TEST_WARDER"];
const PROGRAM = BUNDLE === undefined ? join(import.meta.dirname, "..", "support", "programs", "park-cycle.ts") : join(dirname(BUNDLE), "park-cycle.mjs");
/** More transactions than one run has: tick, start, ask, park, approve, take over, claim, outcome, end, and their records. */
const MOST = 120;
const PATIENCE = { timeout: 1_200_000 };

type Cycle = { readonly status: number | null; readonly stderr: string };

/** A place for cycles, and the process that does them: `fault` comes before the transaction `at`. */
function place(): { readonly root: string; readonly cycle: (count: number, fault?: string, at?: number) => Cycle } {
  const root = temporaryDirectory();
  preparePlace(root);
  const cycle = (count: number, fault = "none", at = 0): Cycle => {
    const words = [PROGRAM, root, String(count), fault === "kill" || fault === "none" ? fault : "disk", String(at)];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", env: { ...process.env, DISK_FAULT: fault } });
    return { status, stderr };
  };
  return { root, cycle };
}

/** Everything that is open is taken up, nothing is lost, and nothing happened twice. */
function expectWhole(root: string, cycle: (count: number) => Cycle): void {
  expect(cycle(0)).toMatchObject({ status: 0, stderr: "" });
  const report = examineCycles(root);
  expect(report.faults).toEqual([]);
  expect(report.runs).toBeGreaterThan(1);
  const store = openStore(join(root, "state"));
  onTestFinished(() => {
    store.close();
  });
  expect(verifyAudit({ store, clock: systemClock })).toMatchObject({ isIntact: true });
}

describe("tick, start, ask, park, approve, take over, claim, consume", () => {
  test("a process that is killed before any of its transactions leaves no run lost, none begun twice, and no approval used twice", PATIENCE, () => {
    const { root, cycle } = place();
    expect(cycle(1)).toMatchObject({ status: 0 });
    let at = 0;
    for (let isKilled = true; isKilled && at < MOST;) {
      at += rounds(6, 1);
      isKilled = cycle(1, "kill", at).status === null;
    }
    // It came through once all of its transactions had had their turn.
    expect(at).toBeGreaterThan(25);
    expect(at).toBeLessThan(MOST);
    expectWhole(root, cycle);
  });
});

describe.skipIf(!runsRootTests)("the same, with the state on a disk of its own [needs root, to mount one]", () => {
  function placeOnDisk(): ReturnType<typeof place> & { readonly disk: string } {
    const made = place();
    const disk = join(made.root, "state");
    mkdirSync(disk);
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=16m,mode=0700", "tmpfs", disk]).status).toBe(0);
    onTestFinished(() => {
      spawnSync("umount", ["--lazy", disk]);
    });
    return { ...made, disk };
  }

  test("full before any of them: it stops and says why, and with space again the next process goes on", PATIENCE, () => {
    const { root, disk, cycle } = placeOnDisk();
    expect(cycle(1)).toMatchObject({ status: 0 });
    let stopped = 0;
    for (let at = 1; at < MOST; at += rounds(12, 3)) {
      const broken = cycle(1, `cat /dev/zero > ${disk}/ballast 2>/dev/null || true`, at);
      expect(spawnSync("rm", ["-f", join(disk, "ballast")]).status).toBe(0);
      // Either it stopped and said why, or what SQLite had allotted already sufficed to the end.
      expect(broken.status === 0 ? "store-unavailable" : broken.stderr).toMatch(/(?:store|audit)-unavailable[\s\S]*disk is full|store-unavailable$/u);
      if (broken.status !== 0) stopped += 1;
    }
    expect(stopped).toBeGreaterThan(isWhole ? 10 : 2);
    expectWhole(root, cycle);
  });

  test("read-only after any of them: nothing goes on until it can be written again", PATIENCE, () => {
    const { root, disk, cycle } = placeOnDisk();
    expect(cycle(1)).toMatchObject({ status: 0 });
    for (let at = 2; at < MOST / 3; at += rounds(12, 3)) {
      cycle(1, "kill", at);
      const before = examineCycles(root);
      expect(spawnSync("mount", ["-o", "remount,ro", disk]).status).toBe(0);
      expect(cycle(1)).toMatchObject({ status: 1, stderr: expect.stringMatching(/store-unavailable[\s\S]*read-only/u) });
      expect(spawnSync("mount", ["-o", "remount,rw", disk]).status).toBe(0);
      expect(examineCycles(root)).toEqual(before);
    }
    expectWhole(root, cycle);
  });
});
