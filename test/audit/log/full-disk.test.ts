import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { appendAudit, type AuditEntry } from "../../../src/audit/log/log.ts";
import { verifyAudit } from "../../../src/audit/verify/verify.ts";
import { openStore } from "../../../src/store/store.ts";
import { runsRootTests } from "../../support/root.ts";
import { fillDisk, makeReadOnly, smallDisk } from "../../support/small-disk.ts";
import { movableClock } from "../../support/temporary-store.ts";

const ENTRY: AuditEntry = { run: null, payload: { kind: "run-end", ending: "done", detail: "x".repeat(3_000) } };

describe.skipIf(!runsRootTests)("the audit log on a disk of its own [needs root, to mount one]", () => {
  test("a full disk refuses the record and says what to do; with space again the log goes on, whole", () => {
    const disk = smallDisk();
    const store = openStore(join(disk, "state"));
    onTestFinished(() => {
      store.close();
    });
    const log = { store, clock: movableClock() };
    appendAudit(log, ENTRY);
    fillDisk(join(disk, "ballast"));
    let written = 1;
    const appendUntilRefused = (): void => {
      for (; written < 2_000; written += 1) appendAudit(log, ENTRY);
    };
    expect(appendUntilRefused).toThrow(expect.objectContaining({ code: "audit-unavailable", message: expect.stringContaining("the disk is full") }));
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
    makeReadOnly(disk);
    expect(() => openStore(state)).toThrow(expect.objectContaining({ code: "store-unavailable" }));
  });
});
