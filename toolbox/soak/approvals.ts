// Kills processes that take the moments of jobs, and their runs, through tick, ask, park, approve, take over, claim and consume, at random moments;
// then looks whether an approval was used twice, a run was started or a call begun twice, two runs of a job overlapped, or one was lost.
//
//   npm run soak -- approvals [--rounds 500] [--slice 50] [--minutes 60]
//
// Works in slices that each leave a line in docs/measurements/approvals.jsonl, so that it can be stopped and resumed: ends when the lines with the digest
// of the present sources have ROUNDS rounds together, after MINUTES, or at a fault. Prints the sums. With `--rounds 0` it only prints.
import { execFileSync, spawn, spawnSync, type ChildProcessByStdio } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Readable } from "node:stream";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { verifyAudit } from "../../src/audit/verify/verify.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openStore } from "../../src/store/store.ts";
import { examineCycles, preparePlace, type CycleReport } from "../../test/support/park-cycles.ts";
import { digestOf } from "../shared/digest.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const PROGRAM = join(ROOT, "test", "support", "programs", "park-cycle.ts");
/** What the rounds test: their digest says which lines of the record are about the present sources. */
const TESTED = [
  "src/approvals",
  "src/audit",
  "src/gate",
  "src/schedule",
  "src/store",
  "src/app/run/interrupted-call.ts",
  "src/app/approvals/deliver.ts",
  "src/app/schedule/deliver-news.ts",
  "test/support/park-cycles.ts",
  "test/support/programs/park-cycle.ts",
];
/** One run takes about half as many: a kill may come anywhere in it, or in the run after it. */
const MOST_TRANSACTIONS = 100;
/** A transaction and what lies before it take about as long. */
const LONGEST_MS = 5;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "500" },
    slice: { type: "string", default: "50" },
    minutes: { type: "string", default: "60" },
    record: { type: "string", default: join(ROOT, "docs", "measurements", "approvals.jsonl") },
  },
});

type Sums = Omit<CycleReport, "faults"> & { readonly rounds: number; readonly killed: number; readonly faults: number; readonly seconds: number };
type Slice = Sums & { readonly commit: string; readonly digest: string };

function sourcesDigest(): string {
  const files = TESTED.flatMap((path) =>
    path.endsWith(".ts") ? [path] : readdirSync(join(ROOT, path), { recursive: true, encoding: "utf8" }).map((name) => join(path, name)),
  );
  const texts = files.filter((path) => path.endsWith(".ts")).toSorted();
  return digestOf(texts.flatMap((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
}

/** Started as often as there are rounds: compiled code is kept, or starting would take longer than what is tested. */
function start(root: string, compiled: string): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, [PROGRAM, root, "1000"], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, NODE_COMPILE_CACHE: compiled } });
}

/** One process that is killed somewhere in its work: after so many transactions, however long they take, and a moment more. */
async function round(root: string, compiled: string): Promise<boolean> {
  const child = start(root, compiled);
  const transactions = Math.floor(Math.random() * MOST_TRANSACTIONS);
  let seen = 0;
  // Read on until it is dead: a process that nobody reads ends by itself, of a closed pipe.
  await new Promise<void>((reached) => {
    child.stdout.on("data", (marks: Buffer) => {
      seen += marks.length;
      if (seen > transactions) reached();
    });
    child.stdout.once("end", reached);
  });
  await pause(Math.random() * LONGEST_MS);
  child.kill("SIGKILL");
  while (child.exitCode === null && child.signalCode === null) await pause(1);
  return child.signalCode === "SIGKILL";
}

async function slice(rounds: number): Promise<Slice> {
  const place = mkdtempSync(join(tmpdir(), "warder-soak-"));
  const [root, compiled] = [join(place, "root"), join(place, "compiled")];
  preparePlace(root);
  const startedMs = performance.now();
  let [begun, killed] = [0, 0];
  // Two at once: they also race for what killed ones left, while they work themselves.
  const lane = async (): Promise<void> => {
    while (begun < rounds) {
      begun += 1;
      if (await round(root, compiled)) killed += 1;
    }
  };
  await Promise.all([lane(), lane()]);
  const last = spawnSync(process.execPath, [PROGRAM, root, "0"], { stdio: ["ignore", "ignore", "inherit"] });
  const { faults: found, ...report } = examineCycles(root);
  const store = openStore(join(root, "state"));
  const { isIntact } = verifyAudit({ store, clock: systemClock });
  store.close();
  const faults = [
    ...found,
    ...(last.status === 0 ? [] : [`what was left could not be taken up: exit ${String(last.status)}`]),
    ...(isIntact ? [] : ["the log is not whole"]),
  ];
  for (const fault of faults) console.error(fault);
  if (faults.length === 0) rmSync(place, { recursive: true, force: true });
  else console.error(`everything of this slice: ${place}`);
  const commit = execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim();
  return { commit, digest, rounds, killed, ...report, faults: faults.length, seconds: Math.round((performance.now() - startedMs) / 1_000) };
}

function recorded(): readonly Slice[] {
  const lines = existsSync(values.record) ? readFileSync(values.record, "utf8").split("\n").filter(Boolean) : [];
  return lines.map((line) => JSON.parse(line) as Slice);
}

const SUMMED = ["rounds", "killed", "ticks", "runs", "resumed", "lines", "executed", "uncertain", "faults", "seconds"] as const;

function sumsOf(slices: readonly Slice[]): Sums {
  return Object.fromEntries(SUMMED.map((key) => [key, slices.reduce((total, one) => total + one[key], 0)])) as Sums;
}

const digest = sourcesDigest();
const ofPresent = (): readonly Slice[] => recorded().filter((one) => one.digest === digest);
const deadline = performance.now() + Number(values.minutes) * 60_000;
let isGood = true;
while (isGood && sumsOf(ofPresent()).rounds < Number(values.rounds) && performance.now() < deadline) {
  const made = await slice(Number(values.slice));
  appendFileSync(values.record, `${JSON.stringify(made)}\n`);
  isGood = made.faults === 0;
}
console.log(JSON.stringify({ digest: digest.slice(0, 12), present: sumsOf(ofPresent()), all: sumsOf(recorded()) }, null, 2));
process.exitCode = isGood ? 0 : 1;
