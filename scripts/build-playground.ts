// Makes the policy playground, one file that needs nothing else: dist/playground.html, or the path that is given.
//
//   node scripts/build-playground.ts [FILE]
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { shippedNames, SHIPPED_POLICIES } from "../src/config/shipped-policies.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, "src/playground/page");

/** A browser's own SHA-256 answers later, and the evaluator wants it at once. */
const digest: Plugin = {
  name: "digest",
  resolveId: (id) => (id === "node:crypto" ? "\0crypto" : null),
  load: (id) =>
    id === "\0crypto"
      ? `import { sha256 } from "@noble/hashes/sha2.js";
         import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
         export const createHash = () => {
           const hash = sha256.create();
           const made = { update: (data) => (hash.update(typeof data === "string" ? utf8ToBytes(data) : data), made), digest: () => bytesToHex(hash.digest()) };
           return made;
         };`
      : null,
};

async function bundle(entry: string): Promise<string> {
  const build = await rolldown({ input: join(folder, entry), platform: "browser", plugins: [digest], tsconfig: join(folder, "tsconfig.json") });
  const { output } = await build.generate({ format: "iife", minify: true });
  await build.close();
  const [chunk] = output;
  if (chunk.imports.length > 0) throw new Error(`${entry} needs ${chunk.imports.join(", ")}, which no browser has`);
  return inScript(chunk.code);
}

/** No text may end the element that it stands in, or begin a comment there. */
function inScript(text: string): string {
  return text.replaceAll(/<(?=\/script|script|!--)/giu, String.raw`\x3C`);
}

function sourceOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

const [worker, page] = await Promise.all([bundle("worker.ts"), bundle("page.ts")]);
const style = readFileSync(join(folder, "page.css"), "utf8");
const shipped = JSON.stringify(Object.fromEntries(shippedNames().map((name) => [name, readFileSync(join(SHIPPED_POLICIES, `${name}.yaml`), "utf8")])));
const parts: Readonly<Record<string, string>> = {
  policy: `default-src 'none'; script-src ${sourceOf(page)} blob:; worker-src blob:; style-src ${sourceOf(style)}; base-uri 'none'; form-action 'none'`,
  style,
  shipped: shipped.replaceAll("<", String.raw`\u003c`),
  worker,
  page,
};
const html = readFileSync(join(folder, "page.html"), "utf8").replaceAll(/\s*\{\{(?<part>[a-z]+)\}\}\s*/gu, (_, part: string) => parts[part] ?? "");
const target = process.argv[2] ?? join(root, "dist/playground.html");
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, html);
