// Measures the shell analysis against programs that real shells ran.
//
//   npm run bench -- torture FILE.tsv
//
// Columns: id, category, command (a JSON string), what was expected, the programs that bash ran (comma-separated, `-` for none).
// A row is unsound when bash ran a program that the analysis neither names nor calls undecidable, unknown or code.
// Exits 1 when a row is unsound.
import { readFileSync } from "node:fs";
import { analyseCommand } from "../../src/shell/analyse.ts";

const file = process.argv[2];
if (file === undefined) {
  console.error("usage: npm run bench -- torture FILE.tsv");
  process.exit(2);
}

type Row = { readonly id: string; readonly command: string; readonly expected: string; readonly ran: readonly string[] };

function readRows(path: string): Row[] {
  const rows: Row[] = [];
  for (const line of readFileSync(path, "utf8").split("\n").slice(1)) {
    const [id, , command, expected, ran] = line.split("\t");
    if (id === undefined || command === undefined || ran === undefined) continue;
    rows.push({ id, command: JSON.parse(command) as string, expected: expected ?? "", ran: ran === "-" || ran.startsWith("(") ? [] : ran.split(",") });
  }
  return rows;
}

let unsound = 0;
let undecidable = 0;
let valid = 0;
for (const row of readRows(file)) {
  const analysis = analyseCommand(row.command, { cwd: "/work", home: "/home/user" });
  const named = new Set(analysis.simples.map((simple) => simple.program?.split("/").at(-1) ?? ""));
  // A table says it as an effect alone.
  const isOpen = analysis.undecidable.length > 0 || analysis.effects.some((effect) => effect.kind === "undecidable");
  const runsCode = analysis.effects.some((effect) => effect.kind === "runs-code" || effect.kind === "unknown");
  const missed = row.ran.filter((program) => !named.has(program));
  if (row.ran.length > 0) valid += 1;
  if (row.ran.length > 0 && isOpen) {
    undecidable += 1;
    console.log(`undecidable ${row.id} ${JSON.stringify(row.command)} ${analysis.undecidable.map((entry) => entry.code).join(",")}`);
  }
  if (isOpen || missed.length === 0) continue;
  if (runsCode) {
    console.log(`not named   ${row.id} ${JSON.stringify(row.command)} missed ${missed.join(",")}`);
    continue;
  }
  unsound += 1;
  console.log(`UNSOUND     ${row.id} ${JSON.stringify(row.command)} missed ${missed.join(",")}`);
}
console.log(`${unsound} unsound, ${undecidable} undecidable of ${valid} rows in which bash ran something (${((100 * undecidable) / valid).toFixed(1)} %)`);
process.exit(unsound > 0 ? 1 : 0);
