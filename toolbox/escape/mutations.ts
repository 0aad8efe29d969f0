/**
 * Takes the sandbox's lines away one at a time (test/escape/mutations.yaml) and demands that an attack notices each. `--only ID` (may be
 * repeated). Prints a table; exit code 1 when a line that must be noticed was not.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CopiedTree } from "../controls/copied-tree.ts";
import { ownFolder, removeFolder } from "../../test/support/run-folder.ts";
import { loadMutations, tryMutation } from "./mutation.ts";

const { values } = parseArgs({ options: { only: { type: "string", multiple: true } } });
const all = loadMutations();
const selected = values.only === undefined ? all : all.filter(({ id }) => values.only?.includes(id));
const folder = ownFolder(tmpdir(), "warder-mutations");
const tree = CopiedTree.ofCheckout(fileURLToPath(new URL("../..", import.meta.url)), join(folder, "tree"));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    removeFolder(folder);
    process.exit(130);
  });
}
const totals = { noticed: 0, depth: 0, missed: 0 };
try {
  console.log("| line taken away | runtime | noticed by |\n|---|---|---|");
  for (const mutation of selected) {
    // Where nothing is expected to notice, the attacks of the other mutations of its file say so.
    const neighbours = [
      ...new Set(all.filter(({ file, runtime }) => file === mutation.file && runtime === mutation.runtime).flatMap(({ attacks }) => attacks)),
    ];
    // One tree, one mutation at a time.
    // oxlint-disable-next-line no-await-in-loop
    const end = await tryMutation(tree, mutation, neighbours);
    if (!end.isAsExpected) totals.missed += 1;
    else if (end.isNoticed) totals.noticed += 1;
    else totals.depth += 1;
    console.log(`| ${mutation.id} | ${mutation.runtime} | ${end.isAsExpected ? "" : "**MISSED** "}${end.isNoticed ? "" : "nothing: "}${end.detail} |`);
  }
} finally {
  removeFolder(folder);
}
console.log(`\nmutations: ${totals.noticed} noticed, ${totals.depth} held by another layer, ${totals.missed} missed`);
process.exitCode = totals.missed === 0 ? 0 : 1;
