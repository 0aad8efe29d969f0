import { generateKeyPairSync, sign, verify } from "node:crypto";
import { chmodSync, copyFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { archiveAudit } from "../../../src/audit/archive.ts";
import type { AuditLog } from "../../../src/audit/log/log.ts";
import { verifyAudit } from "../../../src/audit/verify/verify.ts";
import { checkpointPublicKey, judgeCheckpoints, signCheckpoint, type Checkpoint } from "../../../src/audit/checkpoints/checkpoint.ts";
import { canonicalJson } from "../../../src/base/digest.ts";
import { openStore } from "../../../src/store/store.ts";
import { temporaryAudit, temporaryDirectory } from "../../support/temporary-store.ts";
import { addRecord, filledLog, headOf } from "../filled-log.ts";

function signed(log: AuditLog): Checkpoint {
  const checkpoint = signCheckpoint(log);
  if (checkpoint === null) throw new Error("an empty log");
  return checkpoint;
}

const judge = (log: AuditLog, ...checkpoints: unknown[]): ReturnType<typeof judgeCheckpoints> =>
  judgeCheckpoints(log, checkpoints.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join(""));

describe("a checkpoint", () => {
  test("names the end of the log, and is checked with the public key alone", () => {
    const log = filledLog();
    const { signature, ...claim } = signed(log);
    expect(claim).toMatchObject({ seq: 12, hash: log.store.audit.last()?.hash });
    expect(verify(null, Buffer.from(canonicalJson(claim)), checkpointPublicKey(log), Buffer.from(signature, "base64"))).toBe(true);
    expect(statSync(join(log.store.paths.keys, "checkpoint.key")).mode & 0o777).toBe(0o600);
  });

  test("an empty log has none", () => {
    expect(signCheckpoint(temporaryAudit())).toBeNull();
  });

  test("holds while the log goes on, and when what it names was archived", () => {
    const log = filledLog();
    const [early, late] = [signed(log), (addRecord(log, 13), signed(log))];
    addRecord(log, 14);
    expect(judge(log, early, late)).toEqual({ checked: 2, problems: [] });
    archiveAudit(log, log.clock.nowMs() + 1, temporaryDirectory());
    expect(judge(log, early, late)).toEqual({ checked: 2, problems: [] });
  });

  test("a key that others can read signs nothing", () => {
    const log = filledLog();
    signed(log);
    chmodSync(join(log.store.paths.keys, "checkpoint.key"), 0o644);
    expect(() => signCheckpoint(log)).toThrow(expect.objectContaining({ code: "audit-unavailable" }));
  });
});

describe("a checkpoint that was kept elsewhere finds", () => {
  test("database and head put back together, which the log alone cannot know", () => {
    const log = filledLog();
    const { database } = log.store.paths;
    const open = new Database(database);
    open.prepare("VACUUM INTO ?").run(`${database}.old`);
    open.close();
    copyFileSync(headOf(log), `${headOf(log)}.old`);
    for (let index = 13; index <= 15; index += 1) addRecord(log, index);
    const checkpoint = signed(log);
    log.store.close();
    for (const suffix of ["-wal", "-shm"]) rmSync(`${database}${suffix}`, { force: true });
    copyFileSync(`${database}.old`, database);
    copyFileSync(`${headOf(log)}.old`, headOf(log));
    const store = openStore(log.store.paths.directory);
    const restored = { store, clock: log.clock };
    expect(verifyAudit(restored).isIntact).toBe(true);
    expect(judge(restored, checkpoint).problems).toEqual([{ seq: 15, what: expect.stringContaining("put back to an earlier state") }]);
    for (let index = 13; index <= 15; index += 1) addRecord(restored, index + 100);
    expect(judge(restored, checkpoint).problems).toEqual([{ seq: 15, what: expect.stringContaining("is not the one that was here") }]);
    store.close();
  });

  const forgeries: Record<string, (checkpoint: Checkpoint) => unknown> = {
    "another number": (one) => ({ ...one, seq: 11 }),
    "another hash": (one) => ({ ...one, hash: "a".repeat(64) }),
    "another time": (one) => ({ ...one, at: "2020-01-01T00:00:00.000Z" }),
    "another signature": (one) => ({ ...one, signature: Buffer.alloc(64).toString("base64") }),
    "no signature": ({ seq, hash, at }) => ({ seq, hash, at }),
    "another key": ({ at, hash, seq }) => ({
      at,
      hash,
      seq,
      signature: sign(null, Buffer.from(canonicalJson({ at, hash, seq })), generateKeyPairSync("ed25519").privateKey).toString("base64"),
    }),
    "no JSON": () => "{",
  };
  test.each(Object.keys(forgeries))("a forged one: %s", (name) => {
    const log = filledLog();
    expect(judge(log, forgeries[name]?.(signed(log))).problems).toHaveLength(1);
  });
});
