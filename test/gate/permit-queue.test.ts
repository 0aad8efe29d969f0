import { rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { togetherOf } from "../../src/audit/chain/record.ts";
import { deferAudit, type AuditLog } from "../../src/audit/log/log.ts";
import { verifyAudit } from "../../src/audit/verify/verify.ts";
import { createPermitQueue } from "../../src/gate/permit-queue.ts";
import { movableClock, temporaryStore } from "../support/temporary-store.ts";

const payload = (call: string) => ({ kind: "permit-spent", call, ruling: "r", action: "a", does: "read-file", target: {} }) as const;
const newLog = (): AuditLog => ({ store: temporaryStore(), clock: movableClock() });
const rowsOf = (log: AuditLog) => log.store.audit.page(0, 10_000, 10_000);

test("permits of one moment share a transaction, and each is on disk when it is given", async () => {
  const log = newLog();
  const permits = createPermitQueue(log);
  await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      await permits(() => [{ run: "run-1", payload: payload(`call-${index}`) }]);
      expect(rowsOf(log).some(({ record }) => record.includes(`"call-${index}"`))).toBe(true);
    }),
  );
  expect(new Set(rowsOf(log).map(togetherOf)).size).toBe(1);
});

test("however many there are, with what waits for a record, they fit into a transaction", async () => {
  const log = newLog();
  const permits = createPermitQueue(log);
  for (let index = 0; index < 31; index += 1) deferAudit(log, "run-1", () => payload(`waiting-${index}`));
  const entries = (index: number) => () => [
    { run: "run-1", payload: payload(`move-${index}`) },
    { run: "run-1", payload: payload(`call-${index}`) },
  ];
  await Promise.all(Array.from({ length: 40 }, (_, index) => permits(entries(index))));
  expect(rowsOf(log)).toHaveLength(31 + 80);
  expect(verifyAudit(log)).toMatchObject({ isIntact: true });
});

test("what cannot be written permits nothing, for none of those that waited", async () => {
  const log = newLog();
  const permits = createPermitQueue(log);
  await permits(() => [{ run: "run-1", payload: payload("before") }]);
  const { keys } = log.store.paths;
  rmSync(keys, { recursive: true });
  writeFileSync(keys, "");
  const given = await Promise.allSettled(Array.from({ length: 3 }, (_, index) => permits(() => [{ run: "run-1", payload: payload(`call-${index}`) }])));
  expect(given.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(rowsOf(log)).toHaveLength(1);
});
