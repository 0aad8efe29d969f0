/**
 * Has web_fetch ask for every URL of a file through a real egress proxy whose policy allows every public name, and counts what was refused. Lines are JSON:
 * `{ id, value, label: "dangerous" | "benign" }`. A benign name is given a public address, a dangerous one a private address. Start it in a network of its own,
 * where nothing but loopback is there: what the proxy lets through reaches nobody.
 *
 *   unshare -n sh -c 'ip link set lo up; npm run soak -- addresses FILE'
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { performRequest } from "../../src/sandbox/egress/client/perform.ts";
import { startEgress } from "../../src/sandbox/egress/start.ts";
import { readUrl } from "../../src/tools/contract/web-command.ts";

type Row = { readonly id: string; readonly value: string; readonly label: "dangerous" | "benign" };

if (Object.keys(networkInterfaces()).some((name) => name !== "lo")) throw new Error("This machine's network is there: start it as `--help` says.");
const rows = readFileSync(process.argv[2] ?? "", "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);
const names = Object.fromEntries(rows.flatMap(({ value, label }) => [[URL.parse(value)?.hostname ?? "", [label === "benign" ? "93.184.216.34" : "10.1.2.3"]]]));
const folder = mkdtempSync(join(tmpdir(), "warder-addresses-"));
const egress = await startEgress({ directory: join(folder, "egress"), network: { allow: ["*"] }, names, onConnection: () => undefined });
const counts = new Map<string, number>();
const wrong: string[] = [];
try {
  for (const { id, value, label } of rows) {
    const how = await asked(value);
    counts.set(`${label}: ${how}`, (counts.get(`${label}: ${how}`) ?? 0) + 1);
    if ((label === "benign") !== (how === "let through")) wrong.push(id);
  }
} finally {
  await egress.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const [what, count] of [...counts].toSorted(([left], [right]) => (left < right ? -1 : 1))) console.log(`${count}\t${what}`);
console.log(`${rows.length} URLs, ${wrong.length} answered otherwise than labelled${wrong.length === 0 ? "" : `: ${wrong.join(" ")}`}`);
process.exitCode = wrong.length === 0 ? 0 : 1;

async function asked(value: string): Promise<string> {
  const read = readUrl(value);
  if ("problem" in read) return "refused by its form";
  const request = { method: "GET", url: read.url, headers: [], body: null, redirects: 0, maxBytes: 1000, timeoutMs: 5000 };
  const result = await performRequest(request, { egress }, AbortSignal.timeout(request.timeoutMs));
  if (result.kind === "no-answer" && result.refused !== null) return `refused as ${result.refused.code}`;
  // Only what reached the proxy and was not refused is let through.
  return "let through";
}
