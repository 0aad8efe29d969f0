// Holds `warder policy diff` against brute force: random pairs of policies, and calls drawn at random that both evaluators decide.
//
//   npm run soak -- policy-diff [--pairs 20000] [--calls 2000] [--seed 1]
//
// Exit 1 when something that widens was said only to tighten, when a call that is decided more loosely lies in no region that was told, or when a witness
// does not hold.
import { parseArgs } from "node:util";
import { drawCalls, holdPair, newTally } from "./hold.ts";

const { values } = parseArgs({
  options: { pairs: { type: "string", default: "20000" }, calls: { type: "string", default: "2000" }, seed: { type: "string", default: "1" } },
});

const seed = Number(values.seed);
const tally = newTally();
const startedMs = performance.now();
let calls = drawCalls(seed, 0);
let pool = -1;
for (let index = 0; tally.pairs < Number(values.pairs) && tally.failures.length < 5; index += 1) {
  if (Math.floor(tally.pairs / 100) !== pool) {
    pool = Math.floor(tally.pairs / 100);
    calls = drawCalls(seed * 7_919 + pool, Number(values.calls));
  }
  holdPair(seed * 1_000_003 + index, calls, tally);
}
const { failures, ...sums } = tally;
for (const failure of failures) console.log(failure);
console.log(JSON.stringify({ ...sums, seconds: Math.round((performance.now() - startedMs) / 1000) }));
process.exitCode = failures.length === 0 ? 0 : 1;
