/**
 * What the audit log costs, beside what the disk alone costs: an append (`synchronous=FULL`, with its head) and a raw write of 4 KiB with fdatasync,
 * turn by turn; then verifying, the tail and an archive of the whole log.
 *
 *   npm run bench -- audit [--records 100000] [--json]
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { archiveAudit } from "../../src/audit/archive.ts";
import { appendAudit, type AuditLog } from "../../src/audit/log/log.ts";
import { readAudit, tailAudit } from "../../src/audit/log/read.ts";
import { verifyAudit } from "../../src/audit/verify/verify.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openStore } from "../../src/store/store.ts";

const { values } = parseArgs({ options: { records: { type: "string", default: "100000" }, json: { type: "boolean", default: false } } });
const count = Number(values.records);

const directory = mkdtempSync(join(tmpdir(), "warder-bench-"));
const log: AuditLog = { store: openStore(join(directory, "state")), clock: systemClock };
const raw = openSync(join(directory, "raw"), "w");
const block = Buffer.alloc(4096, 1);

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function appendOne(index: number): void {
  const call = `call-${String(index)}`;
  const rules = [
    { id: "baseline-full-low", verdict: "allow", reason: "Under full autonomy what is low or medium risk runs without a question.", at: "unattended.yaml:10" },
  ] as const;
  const units = [{ kind: "command", subject: "npm test", risk: "low", verdict: "allow", rule: "baseline-full-low" }] as const;
  const ruling = { kind: "ruling", call, tool: "shell", input: { command: "npm test -- --run src" }, ruling: "a".repeat(64), policy: "b".repeat(64) } as const;
  appendAudit(log, {
    run: `run-${String(index % 100)}`,
    payload: {
      ...ruling,
      verdict: "allow",
      risk: "low",
      reason: "runs code",
      rules,
      units,
      measured: "session",
      image: "c".repeat(64),
      profile: "d".repeat(64),
    },
  });
}

const times = { raw: [] as number[], append: [] as number[] };
for (let index = 0; index < count; index += 1) {
  times.raw.push(timed(() => (writeSync(raw, block), fdatasyncSync(raw))));
  times.append.push(timed(() => appendOne(index)));
}
const at = (list: readonly number[], part: number): number => list.toSorted((one, other) => one - other)[Math.floor(list.length * part)] ?? 0;
const verifyMs = [1, 2, 3].map(() => timed(() => void verifyAudit(log)));
const cpu = process.cpuUsage();
verifyAudit(log);
const spent = process.cpuUsage(cpu);
const figures = {
  records: count,
  rawP50Ms: at(times.raw, 0.5),
  rawP99Ms: at(times.raw, 0.99),
  appendP50Ms: at(times.append, 0.5),
  appendP99Ms: at(times.append, 0.99),
  appendP99ToRawP99: at(times.append, 0.99) / at(times.raw, 0.99),
  verifyRecordsPerSecond: count / (at(verifyMs, 0.5) / 1000),
  /** By the processor's time: what a machine without other work does. */
  verifyRecordsPerCpuSecond: count / ((spent.user + spent.system) / 1_000_000),
  tailMs: timed(() => void tailAudit(log, { limit: 20 })),
  tailOfRunMs: timed(() => void tailAudit(log, { limit: 20, run: "run-7" })),
  tailOfVerdictMs: timed(() => void tailAudit(log, { limit: 20, verdict: "deny" })),
  exportMs: timed(() => void [...readAudit(log, {})].length),
  archiveMs: timed(() => void archiveAudit(log, systemClock.nowMs() + 1, join(directory, "archive"))),
  verifyWithArchiveMs: timed(() => void verifyAudit(log)),
};
if (values.json) console.log(JSON.stringify(figures));
else for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(26)} ${value.toFixed(value < 100 ? 3 : 0)}`);
closeSync(raw);
log.store.close();
rmSync(directory, { recursive: true, force: true });
