// Compares what the shell analysis takes for a valid text with what bash takes for one. Nothing is executed: `bash -n` only reads.
//
//   npm run fuzz -- syntax --seconds 30 [--seed S]
//
// Exits 1 when bash refuses a text that the analysis claims to understand.
import { parseArgs } from "node:util";
import { compareSyntax } from "./campaign.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "30" }, seed: { type: "string" } } });
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${String(seed)}`);
const tally = await compareSyntax({ seed, seconds: Number(values.seconds), texts: Infinity });
for (const text of tally.refused) console.log(`REFUSED BY BASH: ${JSON.stringify(text)}`);
console.log(
  `${String(tally.texts)} texts, ${String(tally.claimed)} of them claimed to be understood, ${String(tally.refused.length)} of these refused by bash`,
);
process.exitCode = tally.refused.length > 0 ? 1 : 0;
