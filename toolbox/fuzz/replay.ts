// Tells how much of what the soak has run of an earlier analysis holds for the present one: makes the texts of its slices again from their seeds, and
// analyses each with both. Where both analyses are the same, whatever the order of keys, so is what the runs of bash said of them. Executes nothing.
//
//   npm run fuzz -- replay --before CHECKOUT --digest DIGEST
//
// CHECKOUT: a copy of this repository at the commit of those slices, with its packages. DIGEST: the beginning of theirs.
// Exits 1 when what executes and judges the texts is another now, or a slice is not made again with the counts that it was recorded with.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { DEFAULTS } from "./shell/campaign.ts";
import type * as Campaign from "./shell/campaign.ts";
import { oracleDigest, placeIn } from "./shell/digest.ts";
import { analyseCase } from "./shell/subject.ts";
import type * as Subject from "./shell/subject.ts";
import { standingOf } from "./shell/verdict.ts";

type Slice = { readonly digest: string; readonly seed: number; readonly cases: number; readonly static: number; readonly open: number };

const { values } = parseArgs({ options: { before: { type: "string" }, digest: { type: "string" } } });
const { before, digest } = values;
if (before === undefined || digest === undefined) {
  console.error("replay: --before CHECKOUT and --digest DIGEST are needed");
  process.exit(2);
}
for (const needed of [placeIn(before, "toolbox/fuzz/shell/campaign.ts"), join(before, "node_modules/unbash")]) {
  if (existsSync(needed)) continue;
  console.error(`replay: --before ${before}: there is no ${needed}; a copy of this repository with its packages is needed`);
  process.exit(2);
}
const importBefore = (name: string): Promise<unknown> => import(pathToFileURL(placeIn(resolve(before), `toolbox/fuzz/shell/${name}`)).href);
const { textOf } = (await importBefore("campaign.ts")) as typeof Campaign;
const subject = (await importBefore("subject.ts")) as typeof Subject;

const record = fileURLToPath(new URL("../../docs/measurements/shell-fuzz.jsonl", import.meta.url));
const lines = readFileSync(record, "utf8").split("\n").filter(Boolean);
const slices = lines.map((line) => JSON.parse(line) as Slice).filter((slice) => slice.digest.startsWith(digest));
if (slices.length === 0) {
  console.error(`replay: --digest ${digest}: docs/measurements/shell-fuzz.jsonl holds no slice of it`);
  process.exit(2);
}

const seeds = subject.seedTexts();
const total = { cases: 0, executed: 0, sameExecuted: 0, otherSlices: 0 };
for (const slice of slices) replay(slice);
const isSameOracle = oracleDigest(resolve(before)) === oracleDigest();
if (!isSameOracle) console.log("what executes and judges the texts is another now: no run counts");
console.log(
  `${String(slices.length)} slices, ${String(total.cases)} texts, ${String(total.executed)} executed; ${String(total.sameExecuted)} of these are analysed as before, ${String(total.otherSlices)} slices were not made again`,
);
process.exitCode = isSameOracle && total.otherSlices === 0 ? 0 : 1;

function replay(slice: Slice): void {
  const seen = new Set<string>();
  const counts = { static: 0, open: 0, undecidable: 0 };
  for (let index = 0; seen.size < slice.cases; index += 1) {
    const { text } = textOf({ seed: slice.seed, mutations: DEFAULTS.mutations }, index, seeds);
    if (seen.has(text)) continue;
    seen.add(text);
    const [former, present] = [subject.analyseCase(text), analyseCase(text)];
    const standing = standingOf(former);
    counts[standing] += 1;
    const isSame = canonical(former) === canonical(present);
    if (standing !== "undecidable" && isSame) total.sameExecuted += 1;
    if (!isSame) console.log(`${standing} -> ${standingOf(present)}: ${JSON.stringify(text)}`);
  }
  total.cases += slice.cases;
  total.executed += slice.static + slice.open;
  if (counts.static !== slice.static || counts.open !== slice.open) total.otherSlices += 1;
}

/** The JSON of a value with the keys of each object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}
