// Measures the egress proxy's decisions on URLs that others collected. Connects to nothing and asks no DNS.
//
//   node scripts/measure-ssrf.ts --file FILE.jsonl
//
// Each line: {"id", "value": URL, "label": "dangerous" | "benign", "needs_dns": boolean}. The policy is `allow: ["*"]`, the widest there is. A
// dangerous URL must be refused in each form that a client may send it: as it is written, and as a browser's parser reads it. A benign one must
// be allowed as the parser reads it. Names resolve to a public address; those of dangerous rows that need DNS to a loopback one.
// Exits 1 when a dangerous URL is allowed.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { pinnedAddress } from "../src/sandbox/egress/hosts/resolve.ts";
import { judgeTarget, parseAuthority } from "../src/sandbox/egress/hosts/target.ts";

const { file } = parseArgs({ options: { file: { type: "string" } } }).values;
if (file === undefined) {
  console.error("usage: node scripts/measure-ssrf.ts --file FILE.jsonl");
  process.exit(2);
}

type Row = { readonly id: string; readonly value: string; readonly label: string; readonly needs_dns: boolean };

const ALLOW = ["*"];

/** Authority and implied port, as clients send them. */
function formsOf(value: string): { readonly written: string | null; readonly parsed: string | null; readonly port: number | null } {
  const [, scheme = "", written = null] = /^([a-z]+):\/\/([^/?#]*)/iu.exec(value) ?? [];
  const port = { http: 80, https: 443 }[scheme.toLowerCase()] ?? null;
  return { written, parsed: URL.canParse(value) ? new URL(value).host : null, port };
}

async function isAllowed(authority: string | null, port: number | null, answer: string): Promise<boolean> {
  const target = authority === null || port === null ? null : parseAuthority(authority, port);
  if (target === null || judgeTarget(target, ALLOW) !== null) return false;
  return "address" in (await pinnedAddress(target, ALLOW, () => Promise.resolve([answer])));
}

const counts = { dangerous: 0, dangerousRefused: 0, benign: 0, benignAllowed: 0 };
for (const line of readFileSync(file, "utf8").split("\n")) {
  if (line === "") continue;
  const row = JSON.parse(line) as Row;
  const { written, parsed, port } = formsOf(row.value);
  const answer = row.label === "dangerous" && row.needs_dns ? "127.0.0.1" : "1.1.1.1";
  const isParsedAllowed = await isAllowed(parsed, port, answer);
  if (row.label === "dangerous") {
    const isRefused = !isParsedAllowed && !(await isAllowed(written, port, answer));
    counts.dangerous += 1;
    if (isRefused) counts.dangerousRefused += 1;
    else console.log(`allowed: ${row.id} ${JSON.stringify(row.value)}`);
  } else if (row.label === "benign") {
    counts.benign += 1;
    if (isParsedAllowed) counts.benignAllowed += 1;
    else console.log(`refused: ${row.id} ${JSON.stringify(row.value)}`);
  }
}
console.log(`dangerous refused ${counts.dangerousRefused}/${counts.dangerous}  benign allowed ${counts.benignAllowed}/${counts.benign}`);
process.exit(counts.dangerousRefused === counts.dangerous ? 0 : 1);
