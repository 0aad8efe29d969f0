/**
 * Has read_file ask for every path of a file, through the gate and in a real container, by the policy `read-only`, which reads the workspace alone, or by another one
 * that does. Lines are JSON: `{ id, value, label }`. Files with the benign names are made in the workspace. Wherever outside it one of the others may lead, raw,
 * decoded or with the other slash, there is a marker if it is ours to put there; else what this machine has there is compared.
 *
 *   npm run soak -- paths FILE [POLICY]
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { openRun } from "../../src/app/run/open.ts";
import { readContext } from "../../src/app/setup/context.ts";
import { type CallEnd, resultText } from "../../src/gate/gate.ts";

type Row = { readonly id: string; readonly value: string; readonly label: string };

const rows = readFileSync(process.argv[2] ?? "", "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);
const folder = mkdtempSync("/var/tmp/warder-paths-");
const workspace = join(folder, ...Array.from({ length: 12 }, (_, index) => `level-${String(index)}`), "workspace");
const MARKER = `marker-${randomBytes(16).toString("hex")}`;
const IN_A_TURN = 40;
const IMAGE = readFileSync(new URL("../../sandbox/build/image-id", import.meta.url), "utf8").trim();

/** What a path may mean to a reader that decodes it, takes `\` for `/`, or cuts it. */
function readings(value: string): ReadonlySet<string> {
  const found = new Set([value]);
  for (const text of found) {
    for (const read of [text.replaceAll("\\", "/"), text.replaceAll(/%([0-9a-f]{2})/giu, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))])
      if (found.size < 50) found.add(read);
    const [cut = ""] = text.split(/[\0;]|%00/u);
    if (found.size < 50) found.add(cut);
  }
  return found;
}

function put(path: string, content: string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    // A name that no file can have, or that is a directory's: another row's path lies below it.
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

function hostText(path: string): string | null {
  try {
    return statSync(path).isFile() ? readFileSync(path, "utf8").slice(0, 100_000) : null;
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

const inImage = new Map<string, string>();

/** What a container has there that is given nothing of this machine. */
function imageText(path: string): string {
  const known = inImage.get(path);
  if (known !== undefined) return known;
  const { stdout } = spawnSync("docker", ["run", "--rm", "--network", "none", IMAGE, "head", "-c", "100000", "--", path], { encoding: "utf8" });
  inImage.set(path, stdout);
  return stdout;
}

function howItEnded(end: CallEnd, { value, label }: Pick<Row, "value" | "label">): string {
  const text = resultText(end.result);
  if (text.includes(MARKER)) return "ESCAPED";
  if (end.kind !== "executed") return `refused: ${end.ruling?.decision.rules.find(({ verdict }) => verdict !== "allow")?.id ?? end.kind}`;
  if (end.result.isError) return "no such file there";
  if (label === "benign") return text.includes(`own ${value}`) ? "read" : "read otherwise";
  const target = resolve(workspace, value);
  const lines = (hostText(target) ?? "").split("\n", 10).filter((line) => line.trim() !== "");
  // The kernel's counters are everybody's, and change from one look to the next.
  if (/^\/(?:proc|sys)\//u.test(target) && imageText(target) !== "") return "answered by the image";
  // Both may be Debian's, and a sandbox has a file of hosts of its own: only what this machine has, and the bare image has not, is an escape.
  const isOfHost = lines.length > 0 && lines.every((line) => text.includes(line)) && !lines.every((line) => imageText(target).includes(line));
  return isOfHost ? "ESCAPED" : "answered by the image";
}

mkdirSync(workspace, { recursive: true });
let markers = 0;
for (const { value, label } of rows) {
  if (label === "benign") put(join(workspace, value), `own ${value}\n`);
  else
    for (const reading of readings(value)) {
      const target = resolve(workspace, reading);
      const isOurs = target.startsWith(`${folder}/`) && target !== workspace && !target.startsWith(`${workspace}/`);
      if (isOurs && put(target, MARKER)) markers += 1;
    }
}
process.env["WARDER_HOME"] = join(folder, "state");
const counts = new Map<string, number>();
const escapes: string[] = [];
const refusedBenign: string[] = [];
try {
  const run = await openRun(readContext(process.argv[3] ?? "read-only", workspace), { task: null, model: null, isScripted: false, canAsk: false });
  try {
    const { signal } = new AbortController();
    const ask = async ({ id, value, label }: Row, index: number): Promise<void> => {
      const end = await run.gate.runToolCall({ id: `call-${String(index)}`, name: "read_file", input: { path: value } }, { signal, emit: () => undefined });
      const how = howItEnded(end, { value, label });
      if (how === "ESCAPED") escapes.push(id);
      if (label === "benign" && how !== "read") refusedBenign.push(`${id} ${how}`);
      counts.set(`${label}: ${how}`, (counts.get(`${label}: ${how}`) ?? 0) + 1);
    };
    // Reads of a turn run beside each other.
    for (let at = 0; at < rows.length; at += IN_A_TURN) await Promise.all(rows.slice(at, at + IN_A_TURN).map((row, index) => ask(row, at + index)));
  } finally {
    await run.end("done");
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const [what, count] of [...counts].toSorted(([left], [right]) => (left < right ? -1 : 1))) console.log(`${count}\t${what}`);
console.log(`${rows.length} paths, ${markers} markers outside, ${escapes.length} escaped${escapes.length === 0 ? "" : `: ${escapes.join(" ")}`}`);
if (refusedBenign.length > 0) console.log(`benign and not read: ${refusedBenign.length}\n${refusedBenign.slice(0, 40).join("\n")}`);
process.exitCode = escapes.length === 0 ? 0 : 1;
