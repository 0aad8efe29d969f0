// Plays PAIRS of what a run does with git and what a person does with it meanwhile, both drawn from one list of operations (test/support/pairs/operations.ts).
// A branch is made, and the run lands, now and then killed in between. Then git's plumbing says whether what landed is what the review said, or nothing
// moved, and whether anything is lost. Needs root.
//
//   npm run soak -- pairs [--pairs 300] [--seed 1] [--reftable] [--json]
//
// A seed is played again with: --seed N --pairs 1. --reftable: in repositories whose refs lie in tables, which git knows since 2.45.
import { parseArgs } from "node:util";
import { figuresOf, type Pair, playPair } from "../../test/support/pairs/play.ts";

const { values } = parseArgs({
  options: {
    pairs: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    reftable: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const startedMs = performance.now();
const first = Number(values.seed);
const played: Pair[] = [];
const reasons = new Map<string, number>();
for (let seed = first; seed < first + Number(values.pairs); seed += 1) {
  const pair = await playPair(seed, values.reftable ? "reftable" : "files");
  played.push(pair);
  for (const reason of pair.reasons) {
    const kind = reason.replaceAll(/[0-9a-f]{12,}|'.*'|refs\/\S+|\b(?:run|host)-\d+\b/gu, "…").slice(0, 80);
    reasons.set(kind, (reasons.get(kind) ?? 0) + 1);
  }
  if (pair.faults.length > 0)
    process.stderr.write(`seed ${String(seed)}: run [${pair.run.join(", ")}], person [${pair.host.join(", ")}]\n  ${pair.faults.slice(0, 5).join("\n  ")}\n`);
  if (played.length % 50 === 0) process.stderr.write(`${String(played.length)} pairs\n`);
}
const figures = { ...figuresOf(played), seconds: Math.round((performance.now() - startedMs) / 1000) };
if (values.json) process.stdout.write(`${JSON.stringify({ rows: {}, figures })}\n`);
else {
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  for (const [reason, count] of [...reasons].toSorted(([, one], [, other]) => other - one)) process.stdout.write(`${String(count).padStart(4)} ${reason}\n`);
}
process.exitCode = played.some(({ faults }) => faults.length > 0) ? 1 : 0;
