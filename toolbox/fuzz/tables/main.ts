// Runs the real programs of the sandbox image with options that the tables name, and compares what they did with what was predicted.
//
//   npm run fuzz -- tables [--runs 2000] [--seed N] [--batch 200] [--workers 4] [--append docs/measurements/tables.jsonl]
//
// Ends with 1 when a command wrote, deleted, started or connected to what was not predicted, with 6 where there is no image.
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { describeTableTally, imageRoot, runTableCampaign } from "./campaign.ts";
import { tablesDigest } from "./digest.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    batch: { type: "string", default: "200" },
    append: { type: "string" },
    image: { type: "string" },
    workers: { type: "string", default: "4" },
  },
});

const root = imageRoot(values.image);
if (root === null) process.exit(6);
// The digest of what this process was started with, whatever becomes of the files.
const digest = tablesDigest();
const commit = execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" }).trim();
const tally = await runTableCampaign({
  root,
  seed: Number(values.seed),
  runs: Number(values.runs),
  batch: Number(values.batch),
  workers: Number(values.workers),
});
console.log(describeTableTally(tally));
if (values.append !== undefined) appendFileSync(values.append, `${JSON.stringify({ commit, digest, ...tally })}\n`);
process.exitCode = tally.findings > 0 ? 1 : 0;
