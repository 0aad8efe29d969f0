// What it costs to look at many changed files and to land them, beside `git add -A` of the same tree into a new repository: each round does all of it, one after the other.
// By the clock, and by the time of processors that it took with all that it started, which other work on the machine changes little.
// Needs root. Usage: npm run bench -- landing [--files 20000] [--rounds 3] [--json]
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { overlayWorkspace } from "../../test/support/overlaid-workspace.ts";
import { rowOf } from "../shared/samples.ts";

const FILES_IN_A_DIRECTORY = 50;

const { values } = parseArgs({
  options: { files: { type: "string", default: "20000" }, rounds: { type: "string", default: "3" }, json: { type: "boolean", default: false } },
});
const files = Number(values.files);
const NAMES = ["git add -A", "list", "land"] as const;
const times = { clock: timesOf(), processors: timesOf() };

for (let round = 0; round < Number(values.rounds); round += 1) await playRound();

const rows = Object.fromEntries(
  Object.entries(times).flatMap(([kind, measured]) => NAMES.map((name) => [kind === "clock" ? name : `${name}, on processors`, rowOf(measured[name])])),
);
const worst = { clock: ratios(times.clock), processors: ratios(times.processors) };
const figures = {
  files,
  listPerAdd: worst.clock.list,
  landPerAdd: worst.clock.land,
  listPerAddOnProcessors: worst.processors.list,
  landPerAddOnProcessors: worst.processors.land,
};
if (values.json) process.stdout.write(`${JSON.stringify({ rows, figures })}\n`);
else {
  for (const [name, row] of Object.entries(rows)) process.stdout.write(`${name.padEnd(27)} ${row.p50Ms.toFixed(0).padStart(6)} ms  (n ${String(row.n)})\n`);
  for (const [kind, { list, land }] of Object.entries(worst))
    process.stdout.write(`${kind}: list ${list.toFixed(2)} and land ${land.toFixed(2)} times git add -A, the worst round\n`);
}

/** Half of the files are changed by the run, half of them new. */
async function playRound(): Promise<void> {
  let workspace = "";
  const here = await overlayWorkspace({}, (directory) => {
    workspace = directory;
    for (let index = 0; index < files; index += 2) write(directory, index, "before");
    git(directory, "init", "--quiet");
    git(directory, "add", "-A");
    git(directory, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "all");
  });
  for (let index = 0; index < files; index += 1) write(here.view, index, "after");
  await here.end();
  execFileSync("sync");
  const copy = `${workspace}-copy`;
  for (let index = 0; index < files; index += 1) write(copy, index, "after");
  git(copy, "init", "--quiet");
  await timed("git add -A", () => {
    git(copy, "add", "-A");
  });
  await timed("list", async () => {
    const review = await here.review();
    const changes = await review.flagged();
    await review.close();
    requireAll(changes.filter(({ type }) => type === "file").length);
  });
  await timed("land", async () => {
    const review = await here.review();
    const { applied } = await review.apply({ mayWrite: () => null });
    await review.close();
    requireAll(applied.filter(({ type }) => type === "file").length);
  });
  await here.remove();
}

function requireAll(count: number): void {
  if (count !== files) throw new Error(`${String(count)} of ${String(files)} files.`);
}

function write(top: string, index: number, moment: string): void {
  const directory = Math.floor(index / FILES_IN_A_DIRECTORY);
  const path = `${top}/part-${String(directory % 10)}/folder-${String(directory)}/file-${String(index)}.txt`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, Array.from({ length: 40 }, (_, line) => `${moment} ${String(index)}: line ${String(line)} of some text\n`).join(""));
}

function git(directory: string, ...argv: readonly string[]): void {
  execFileSync("git", ["-c", "safe.directory=*", "-c", "gc.auto=0", ...argv], { cwd: directory, stdio: ["ignore", "ignore", "inherit"] });
}

async function timed(name: (typeof NAMES)[number], work: () => void | Promise<void>): Promise<void> {
  execFileSync("sync");
  const [startMs, startProcessorMs] = [performance.now(), processorMs()];
  await work();
  times.clock[name].push(performance.now() - startMs);
  times.processors[name].push(processorMs() - startProcessorMs);
}

/** Of this process, and of those that it started and that have ended: proc_pid_stat(5), in hundredths of a second. */
function processorMs(): number {
  const [, rest = ""] = readFileSync("/proc/self/stat", "utf8").split(") ");
  return rest
    .split(" ")
    .slice(11, 15)
    .reduce((sum, hundredths) => sum + Number(hundredths) * 10, 0);
}

function timesOf(): Record<(typeof NAMES)[number], number[]> {
  return { "git add -A": [], list: [], land: [] };
}

function ratios(measured: ReturnType<typeof timesOf>): { readonly list: number; readonly land: number } {
  const worstOf = (name: "list" | "land"): number => Math.max(...measured[name].map((time, round) => time / (measured["git add -A"][round] ?? 0)));
  return { list: worstOf("list"), land: worstOf("land") };
}
