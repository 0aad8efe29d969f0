// Fuzzes the shell analysis for long, in slices that each leave a line behind, so that a run can be stopped and resumed.
//
//   npm run soak -- shell --minutes 60 [--slice-seconds 120] [--workers 1] [--environments 2]
//
// Appends to docs/measurements/shell-fuzz.jsonl, and prints the sums over the lines with the digest of the present sources and over all.
// With `--minutes 0` it only prints. A finding ends it.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { DEFAULTS, runCampaign } from "../fuzz/shell/campaign.ts";
import type { Tally } from "../fuzz/shell/campaign.ts";
import { PROGRAMS } from "../../src/programs/programs.ts";
import { describeTally } from "../fuzz/shell/report.ts";
import { shellDigest } from "../fuzz/shell/digest.ts";
import { hasBubblewrap } from "../fuzz/shell/execution/stub-root.ts";

const RECORD = fileURLToPath(new URL("../../docs/measurements/shell-fuzz.jsonl", import.meta.url));

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    "slice-seconds": { type: "string", default: "120" },
    workers: { type: "string", default: String(DEFAULTS.workers) },
    environments: { type: "string", default: String(DEFAULTS.environments) },
  },
});

type Slice = Pick<Tally, "seed" | "cases" | "static" | "open" | "executions" | "timeouts" | "unsound"> & {
  readonly commit: string;
  readonly digest: string;
  readonly seconds: number;
  /** Cases that really ran: those that are static or open. */
  readonly executed?: number;
};

if (!hasBubblewrap()) {
  console.error("soak: bubblewrap does not work here, so nothing is executed");
  process.exit(6);
}

const deadline = Date.now() + Number(values.minutes) * 60_000;
// This process goes on with the sources that it started with, whatever becomes of the files.
const digest = shellDigest(PROGRAMS);
const commit = execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" }).trim();
let isSound = true;
while (Date.now() < deadline && isSound) {
  const seconds = Math.max(1, Math.min(Number(values["slice-seconds"]), (deadline - Date.now()) / 1000));
  // One slice after the other: each is a line of its own.
  // oxlint-disable-next-line no-await-in-loop
  const tally = await runCampaign({
    ...DEFAULTS,
    seed: Math.floor(Math.random() * 2 ** 31),
    seconds,
    workers: Number(values.workers),
    environments: Number(values.environments),
  });
  appendFileSync(RECORD, `${JSON.stringify(sliceOf(tally))}\n`);
  if (tally.unsound > 0) console.log(describeTally(tally));
  isSound = tally.unsound === 0;
  console.log(describeSums());
}
if (Number(values.minutes) === 0) console.log(describeSums());
process.exitCode = isSound ? 0 : 1;

function sliceOf(tally: Tally): Slice {
  const { seed, cases, open, executions, timeouts, unsound } = tally;
  const executed = tally.static + open;
  return { commit, digest, seed, seconds: Math.round(tally.seconds), cases, executed, static: tally.static, open, executions, timeouts, unsound };
}

function describeSums(): string {
  const lines = existsSync(RECORD) ? readFileSync(RECORD, "utf8").split("\n").filter(Boolean) : [];
  const slices = lines.map((line) => JSON.parse(line) as Slice);
  const present = slices.filter((slice) => slice.digest === digest);
  return `digest ${digest.slice(0, 12)}: ${describeSum(present)}\nall digests: ${describeSum(slices)}`;
}

function describeSum(slices: readonly Slice[]): string {
  const sum = (part: readonly Slice[], count: (slice: Slice) => number): number => part.reduce((total, slice) => total + count(slice), 0);
  const cases = sum(slices, (slice) => slice.cases);
  const share = ((100 * sum(slices, (slice) => slice.static)) / Math.max(1, cases)).toFixed(1);
  const clean = slices.slice(slices.findLastIndex((slice) => slice.unsound > 0) + 1);
  return [
    `${String(cases)} cases (${share} % static)`,
    `${String(sum(slices, executedOf))} executed`,
    `${String(sum(slices, (slice) => slice.executions))} executions`,
    `${String(sum(slices, (slice) => slice.unsound))} unsound`,
    `${String(sum(clean, executedOf))} executed since the last unsound`,
    `${String(sum(slices, (slice) => slice.seconds))} s in ${String(slices.length)} slices`,
  ].join(", ");
}

/** Lines that were written before they counted it have the same number in two parts. */
function executedOf(slice: Slice): number {
  return slice.executed ?? slice.static + slice.open;
}
