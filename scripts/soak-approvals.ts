// Kills a process that takes runs through ask, park, approve, take over, claim and consume, at random moments, ROUNDS times; then looks
// whether an approval was used twice, a call was begun twice, or a run was lost. Usage: node scripts/soak-approvals.ts [--rounds 500] [--json]
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { verifyAudit } from "../src/audit/audit-verify.ts";
import { systemClock } from "../src/base/clock.ts";
import { openStore } from "../src/store/store.ts";
import { examineCycles, preparePlace } from "../test/support/park-cycles.ts";

const PROGRAM = join(import.meta.dirname, "..", "test", "support", "programs", "park-cycle.ts");
/** As long as one run takes on a slow disk: a kill may come anywhere in it, or in the run after it. */
const LONGEST_MS = 400;

const { values } = parseArgs({ options: { rounds: { type: "string", default: "500" }, json: { type: "boolean", default: false } } });
const rounds = Number(values.rounds);
const root = mkdtempSync(join(tmpdir(), "warder-soak-"));
preparePlace(root);
const startedMs = performance.now();
let killed = 0;
for (let round = 0; round < rounds; round += 1) {
  // Two at once: they also race for what the killed ones left.
  const children = [0, 1].map(() => spawn(process.execPath, [PROGRAM, root, "1000"], { stdio: ["ignore", "pipe", "inherit"] }));
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  for (const child of children) {
    await pause(Math.random() * LONGEST_MS);
    if (child.kill("SIGKILL")) killed += 1;
  }
  await Promise.all(children.map(async (child) => (child.exitCode === null && child.signalCode === null ? await once(child, "close") : null)));
}
const last = spawnSync(process.execPath, [PROGRAM, root, "0"], { stdio: "inherit" });
const report = examineCycles(root);
const store = openStore(join(root, "state"));
const { isIntact } = verifyAudit({ store, clock: systemClock });
store.close();
const isGood = last.status === 0 && report.faults.length === 0 && isIntact;
const figures = { rounds, killed, ...report, isLogIntact: isIntact, seconds: Math.round((performance.now() - startedMs) / 1_000) };
process.stdout.write(values.json ? `${JSON.stringify({ rows: {}, figures })}\n` : `${JSON.stringify(figures, null, 2)}\n`);
if (isGood) rmSync(root, { recursive: true, force: true });
process.exitCode = isGood ? 0 : 1;
