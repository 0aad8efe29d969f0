// Starts RUNS runs at once, half of them in one workspace and half each in its own, over one state directory. Each leaves a word of its own wherever
// it may write, waits until all of them are there, and looks around. Then: did all finish, did none see another's word, is anything left? What is found
// wrong keeps the folder that it was found in.
//
//   npm run soak -- parallel --runs 50 [--wait 60] [--json]
//
// WAIT: how long a run waits for the others, in seconds; longer on a slow machine.
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { verifyAudit } from "../../src/audit/verify/verify.ts";
import { systemClock } from "../../src/base/clock.ts";
import { AgentError } from "../../src/base/errors.ts";
import { openStore } from "../../src/store/store.ts";
import { openChanges } from "../../src/landing/review/review.ts";

const BIN = join(import.meta.dirname, "..", "..", "bin", "warder");
const { values } = parseArgs({
  options: { runs: { type: "string", default: "50" }, wait: { type: "string", default: "60" }, json: { type: "boolean", default: false } },
});

type Planned = { readonly word: string; readonly workspace: string; readonly task: string };
type Ran = Planned & { readonly exitCode: number | null; readonly output: string };

const root = mkdtempSync(join(tmpdir(), "warder-parallel-"));
const state = join(root, "state");
const policy = join(root, "policy.yaml");
const startedMs = performance.now();
writeFileSync(
  policy,
  `version: 1
name: parallel
extends: base
autonomy: full
workspace: { roots: [{ path: ".", access: read-write }] }
sandbox: { runtime: docker, workspace: transactional, memory: 128m, processes: 64, command-timeout: 10m }
commands: { effects: { undecidable: allow, unknown: allow, runs-code: allow } }
`,
);
mkdirSync(join(root, "home"));
const planned = Array.from({ length: Number(values.runs) }, (_, index) => plan(index));
let mostAtOnce = 0;
const over = new AbortController();
const counting = countSandboxes();
const ran = await Promise.all(planned.map(run));
over.abort();
await counting;
const faults = [...ran.flatMap(faultsOf), ...(await changesFaults()), ...leftovers()];
const store = openStore(state);
if (!verifyAudit({ store, clock: systemClock }).isIntact) faults.push("the audit log is not whole");
store.close();
const figures = {
  runs: ran.length,
  finished: ran.filter(({ exitCode }) => exitCode === 0).length,
  mostAtOnce,
  faults,
  seconds: Math.round((performance.now() - startedMs) / 1000),
};
process.stdout.write(`${values.json ? JSON.stringify({ rows: {}, figures }) : JSON.stringify(figures, null, 2)}\n`);
if (faults.length > 0) process.stderr.write(`What they left: ${root}\n`);
if (faults.length === 0) rmSync(root, { recursive: true, force: true });
process.exitCode = faults.length === 0 ? 0 : 1;

function plan(index: number): Planned {
  const word = randomBytes(8).toString("hex");
  const workspace = join(root, index % 2 === 0 ? "shared" : `own-${String(index)}`);
  mkdirSync(workspace, { recursive: true });
  const look =
    "cat mine-* /tmp/scratch-* ~/home-*; ls -A . /tmp ~; cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\\0' ' '; find / -xdev -name 'scratch-*' -o -xdev -name 'mine-*'";
  const calls = [leaving(word), `sleep ${values.wait}`, look].map(
    (command) => `  - calls: [{ tool: shell, input: { command: ${JSON.stringify(command)} } }]\n`,
  );
  writeFileSync(join(root, `${word}.yaml`), `protocol: openai\nturns:\n${calls.join("")}  - say: "Done."\n`);
  return { word, workspace, task: `look around as number ${String(index)}` };
}

function leaving(word: string): string {
  return `echo ${word} > mine-${word} && echo ${word} > /tmp/scratch-${word} && echo ${word} > ~/home-${word}`;
}

async function run({ word, workspace, task }: Planned): Promise<Ran> {
  const argv = ["run", task, "--unattended", "--json", "--policy", policy, "--model", `scripted:${join(root, `${word}.yaml`)}`];
  const env = { ...process.env, HOME: join(root, "home"), WARDER_HOME: state, NO_COLOR: "1" };
  const child = spawn(BIN, argv, { cwd: workspace, env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { word, workspace, task, exitCode, output };
}

function faultsOf({ word, task, exitCode, output }: Ran): readonly string[] {
  const faults = exitCode === 0 ? [] : [`"${task}" ended with ${String(exitCode)}`];
  // Three files, each with the word in it and in its name; the command that made them stands in the events, too.
  if (output.replaceAll(leaving(word), "").split(word).length - 1 < 6) faults.push(`"${task}" does not see its own files`);
  for (const other of planned) if (other.word !== word && output.includes(other.word)) faults.push(`"${task}" saw what belongs to "${other.task}"`);
  return faults;
}

async function changesFaults(): Promise<readonly string[]> {
  const reopened = openStore(state);
  const faults: string[] = [];
  for (const { id, task } of reopened.runs.list(planned.length)) {
    const word = planned.find((one) => one.task === task)?.word ?? "";
    try {
      const review = await openChanges(join(reopened.paths.runs, id));
      const changed = (review?.list() ?? []).map(({ path }) => path);
      if (changed.join() !== `mine-${word}`) faults.push(`"${task ?? ""}" changed ${changed.join(", ") || "nothing"}`);
      await review?.discard();
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      faults.push(`the changes of "${task ?? ""}" cannot be reviewed: ${error.message}`);
    }
  }
  reopened.close();
  return faults;
}

function ownContainers(): readonly string[] {
  const own = new Set(existsSync(join(state, "runs")) ? readdirSync(join(state, "runs")) : []);
  return execFileSync("docker", ["ps", "--all", "--format", '{{.ID}} {{.Label "warder.run"}}'], { encoding: "utf8" })
    .split("\n")
    .filter((line) => own.has(line.split(" ")[1] ?? ""));
}

async function countSandboxes(): Promise<void> {
  for (; !over.signal.aborted; await pause(2000)) mostAtOnce = Math.max(mostAtOnce, ownContainers().length);
}

function leftovers(): readonly string[] {
  const mounts = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => line.includes(`${root}/`));
  return [...ownContainers().map((line) => `container ${line}`), ...mounts.map((line) => `mount ${line}`)];
}
