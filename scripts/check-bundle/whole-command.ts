import { realpathSync, writeFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { inAscii, signaturesOf } from "./in-checkout.ts";

/** Packages with machine code find it beside themselves. */
const EXTERNAL = ["better-sqlite3", "dockerode", "cpu-features"];

/** What a source knows of its own place stays the source's. A checkout may be moved with its bundle, so it is said from the bundle's folder. */
function ownPlaces(root: string, folder: string): Plugin {
  // Node.js follows links to what it loads.
  const from = realpathSync(folder);
  const fromBundle = (id: string): string => `new URL(${JSON.stringify(relative(from, id))}, import.meta.url).href`;
  return {
    name: "own-places",
    transform: (code, id) => (id.startsWith(join(root, "src")) && code.includes("import.meta.url") ? code.replaceAll("import.meta.url", fromBundle(id)) : null),
  };
}

/**
 * Bundles the whole command line of the sources, and further programs by their names, into a folder of the checkout. Gives the signature of every file
 * that was read for it, from before it was read.
 */
export async function bundleCommand(root: string, folder: string, further: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> {
  const read: Record<string, string> = {};
  const inputs: Plugin = {
    name: "inputs",
    load(id) {
      if (isAbsolute(id)) Object.assign(read, signaturesOf(root, [id]));
      return null;
    },
  };
  const build = await rolldown({
    input: { main: join(root, "src/cli/main.ts"), ...further },
    platform: "node",
    external: EXTERNAL,
    plugins: [inputs, ownPlaces(root, folder)],
  });
  const { output } = await build.generate({
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
  });
  await build.close();
  for (const file of output) if (file.type === "chunk") writeFileSync(join(folder, file.fileName), inAscii(file.code));
  return read;
}
