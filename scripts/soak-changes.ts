// Lands and throws away random sets of changes ROUNDS times, killed in the middle, and compares the workspace with plain directories
// (test/support/change-rounds.ts). Needs root. Usage: node scripts/soak-changes.ts [--rounds 2000] [--seed 1] [--json]
import { parseArgs } from "node:util";
import { playRound, type Round } from "../test/support/change-rounds.ts";

/** About as long as landing a set of changes takes: a kill may come anywhere in it. */
const LONGEST_MS = 250;

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "2000" }, seed: { type: "string", default: "1" }, json: { type: "boolean", default: false } },
});
const rounds = Number(values.rounds);
const first = Number(values.seed);
const startedMs = performance.now();
const played: Round[] = [];
let faulty = 0;
for (let seed = first; seed < first + rounds; seed += 1) {
  const round = await playRound(seed, LONGEST_MS);
  played.push(round);
  if (round.faults.length === 0) continue;
  faulty += 1;
  process.stderr.write(`seed ${String(seed)} (${round.kind}):\n${round.faults.slice(0, 5).join("\n")}\n`);
}
const count = (is: (round: Round) => boolean): number => played.filter(is).length;
const sum = (of: (round: Round) => number): number => played.reduce((total, round) => total + of(round), 0);
const figures = {
  rounds,
  changes: sum((round) => round.changes),
  refused: sum((round) => round.refused),
  kills: sum((round) => round.kills),
  killedRounds: count((round) => round.kills > 0),
  roundsWithConflicts: count((round) => round.hasConflicts),
  discarded: count((round) => round.kind.startsWith("discard")),
  faulty,
  seconds: Math.round((performance.now() - startedMs) / 1_000),
};
process.stdout.write(values.json ? `${JSON.stringify({ rows: {}, figures })}\n` : `${JSON.stringify(figures, null, 2)}\n`);
process.exitCode = faulty === 0 ? 0 : 1;
