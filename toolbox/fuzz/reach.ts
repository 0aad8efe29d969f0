// Which lines of the shell analysis the fuzzer's texts reach, as V8 counts them. Executes nothing.
//
//   npm run fuzz -- reach [--cases 30000] [--seed 1] [--lines]
//
// `--lines` prints every line that was not reached.
import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import type { Profiler } from "node:inspector/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { textOf } from "./shell/campaign.ts";
import { DEFAULTS } from "./shell/campaign.ts";
import { analyseCase, seedTexts } from "./shell/subject.ts";

const SHELL = new URL("../../src/shell/", import.meta.url);
const { values } = parseArgs({
  options: { cases: { type: "string", default: "30000" }, seed: { type: "string", default: "1" }, lines: { type: "boolean", default: false } },
});

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
const seeds = seedTexts();
for (let index = 0; index < Number(values.cases); index += 1)
  analyseCase(textOf({ seed: Number(values.seed), mutations: DEFAULTS.mutations }, index, seeds).text);
const { result } = await session.post("Profiler.takePreciseCoverage");

const files = result.filter((script) => script.url.startsWith(SHELL.href)).map(reachOf);
let [reached, all] = [0, 0];
for (const file of files.toSorted((one, other) => one.name.localeCompare(other.name))) {
  reached += file.lines - file.missed.length;
  all += file.lines;
  if (file.missed.length === 0) continue;
  console.log(`${file.name}: ${String(file.lines - file.missed.length)} of ${String(file.lines)} lines`);
  if (values.lines) for (const line of file.missed) console.log(`  ${String(line.number)}: ${line.text}`);
}
console.log(`${((100 * reached) / Math.max(1, all)).toFixed(1)} % of ${String(all)} lines of src/shell in ${values.cases} cases`);

type Reach = { readonly name: string; readonly lines: number; readonly missed: readonly { readonly number: number; readonly text: string }[] };

/** Lines that hold code, and those of them no part of which ran. Inner ranges stand behind the outer ones that they correct. */
function reachOf(script: Profiler.ScriptCoverage): Reach {
  const path = fileURLToPath(script.url);
  const source = readFileSync(path, "utf8");
  const counts = new Uint8Array(source.length).fill(1);
  for (const { ranges } of script.functions) for (const range of ranges) counts.fill(range.count > 0 ? 1 : 0, range.startOffset, range.endOffset);
  const missed: { number: number; text: string }[] = [];
  let [lines, at] = [0, 0];
  for (const [index, line] of source.split("\n").entries()) {
    const start = at + line.search(/\S|$/);
    at += line.length + 1;
    if (!/[\w]/.test(line) || /^\s*(?:\/\/|\/?\*)/.test(line)) continue;
    lines += 1;
    if (counts.subarray(start, at - 1).every((count) => count === 0)) missed.push({ number: index + 1, text: line.trim() });
  }
  return { name: relative(fileURLToPath(SHELL), path), lines, missed };
}
