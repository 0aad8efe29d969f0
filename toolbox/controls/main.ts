/**
 * Switches each control of test/controls.json, and each behaviour of test/behaviours, off in a copy of the tree and demands that a test turns
 * red, and that it is green with the control in place.
 *
 *   npm run test:controls -- [--only ID …] [--behaviours] [--area sandbox --area end-to-end …] [--sample N [--seed S]] [--workers 2]
 *                            [--results FILE.jsonl]
 *
 * `--behaviours` leaves the controls out. `--sample` draws of the controls alone otherwise: some behaviours take minutes. `--area` is the
 * beginning of a test's path below test/. `--results` keeps a line for each control that was tried and leaves out those that it already shows
 * as guarded, so that a run can go on after an interruption. Closes with `N passed, N failed`; exit code 1 when a control is not guarded, 2 for
 * wrong arguments.
 */
import { execFileSync } from "node:child_process";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ownFolder, removeFolder } from "../../test/support/run-folder.ts";
import { Campaign } from "./campaign.ts";
import { type Control, draw } from "./control.ts";
import { CopiedTree } from "./copied-tree.ts";
import { behavioursIn, controlsIn } from "./lists.ts";
import { openResults } from "./results.ts";
import { TreeTests } from "./tree-tests.ts";

/** Copies of the tree beside those of `--workers`, for when a test waits for what does not come. */
const SPARE = 10;
/** Of so much load for each core a machine has enough to do. */
const BUSY = 2;

const checkout = fileURLToPath(new URL("../..", import.meta.url));
const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    behaviours: { type: "boolean", default: false },
    area: { type: "string", multiple: true },
    sample: { type: "string" },
    seed: { type: "string" },
    workers: { type: "string", default: "2" },
    results: { type: "string" },
  },
});

const isDraw = values.sample !== undefined && !values.behaviours;
const all = [...(values.behaviours ? [] : controlsIn(checkout)), ...(isDraw ? [] : behavioursIn(checkout))];
const selected = select(all);
if (selected.length === 0) {
  console.error(`No such control. The list: ${all.map(({ id }) => id).join(", ")}`);
  process.exit(2);
}
const commit = execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: checkout, encoding: "utf8" }).trim();
const results = openResults(values.results ?? null, commit);
const left = selected.filter((control) => !results.isGuarded(control));
if (left.length < selected.length) console.log(`${selected.length - left.length} of ${selected.length} are guarded already, says ${values.results ?? ""}`);

const folder = ownFolder(tmpdir(), "warder-controls");
const workers: TreeTests[] = [];
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    for (const worker of workers) worker.kill();
    removeFolder(folder);
    process.exit(130);
  });
}
let guarded = selected.length - left.length;
const startedMs = performance.now();
try {
  const original = CopiedTree.ofCheckout(checkout, join(folder, "tree"));
  const open = (): TreeTests => {
    const worker = new TreeTests(original.copyTo(join(folder, String(workers.length))));
    workers.push(worker);
    return worker;
  };
  const atOnce = Number(values.workers);
  const width = Math.max(0, ...left.map(({ id }) => id.length));
  await new Campaign(left).run(
    open,
    { width: atOnce, most: atOnce + SPARE, isBusy: () => (loadavg()[0] ?? 0) > BUSY * availableParallelism() },
    (control, verdict, seconds) => {
      if (verdict.isGuarded) guarded += 1;
      results.add(control, verdict, seconds);
      console.log(`${verdict.isGuarded ? "ok  " : "FAIL"}  ${control.id.padEnd(width)}  ${seconds.toFixed(1).padStart(5)} s  ${verdict.detail}`);
    },
  );
} finally {
  await Promise.all(workers.map((worker) => worker.close()));
  removeFolder(folder);
}
console.log(`${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes`);
console.log(`controls: ${guarded} passed, ${selected.length - guarded} failed`);
process.exitCode = guarded === selected.length ? 0 : 1;

function select(controls: readonly Control[]): readonly Control[] {
  const { only, area, sample } = values;
  if (only !== undefined) return controls.filter(({ id }) => only.includes(id));
  const inArea = controls.filter(({ tests }) => area?.some((path) => tests.some(({ file }) => file.startsWith(`test/${path}`))) ?? true);
  if (sample === undefined) return inArea;
  const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
  console.log(`drawn with --seed ${seed}`);
  return draw(inArea, Number(sample), seed);
}
