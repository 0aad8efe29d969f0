// Bundles the command line of the sources into FOLDER, below the checkout, and writes the program FOLDER/warder, which starts it; beside it a program
// that a test starts dozens of times. What a source knows of its own place stays the source's.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Plugin, rolldown } from "rolldown";

const [folder = ""] = process.argv.slice(2);
const root = join(import.meta.dirname, "..", "..", "..");

const ownPlaces: Plugin = {
  name: "own-places",
  transform: (code, id) =>
    id.startsWith(join(root, "src")) && code.includes("import.meta.url") ? code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)) : null,
};
// Packages with machine code find it beside themselves.
const external = ["better-sqlite3", "dockerode", "cpu-features"];
const build = await rolldown({
  input: { main: join(root, "src/cli/main.ts"), "park-cycle": join(import.meta.dirname, "park-cycle.ts") },
  platform: "node",
  external,
  plugins: [ownPlaces],
});
await build.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" });
await build.close();
const start = `#!/bin/sh
NODE_COMPILE_CACHE='${folder}/compiled'
export NODE_COMPILE_CACHE
exec '${process.execPath}' '${folder}/main.mjs' "$@"
`;
writeFileSync(join(folder, "warder"), start, { mode: 0o755 });
// Each user keeps what is compiled in a folder of its own.
mkdirSync(join(folder, "compiled"));
chmodSync(join(folder, "compiled"), 0o1777);
