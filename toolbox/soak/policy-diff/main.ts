// Holds `warder policy diff` against brute force: random pairs of policies, and calls drawn at random that both evaluators decide.
//
//   npm run soak -- policy-diff [--pairs 20000] [--calls 2000] [--seed 1] [--steps 200000000]
//   npm run soak -- policy-diff --edits [--pairs 300] [--seed 5]
//
// Prints its tally every 100 pairs, and when it is interrupted. Exit 1 when something that widens was said only to tighten, when a call that is decided more
// loosely lies in no region that was told, or when a witness does not hold. `--steps`: the work that one comparison may do to find calls; with less of it, more is
// only told to be possible. With `--edits`: how often it is only said that an edit of a shipped policy or an example may widen.
import { setImmediate } from "node:timers/promises";
import { parseArgs } from "node:util";
import { STEPS } from "../../../src/policy/comparing/budget.ts";
import { measureEdits } from "./edits.ts";
import { drawCalls, holdPair, newTally } from "./hold.ts";

const { values } = parseArgs({
  options: {
    edits: { type: "boolean" },
    pairs: { type: "string" },
    calls: { type: "string", default: "2000" },
    steps: { type: "string", default: String(STEPS.calls) },
    seed: { type: "string" },
  },
});

const startedMs = performance.now();
const seconds = (): number => Math.round((performance.now() - startedMs) / 1000);

async function holdPairs(pairs: number, seed: number): Promise<void> {
  const tally = newTally();
  const ending = new AbortController();
  const show = (): void => {
    const { failures, ...sums } = tally;
    console.log(JSON.stringify({ ...sums, failures: failures.length, seconds: seconds(), ...(ending.signal.aborted && { interrupted: true }) }));
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => ending.abort());
  let calls = drawCalls(seed, 0);
  let pool = -1;
  for (let index = 0; tally.pairs < pairs && tally.failures.length < 5 && !ending.signal.aborted; index += 1) {
    if (Math.floor(tally.pairs / 100) !== pool) {
      if (pool >= 0) show();
      pool = Math.floor(tally.pairs / 100);
      calls = drawCalls(seed * 7_919 + pool, Number(values.calls));
    }
    holdPair(seed * 1_000_003 + index, calls, tally, { steps: { ...STEPS, calls: Number(values.steps) } });
    // Signals are heard between two pairs.
    await setImmediate();
  }
  for (const failure of tally.failures) console.log(failure);
  show();
  process.exitCode = tally.failures.length === 0 ? 0 : 1;
}

if (values.edits === true) console.log(JSON.stringify({ ...(await measureEdits(Number(values.pairs ?? 300), Number(values.seed ?? 5))), seconds: seconds() }));
else await holdPairs(Number(values.pairs ?? 20_000), Number(values.seed ?? 1));
