// What a transactional workspace of many files costs: to begin, to look at, to land, to throw away; beside a plain copy of the directory.
// Needs root. Usage: npm run bench -- changes [--files 10000] [--changes 100] [--rounds 5] [--json]
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { overlayWorkspace } from "../../test/support/overlaid-workspace.ts";
import { rowOf } from "../shared/samples.ts";

const FILES_IN_A_DIRECTORY = 50;

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "10000" },
    changes: { type: "string", default: "100" },
    rounds: { type: "string", default: "5" },
    json: { type: "boolean", default: false },
  },
});
const files = Number(values.files);
const changes = Number(values.changes);
const times = new Map<string, number[]>();

for (let round = 0; round < Number(values.rounds); round += 1) {
  await playRound(true);
  await playRound(false);
}
const rows = Object.fromEntries([...times].map(([name, measured]) => [name, rowOf(measured)]));
if (values.json) process.stdout.write(`${JSON.stringify({ rows, figures: { files, changes } })}\n`);
else for (const [name, row] of Object.entries(rows)) process.stdout.write(`${name.padEnd(44)} ${row.p50Ms.toFixed(0).padStart(6)} ms  (n ${String(row.n)})\n`);

async function playRound(lands: boolean): Promise<void> {
  let repository = "";
  let startMs = 0;
  const here = await overlayWorkspace({}, (workspace) => {
    repository = workspace;
    makeRepository(workspace);
    startMs = performance.now();
  });
  note("begin: look through the files, mount", performance.now() - startMs);
  await timed("git status in the view", () => void git(here.view, "status", "--porcelain"));
  for (let index = 0; index < changes; index += 1) writeFileSync(`${here.view}/${nameOf(index * 7)}`, `changed ${String(index)}\n`);
  await here.end();
  const review = await timed("open the changes of a run that ended", () => here.review());
  await timed("list", () => review.list());
  await timed("list with flags and secrets", () => review.flagged());
  await timed("diff", () => review.diff(8 * 1024 * 1024));
  if (lands) await timed(`apply ${String(changes)} files`, () => review.apply({ mayWrite: () => null }));
  else {
    await timed("throw one file away", () => review.discard([nameOf(7)]));
    await timed("throw all away", () => review.discard());
  }
  await review.close();
  await timed("for comparison: cp -a of the repository", () => void execFileSync("cp", ["-a", repository, `${repository}-copy`]));
  rmSync(`${repository}-copy`, { recursive: true });
  await here.remove();
}

function makeRepository(workspace: string): void {
  for (let index = 0; index < files; index += 1) {
    if (index % FILES_IN_A_DIRECTORY === 0) mkdirSync(`${workspace}/${nameOf(index).split("/").slice(0, 2).join("/")}`, { recursive: true });
    writeFileSync(`${workspace}/${nameOf(index)}`, `${String(index)} ${"line of text\n".repeat(40)}`);
  }
  git(workspace, "init", "--quiet");
  git(workspace, "add", ".");
  git(workspace, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "all");
}

function git(directory: string, ...argv: readonly string[]): string {
  return execFileSync("git", ["-c", "safe.directory=*", "-c", "gc.auto=0", ...argv], { cwd: directory, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}

function nameOf(index: number): string {
  const at = index % files;
  const directory = Math.floor(at / FILES_IN_A_DIRECTORY);
  return `part-${String(directory % 10)}/folder-${String(directory)}/file-${String(at)}.txt`;
}

async function timed<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  const startMs = performance.now();
  const result = await work();
  note(name, performance.now() - startMs);
  return result;
}

function note(name: string, milliseconds: number): void {
  const measured = times.get(name);
  if (measured === undefined) times.set(name, [milliseconds]);
  else measured.push(milliseconds);
}
