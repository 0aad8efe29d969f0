// How long one analysis of a typical command takes.
//
//   node bench/analyse.ts [--json]
import { analyseCommand } from "../src/shell/analyse.ts";

const COMMANDS: Readonly<Record<string, string>> = {
  "one program": "ls -la src",
  "a pipeline": "git log --oneline -n 20 | head -n 5",
  "a list": "cd packages/core && npm test 2>&1 | tail -n 20",
  search: "rg -n --glob '*.ts' \"from '.*/policy\" src | sort | uniq -c",
  "find and sed": "find src -name '*.ts' -not -path '*/node_modules/*' -exec sed -n 1,5p {} +",
  "a loop": 'for f in a.ts b.ts; do echo "== $f"; cat "$f"; done',
  "a here-document": "cat > notes.md <<'EOF'\n# Notes\n- one\n- two\nEOF",
  "a substitution": 'git diff --stat "$(git merge-base HEAD main)" -- src',
  "a shell in a shell": "bash -c 'set -e; make build && ./run --check'",
};
const CONTEXT = { cwd: "/srv/project", home: "/home/someone" };
const BATCH = 20;
const ROUNDS = 300;

type Row = { readonly p50Ms: number; readonly p95Ms: number; readonly n: number };

/** Times batches, because one call is shorter than what the clock can tell apart. */
function measure(command: string): Row {
  for (let warm = 0; warm < 2000; warm += 1) analyseCommand(command, CONTEXT);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    for (let call = 0; call < BATCH; call += 1) analyseCommand(command, CONTEXT);
    times.push((performance.now() - start) / BATCH);
  }
  times.sort((one, other) => one - other);
  return { p50Ms: quantile(times, 0.5), p95Ms: quantile(times, 0.95), n: ROUNDS * BATCH };
}

function quantile(sorted: readonly number[], at: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0;
}

const rows = Object.fromEntries(Object.entries(COMMANDS).map(([name, command]) => [name, measure(command)]));
const medians = Object.values(rows)
  .map((row) => row.p50Ms)
  .toSorted((one, other) => one - other);
const report = { rows, figures: { medianOfP50Ms: quantile(medians, 0.5) } };
if (process.argv.includes("--json")) console.log(JSON.stringify(report));
else
  for (const [name, row] of Object.entries(rows))
    console.log(`${name.padEnd(20)} p50 ${(row.p50Ms * 1000).toFixed(1)} us  p95 ${(row.p95Ms * 1000).toFixed(1)} us`);
