// Fuzzes the tables for long, in slices that each leave a line behind, so that a run can be stopped and resumed.
//
//   npm run soak -- tables --minutes 30 [--slice-runs 2000] [--workers 1]
//
// Appends to docs/measurements/tables.jsonl, and prints the sums over the lines with the digest of the present sources and over all. With
// `--minutes 0` it only prints. A finding ends it.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { describeTableTally, imageRoot, runTableCampaign } from "../fuzz/tables/campaign.ts";
import type { TableTally } from "../fuzz/tables/campaign.ts";
import { tablesDigest } from "../fuzz/tables/digest.ts";

const RECORD = fileURLToPath(new URL("../../docs/measurements/tables.jsonl", import.meta.url));

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    "slice-runs": { type: "string", default: "2000" },
    workers: { type: "string", default: "1" },
    record: { type: "string", default: RECORD },
  },
});

type Slice = TableTally & { readonly commit: string; readonly digest: string };

const root = imageRoot();
if (root === null) process.exit(6);
const digest = tablesDigest();
const commit = execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" }).trim();
const deadline = Date.now() + Number(values.minutes) * 60_000;
let isSound = true;
while (Date.now() < deadline && isSound) {
  const seed = Math.floor(Math.random() * 2 ** 31);
  // One slice after the other: each is a line of its own.
  // oxlint-disable-next-line no-await-in-loop
  const tally = await runTableCampaign({ root, seed, runs: Number(values["slice-runs"]), batch: 200, workers: Number(values.workers) });
  appendFileSync(values.record, `${JSON.stringify({ commit, digest, ...tally })}\n`);
  console.log(describeTableTally(tally));
  isSound = tally.findings === 0;
}
console.log(describeSums());
process.exitCode = isSound ? 0 : 1;

function describeSums(): string {
  const lines = existsSync(values.record) ? readFileSync(values.record, "utf8").split("\n").filter(Boolean) : [];
  const slices = lines.map((line) => JSON.parse(line) as Slice);
  const since = slices.slice(slices.findLastIndex((slice) => slice.findings > 0) + 1);
  const present = slices.filter((slice) => slice.digest === digest);
  return [
    `digest ${digest.slice(0, 12)}: ${describeSum(present)}`,
    `since the last finding: ${describeSum(since)}`,
    `all digests: ${describeSum(slices)}`,
  ].join("\n");
}

function describeSum(slices: readonly Slice[]): string {
  const sum = (key: "runs" | "decided" | "changed" | "findings" | "seconds"): string => String(slices.reduce((total, slice) => total + slice[key], 0));
  return `${sum("runs")} runs, ${sum("decided")} not asked about anyway, ${sum("changed")} of these changed something, ${sum("findings")} findings in ${sum("seconds")} s over ${String(slices.length)} slices`;
}
