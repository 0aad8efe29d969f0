// Bundles the command line of the sources into FOLDER, below the checkout, and writes the program FOLDER/warder, which starts it without looking whether
// a source changed; beside it a program that a test starts dozens of times.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleCommand } from "../../../scripts/check-bundle/whole-command.ts";

const [folder = ""] = process.argv.slice(2);
const root = join(import.meta.dirname, "..", "..", "..");

await bundleCommand(root, folder, { "park-cycle": join(import.meta.dirname, "park-cycle.ts") });
const start = `#!/bin/sh
NODE_COMPILE_CACHE='${folder}/compiled'
export NODE_COMPILE_CACHE
exec '${process.execPath}' '${folder}/main.mjs' "$@"
`;
writeFileSync(join(folder, "warder"), start, { mode: 0o755 });
// Each user keeps what is compiled in a folder of its own.
mkdirSync(join(folder, "compiled"));
chmodSync(join(folder, "compiled"), 0o1777);
