import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { verifyAudit } from "../../src/audit/audit-verify.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openStore } from "../../src/store/store.ts";
import { examineCycles, preparePlace } from "../support/park-cycles.ts";
import { temporaryDirectory } from "../support/temporary-store.ts";

const PROGRAM = join(import.meta.dirname, "..", "support", "programs", "park-cycle.ts");

function cycle(root: string, count: number, fault: readonly string[] = [], diskFault = ""): { readonly status: number | null; readonly stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, root, String(count), ...fault], {
    encoding: "utf8",
    env: { ...process.env, DISK_FAULT: diskFault },
  });
  return { status, stderr };
}

function auditOf(root: string) {
  const store = openStore(join(root, "state"));
  try {
    return verifyAudit({ store, clock: systemClock });
  } finally {
    store.close();
  }
}

describe("ask, park, approve, take over, claim, consume", () => {
  test("a process that is killed before any of its transactions leaves no run lost, and no approval used twice", { timeout: 300_000 }, () => {
    const root = temporaryDirectory();
    preparePlace(root);
    expect(cycle(root, 1)).toMatchObject({ status: 0 });
    let at = 0;
    for (let isKilled = true; isKilled && at < 80;) {
      at += 1;
      isKilled = cycle(root, 1, ["kill", String(at)]).status === null;
    }
    // It came through once all of its transactions had had their turn.
    expect(at).toBeGreaterThan(15);
    expect(at).toBeLessThan(80);
    expect(cycle(root, 0)).toMatchObject({ status: 0, stderr: "" });
    expect(examineCycles(root)).toMatchObject({ faults: [] });
    expect(auditOf(root)).toMatchObject({ isIntact: true });
  });

  const isRoot = process.getuid?.() === 0;

  /** A state directory on a disk of its own. */
  function placeOnDisk(): { readonly root: string; readonly disk: string } {
    const root = temporaryDirectory();
    const disk = join(root, "state");
    mkdirSync(disk);
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m,mode=0700", "tmpfs", disk]).status).toBe(0);
    onTestFinished(() => {
      spawnSync("umount", ["--lazy", disk]);
    });
    preparePlace(root);
    return { root, disk };
  }

  test.skipIf(!isRoot)("a disk that is full before any of them stops it, and it goes on afterwards [needs root, to mount one]", { timeout: 300_000 }, () => {
    const { root, disk } = placeOnDisk();
    for (let at = 1; at <= 30; at += 4) {
      const broken = cycle(root, 1, ["full", String(at)], `cat /dev/zero > ${disk}/ballast 2>/dev/null || true`);
      expect(spawnSync("rm", ["-f", join(disk, "ballast")]).status).toBe(0);
      // Either it stopped and said why, or what SQLite had allotted already sufficed to the end.
      expect(broken.status === 0 ? "store-unavailable" : broken.stderr).toMatch(/(?:store|audit)-unavailable/u);
      expect(cycle(root, 0)).toMatchObject({ status: 0, stderr: "" });
    }
    expect(examineCycles(root).faults).toEqual([]);
    expect(auditOf(root)).toMatchObject({ isIntact: true });
  });

  test.skipIf(!isRoot)(
    "a disk that became read-only after any of them lets nothing go on until it can be written again [needs root, to mount one]",
    { timeout: 300_000 },
    () => {
      const { root, disk } = placeOnDisk();
      for (let at = 2; at <= 30; at += 4) {
        cycle(root, 1, ["kill", String(at)]);
        const before = examineCycles(root).lines;
        expect(spawnSync("mount", ["-o", "remount,ro", disk]).status).toBe(0);
        expect(cycle(root, 1)).toMatchObject({ status: 1, stderr: expect.stringContaining("store-unavailable") });
        expect(spawnSync("mount", ["-o", "remount,rw", disk]).status).toBe(0);
        expect(examineCycles(root).lines).toBe(before);
        expect(cycle(root, 0)).toMatchObject({ status: 0, stderr: "" });
      }
      expect(examineCycles(root).faults).toEqual([]);
      expect(auditOf(root)).toMatchObject({ isIntact: true });
    },
  );
});
