/**
 * Measures the tables of programs against labelled commands: `npm run bench -- commands FILE [--show LABEL] [--not-low LABEL]`.
 * FILE has one JSON object a line, `{"command", "label"}`. A command is low when all it does is read, at paths that
 * are known; with `--connects`, also when it only asks machines on the network.
 */
import { readFileSync } from "node:fs";
import { analyseCommand } from "../../src/shell/analyse.ts";
import type { Effect } from "../../src/shell/model/model.ts";

const isTolerant = process.argv.includes("--connects");
const valueOf = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};

function isLow({ kind, path }: Effect): boolean {
  if (kind === "reads") return path?.kind !== "dynamic";
  if (kind === "writes" || kind === "deletes") return path?.kind === "literal" && /^\/dev\/(?:null|stdout|stderr|tty)$/.test(path.path);
  return kind === "connects" && isTolerant;
}

type Row = { readonly command: string; readonly label: string };

const rows = readFileSync(process.argv[2] ?? "", "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Row);
const totals = new Map<string, { low: number; all: number }>();
const causes = new Map<string, number>();
const started = performance.now();
for (const { command, label } of rows) {
  const { effects } = analyseCommand(command, { cwd: "/workspace", home: "/home/agent" });
  const blocking = effects.filter((effect) => !isLow(effect));
  const total = totals.get(label) ?? { low: 0, all: 0 };
  totals.set(label, { low: total.low + (blocking.length === 0 ? 1 : 0), all: total.all + 1 });
  if (blocking.length === 0 && label === valueOf("--show")) console.log(`low  ${JSON.stringify(command).slice(0, 240)}`);
  if (blocking.length > 0 && label === valueOf("--not-low")) {
    const first = blocking[0] as Effect;
    const cause = `${first.kind}: ${first.cause}`;
    causes.set(first.kind, (causes.get(first.kind) ?? 0) + 1);
    console.log(`${cause.slice(0, 120)}  <-  ${JSON.stringify(command).slice(0, 140)}`);
  }
}
for (const [label, { low, all }] of totals)
  console.log(`${label.padEnd(18)} low ${String(low).padStart(5)} of ${String(all).padStart(5)}  ${((100 * low) / all).toFixed(1)} %`);
for (const [cause, count] of causes) console.log(`${cause} ${String(count)}`);
console.log(`${String(rows.length)} commands in ${(performance.now() - started).toFixed(0)} ms`);
