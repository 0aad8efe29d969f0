import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { appendAudit } from "../../../src/audit/log/log.ts";
import { verifyAudit } from "../../../src/audit/verify/verify.ts";
import { openStore } from "../../../src/store/store.ts";
import { rounds } from "../../support/extent.ts";
import { killAfterOutput, runProgram, startProgram } from "../../support/program.ts";
import { movableClock, temporaryAudit, temporaryDirectory } from "../../support/temporary-store.ts";

const ENTRY = { run: null, payload: { kind: "stop", state: "stopped", by: "test" } } as const;

describe("the audit log under kill -9", () => {
  test("keeps every record that was acknowledged, raises no false alarm and goes on", async () => {
    const state = join(temporaryDirectory(), "state");
    let acknowledged = 0;
    for (let round = 0; round < 12; round += rounds(3, 1)) {
      const output = await killAfterOutput(startProgram("append-records", state, "100000", `round-${round}`), 3 + round * 7);
      acknowledged = Math.max(acknowledged, ...output.split("\n").slice(0, -1).map(Number));
      const store = openStore(state);
      const report = verifyAudit({ store, clock: movableClock() });
      store.close();
      expect(report.problems).toEqual([]);
      expect(report.records).toBeGreaterThanOrEqual(acknowledged);
    }
    expect(acknowledged).toBeGreaterThan(12);
  });

  test("keeps every record while old ones are archived, here or in a file that is whole", async () => {
    const [state, directory] = [join(temporaryDirectory(), "state"), temporaryDirectory()];
    let acknowledged = 0;
    let archives = 0;
    for (let round = 0; round < 12; round += rounds(3, 1)) {
      const output = await killAfterOutput(startProgram("archive-records", state, directory), 3 + round * 9);
      acknowledged = Math.max(acknowledged, ...output.split("\n").slice(0, -1).map(Number));
      const store = openStore(state);
      const report = verifyAudit({ store, clock: movableClock() });
      expect(store.audit.last()?.seq).toBeGreaterThanOrEqual(acknowledged);
      store.close();
      expect(report.problems).toEqual([]);
      archives = report.archives.length;
      expect(report.archives.every((archive) => archive.state === "whole")).toBe(true);
      expect(report.archives.at(-1)?.first ?? 1).toBe(1);
    }
    expect(archives).toBeGreaterThan(0);
    expect(acknowledged).toBeGreaterThan(12);
  });

  // Killed exactly between the two steps: the head of before is put back, as the process would have left it.
  test("accepts and repairs one record ahead of the head", () => {
    const log = temporaryAudit();
    appendAudit(log, ENTRY);
    const head = readFileSync(join(log.store.paths.keys, "audit.head"));
    appendAudit(log, ENTRY);
    writeFileSync(join(log.store.paths.keys, "audit.head"), head);
    expect(verifyAudit(log)).toMatchObject({ isIntact: true, records: 2 });
    expect(appendAudit(log, ENTRY).seq).toBe(3);
    expect(verifyAudit(log)).toMatchObject({ isIntact: true, records: 3 });
  });

  test("several processes append at once without a gap", async () => {
    const state = join(temporaryDirectory(), "state");
    const outputs = await Promise.all(["a", "b", "c", "d"].map((name) => runProgram("append-records", state, "100", name)));
    const seqs = outputs.flatMap((output) => output.trim().split("\n").map(Number)).toSorted((one, other) => one - other);
    expect(seqs).toEqual(Array.from({ length: 400 }, (_, index) => index + 1));
    const store = openStore(state);
    expect(verifyAudit({ store, clock: movableClock() })).toMatchObject({ isIntact: true, records: 400 });
    store.close();
  });
});
