/**
 * Switches each control of test/controls.json off in a copy of the tree and demands that a test turns red, and that it is green with the
 * control in place. `--only ID` (may be repeated), `--sample N`, `--seed S`. Closes with `N passed, N failed`; exit code 1 when a control is
 * not guarded, 2 for wrong arguments.
 */
import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { draw, judge } from "./control.ts";
import type { Control, Verdict } from "./control.ts";
import { CopiedTree } from "./copied-tree.ts";

const checkout = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { only: { type: "string", multiple: true }, sample: { type: "string" }, seed: { type: "string" } } });

const all = JSON.parse(readFileSync(new URL("../../test/controls.json", import.meta.url), "utf8")) as readonly Control[];
const selected = select(all);
if (selected.length === 0) {
  console.error(`No such control. The list: ${all.map(({ id }) => id).join(", ")}`);
  process.exit(2);
}

const tree = new CopiedTree(checkout);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    tree.remove();
    process.exit(130);
  });
}
let guarded = 0;
try {
  const width = Math.max(...selected.map(({ id }) => id.length));
  for (const control of selected) {
    // A signal is taken here: the tests of a control are waited for.
    await setImmediate();
    const startedMs = performance.now();
    const verdict = examine(control);
    if (verdict.isGuarded) guarded++;
    console.log(
      `${verdict.isGuarded ? "ok  " : "FAIL"}  ${control.id.padEnd(width)}  ${((performance.now() - startedMs) / 1000).toFixed(1).padStart(5)} s  ${verdict.detail}`,
    );
  }
} finally {
  tree.remove();
}
console.log(`controls: ${guarded} passed, ${selected.length - guarded} failed`);
process.exitCode = guarded === selected.length ? 0 : 1;

function select(controls: readonly Control[]): readonly Control[] {
  if (values.only !== undefined) return controls.filter(({ id }) => values.only?.includes(id));
  if (values.sample === undefined) return controls;
  const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
  console.log(`drawn with --seed ${seed}`);
  return draw(controls, Number(values.sample), seed);
}

function examine(control: Control): Verdict {
  try {
    return judge(tree.withControl(control), tree.withoutControl(control));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { isGuarded: false, detail: error.message };
  }
}
