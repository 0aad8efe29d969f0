import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";

const { signatureOf } = createRequire(import.meta.url)("../../bin/check.cjs") as { signatureOf: (path: string) => string };

/** A file that is written twice within one tick of the file system's clock has one signature. */
const TICK_MS = 50;

/** Node.js reads, hashes and compiles a text of one byte a character faster. An escape means the same in a text, a template and a pattern. */
export function inAscii(code: string): string {
  return code.replaceAll(/[^\u0000-\u007f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function signaturesOf(root: string, paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [relative(root, path), signatureOf(path)]));
}

export type CheckoutBundle = {
  readonly root: string;
  /** Of its stamp, and of its folders. */
  readonly name: string;
  /** The file of the bundle that is loaded. */
  readonly main: string;
  /** What else it follows from, by paths below the root. */
  readonly further: readonly string[];
  /** Bundles into an empty folder, and gives the signatures of all that was read. */
  readonly make: (folder: string) => Promise<Record<string, string>>;
  /** How long a process may go on with an older bundle. */
  readonly keptMs: number;
};

/** Makes a bundle in a folder of .tools, and the stamp that says to bin/check.cjs how long it is valid: until any file of it or before it changes. */
export async function bundleInCheckout({ root, name, main, further, make, keptMs }: CheckoutBundle): Promise<void> {
  const tools = join(root, ".tools");
  mkdirSync(tools, { recursive: true });
  await setTimeout(TICK_MS);
  const folder = mkdtempSync(join(tools, `${name}-`));
  chmodSync(folder, 0o755);
  const inputs = await make(folder);
  const made = readdirSync(folder).map((file) => join(folder, file));
  const files = { ...inputs, ...signaturesOf(root, [...further.map((path) => join(root, path)), ...made]) };
  const stamp = join(tools, `${name}.json`);
  writeFileSync(`${stamp}.new`, JSON.stringify({ main: relative(root, join(folder, main)), files }), { mode: 0o644 });
  renameSync(`${stamp}.new`, stamp);
  for (const other of readdirSync(tools).filter((entry) => entry.startsWith(`${name}-`))) {
    const path = join(tools, other);
    if (path !== folder && statSync(path).mtimeMs <= Date.now() - keptMs) rmSync(path, { recursive: true });
  }
}
