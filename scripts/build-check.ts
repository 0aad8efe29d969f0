// Bundles what `warder check` and `warder hook` take, for bin/check.cjs, into a folder of .tools. Run by scripts/setup when something changed.
//
//   node scripts/build-check.ts              for a checkout: a folder of .tools, valid as long as no source changes
//   node scripts/build-check.ts --package    for the package: dist/quick, which nothing changes
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { bundleInCheckout, inAscii, signaturesOf } from "./check-bundle/in-checkout.ts";
import { LAZY_BUNDLES, lazyModules } from "./check-bundle/lazy-modules.ts";
import { preparedDocumentModule } from "./check-bundle/prepared-policies.ts";

const root = join(import.meta.dirname, "..");

/** What else the bundle follows from. */
const FURTHER_INPUTS = [
  "bin/check.cjs",
  "package.json",
  "package-lock.json",
  "scripts/build-check.ts",
  "scripts/check-bundle/in-checkout.ts",
  "scripts/check-bundle/lazy-modules.ts",
  "scripts/check-bundle/prepared-policies.ts",
];

/** Writes the bundle, and gives every file that was read for it: also those of which nothing is left in it but a value. */
async function bundle(folder: string, identity: string): Promise<readonly string[]> {
  const read: string[] = [];
  const inputs: Plugin = {
    name: "inputs",
    buildEnd() {
      read.push(...this.getModuleIds());
    },
  };
  const build = await rolldown({
    input: { check: join(root, "src/cli/answer-quickly.ts"), ...Object.fromEntries(LAZY_BUNDLES.map((name) => [name, name])) },
    platform: "node",
    external: ["better-sqlite3"],
    plugins: [inputs, identified(identity), lazyModules(root, { "src/policy/language/document.ts": preparedDocumentModule(root) })],
  });
  const { output } = await build.generate({ format: "cjs", entryFileNames: "[name].cjs", chunkFileNames: "[name]-[hash].cjs" });
  await build.close();
  const chunks = output.filter((file) => file.type === "chunk");
  for (const { fileName, code } of chunks) writeFileSync(join(folder, fileName), inAscii(code));
  return [...new Set(read)].filter((id) => isAbsolute(id)).toSorted();
}

/** The program knows itself by it; see src/config/policy/build-identity.ts. */
function identified(identity: string): Plugin {
  const path = join(root, "src/config/policy/build-identity.ts");
  return { name: "identity", load: (id) => (id === path ? `export const BUILD = ${JSON.stringify(identity)};` : null) };
}

function digestOf(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths)
    hash
      .update(`${relative(root, path)}\0`)
      .update(readFileSync(path))
      .update("\0");
  return hash.digest("hex");
}

/** Bundles into an empty folder, and gives the signatures of all that was read. */
async function bundleInto(folder: string): Promise<Record<string, string>> {
  const first = await bundle(folder, "");
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  const before = signaturesOf(root, first);
  const inputs = await bundle(folder, digestOf([...first, ...FURTHER_INPUTS.map((path) => join(root, path))]));
  if (JSON.stringify(signaturesOf(root, inputs)) !== JSON.stringify(before)) throw new Error("a source changed meanwhile; run it again");
  return before;
}

/** One that is being loaded is loaded again from the sources, so older ones go at once. */
async function forCheckout(): Promise<void> {
  await bundleInCheckout({ root, name: "check", main: "check.cjs", further: FURTHER_INPUTS, make: bundleInto, keptMs: 0 });
}

async function forPackage(): Promise<void> {
  const folder = join(root, "dist/quick");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await bundleInto(folder);
}

await (process.argv[2] === "--package" ? forPackage() : forCheckout());
