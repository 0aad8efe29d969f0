// Kills Warder, its sandbox's supervisor, the engine's shim, dockerd or containerd with SIGKILL at random moments, ROUNDS times, on an engine of its own;
// after each the next start, and a look whether anything is left, a change is lost, or the log is torn.
//
//   npm run soak -- kill --rounds 200 [--record FILE]
//
// Root, with Docker Engine's programs installed. Appends a line to docs/measurements/kill.jsonl, also when it is interrupted, and prints the sums over all
// lines; `--rounds 0` only prints. What is wrong ends it, and its folder stays.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadImage, ownEngine } from "../../shared/own-engine.ts";
import { makePlace } from "./place.ts";
import { measureUsual, playRound, type RoundReport, TARGETS, type Target } from "./round.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const RECORD = join(ROOT, "docs", "measurements", "kill.jsonl");

/** Rounds after which an undisturbed run is timed again. */
const MEASURED_EACH = 10;

const { values } = parseArgs({ options: { rounds: { type: "string", default: "20" }, record: { type: "string", default: RECORD } } });

type Slice = {
  readonly commit: string;
  readonly rounds: number;
  readonly killed: Readonly<Record<Target, number>>;
  readonly resumed: number;
  readonly completed: number;
  readonly orphans: number;
  readonly lost: number;
  readonly torn: number;
  readonly faults: number;
  readonly seconds: number;
};

const reports: RoundReport[] = [];
const startedMs = performance.now();
const interrupt = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => interrupt.abort());
if (Number(values.rounds) > 0) await playRounds(Number(values.rounds));
process.stdout.write(`${describeSums()}\n`);
process.exitCode = reports.every(isGood) ? 0 : 1;

async function playRounds(rounds: number): Promise<void> {
  const place = makePlace();
  const engine = ownEngine(mkdtempSync("/tmp/warder-engine-"), join(ROOT, ".tools", "soak-engine"));
  try {
    await engine.ensure();
    loadImage(engine, join(ROOT, "sandbox", "build", "image-id"));
    for (let round = 0; round < rounds && !interrupt.signal.aborted && reports.every(isGood); round += 1) {
      if (round % MEASURED_EACH === 0) await measureUsual(place, engine, round);
      const target = TARGETS[round % TARGETS.length] ?? "warder";
      const report = await playRound(place, engine, round, target);
      reports.push(report);
      process.stdout.write(`${lineOf(round, report)}\n`);
    }
  } finally {
    await engine.stop();
    if (reports.length > 0) appendFileSync(values.record, `${JSON.stringify(sliceOf())}\n`);
  }
  if (!reports.every(isGood)) return void process.stdout.write(`kept: ${place.root}, ${engine.mark}\n`);
  for (const folder of [place.root, engine.mark]) rmSync(folder, { recursive: true, force: true });
}

function isGood({ orphans, lost, isLogIntact, faults }: RoundReport): boolean {
  return orphans.length === 0 && lost.length === 0 && isLogIntact && faults.length === 0;
}

function lineOf(round: number, report: RoundReport): string {
  const { target, wasKilled, wasResumed, completed, orphans, lost, isLogIntact, faults } = report;
  const wrong = [...orphans, ...lost, ...(isLogIntact ? [] : ["the log is torn"]), ...faults];
  const what = `${target}${wasKilled ? "" : " (had ended)"}${wasResumed ? ", resumed" : ""}`;
  return `${String(round).padStart(4)} ${what.padEnd(24)} ${String(completed).padStart(3)} completed${wrong.length === 0 ? "" : `\n${wrong.map((line) => `     ${line}`).join("\n")}`}`;
}

function sliceOf(): Slice {
  const killed = Object.fromEntries(
    TARGETS.map((target) => [target, reports.filter((report) => report.target === target && report.wasKilled).length]),
  ) as Record<Target, number>;
  const sum = (count: (report: RoundReport) => number): number => reports.reduce((total, report) => total + count(report), 0);
  return {
    commit: execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim(),
    rounds: reports.length,
    killed,
    resumed: sum(({ wasResumed }) => Number(wasResumed)),
    completed: sum(({ completed }) => completed),
    orphans: sum(({ orphans }) => orphans.length),
    lost: sum(({ lost }) => lost.length),
    torn: sum(({ isLogIntact }) => Number(!isLogIntact)),
    faults: sum(({ faults }) => faults.length),
    seconds: Math.round((performance.now() - startedMs) / 1000),
  };
}

function describeSums(): string {
  const lines = existsSync(values.record) ? readFileSync(values.record, "utf8").split("\n").filter(Boolean) : [];
  const slices = lines.map((line) => JSON.parse(line) as Slice);
  const sum = (key: Exclude<keyof Slice, "commit" | "killed">): string => String(slices.reduce((total, slice) => total + slice[key], 0));
  const killed = TARGETS.map((target) => `${target} ${String(slices.reduce((total, slice) => total + slice.killed[target], 0))}`).join(", ");
  return `${sum("rounds")} rounds over ${String(slices.length)} slices in ${sum("seconds")} s; killed: ${killed}; resumed ${sum("resumed")}; ${sum("completed")} commands completed; ${sum("orphans")} orphans, ${sum("lost")} lost changes, ${sum("torn")} torn logs, ${sum("faults")} other faults`;
}
