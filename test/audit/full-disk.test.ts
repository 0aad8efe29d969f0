import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { appendAudit, type AuditEntry } from "../../src/audit/audit-log.ts";
import { verifyAudit } from "../../src/audit/audit-verify.ts";
import { openStore } from "../../src/store/store.ts";
import { movableClock, temporaryDirectory } from "../support/temporary-store.ts";
import { runsRootTests } from "../support/root.ts";

const ENTRY: AuditEntry = { run: null, payload: { kind: "run-end", ending: "done", detail: "x".repeat(3_000) } };

function smallDisk(): string {
  const directory = join(temporaryDirectory(), "disk");
  mkdirSync(directory);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", directory]);
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", directory]);
  });
  return directory;
}

/** Takes all the space that is left. */
function fill(path: string): void {
  execFileSync("sh", ["-c", 'cat /dev/zero > "$1" 2>/dev/null || true', "sh", path]);
}

describe.skipIf(!runsRootTests)("the audit log on a disk of its own [needs root, to mount one]", () => {
  test("a full disk refuses the record and says what to do; with space again the log goes on, whole", () => {
    const disk = smallDisk();
    const store = openStore(join(disk, "state"));
    onTestFinished(() => {
      store.close();
    });
    const log = { store, clock: movableClock() };
    appendAudit(log, ENTRY);
    fill(join(disk, "ballast"));
    let written = 1;
    const appendUntilRefused = (): void => {
      for (; written < 2_000; written += 1) appendAudit(log, ENTRY);
    };
    expect(appendUntilRefused).toThrow(expect.objectContaining({ code: "audit-unavailable", message: expect.stringContaining("The disk is full") }));
    rmSync(join(disk, "ballast"));
    expect(verifyAudit(log)).toMatchObject({ isIntact: true, records: written });
    expect(appendAudit(log, ENTRY).seq).toBe(written + 1);
    expect(verifyAudit(log)).toMatchObject({ isIntact: true, records: written + 1 });
  });

  test("a read-only disk refuses the record", () => {
    const disk = smallDisk();
    const state = join(disk, "state");
    const store = openStore(state);
    const log = { store, clock: movableClock() };
    appendAudit(log, ENTRY);
    store.close();
    execFileSync("mount", ["-o", "remount,ro", disk]);
    expect(() => openStore(state)).toThrow(expect.objectContaining({ code: "store-unavailable" }));
  });
});
