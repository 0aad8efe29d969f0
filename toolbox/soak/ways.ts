// Kills `warder exec` with SIGKILL in the middle of a command, ROUNDS times, as whoever calls it and on the engine at DOCKER_HOST: on whichever way this account has to
// a transactional workspace. After each kill the run's changes are listed and landed, and another run starts. Then: is every file there that the command had written before, is nothing of the run
// left (containers, volumes, processes, mounts), is the log whole? What is found wrong keeps the folder that it was found in.
//
// With `--moment return`, it is killed after the command, while what it wrote comes back and the run is closed, and so is the look at its changes, twice: then all of it must be there, to the
// last byte. With `--moment start`, it is killed while the workspace of 2000 files goes to where it runs: then nothing is left, and the next one starts.
//
//   npm run soak -- ways --rounds 20 [--moment command|return|start] [--runtime docker|bubblewrap] [--seed 1] [--json]
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createRandom } from "../shared/random.ts";

const BIN = join(import.meta.dirname, "..", "..", "bin", "warder");
/** A killed run's processes end by themselves, when their owner is seen to be gone. */
const PATIENCE_MS = 15_000;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    moment: { type: "string", default: "command" },
    runtime: { type: "string", default: "docker" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
const isDocker = values.runtime !== "bubblewrap";
const random = createRandom(Number(values.seed));
const root = mkdtempSync(join(homedir(), "warder-ways-"));
const workspace = join(root, "workspace");
const policy = join(root, "policy.yaml");
const env = { ...process.env, WARDER_HOME: join(root, "state"), NO_COLOR: "1" };
mkdirSync(workspace);
writeFileSync(
  policy,
  `version: 1
name: ways
extends: base
autonomy: full
workspace: { roots: [{ path: ".", access: read-write }] }
sandbox: { runtime: ${isDocker ? "docker" : "bubblewrap"}, workspace: transactional }
commands: { effects: { undecidable: allow, unknown: allow, runs-code: allow, writes: allow, deletes: allow } }
`,
);

const round = { command: killedRound, return: returnRound, start: startRound }[values.moment];
if (round === undefined) throw new Error(`There is no moment ${values.moment}.`);
const faults: string[] = [];
let written = 0;
let early = 0;
for (let number = 1; number <= Number(values.rounds); number += 1) {
  const found = await round(number);
  faults.push(...found.map((fault) => `round ${String(number)}: ${fault}`));
}
const verified = warder(["audit", "verify"]);
if (verified.status !== 0) faults.push(`the log is not whole: ${verified.stdout}${verified.stderr}`);
const figures = { rounds: Number(values.rounds), moment: values.moment, killedBeforeTheFirstFile: early, filesWrittenBefore: written, faults };
process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : `${JSON.stringify(figures, null, 2)}\n`);
// Overlays of a user namespace leave directories that nobody may read; rm removes them, Node.js does not.
if (faults.length === 0) execFileSync("rm", ["-rf", "--", root]);
else process.exitCode = 1;

async function killedRound(round: number): Promise<readonly string[]> {
  const before = new Set(runs());
  // A name is printed when its file is there; one in three goes again, and that is printed too.
  const command = `mkdir -p r${round}; for i in $(seq 2000); do echo "$i" > r${round}/$i; echo "+$i"; if [ $((i % 3)) = 0 ]; then rm r${round}/$i; echo "-$i"; fi; sleep 0.01; done`;
  const child = spawn(BIN, ["exec", "--policy", policy, "--workspace", workspace, "--", command], { cwd: root, env, stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = new Promise((resolve) => child.on("close", resolve));
  // One in five dies while it starts.
  if (random.once(5)) await pause(random.below(1500));
  else {
    const hasBegun = (): boolean => output !== "";
    for (const limit = performance.now() + 60_000; !hasBegun() && performance.now() < limit;) await pause(10);
    await pause(random.below(2500));
  }
  child.kill("SIGKILL");
  await ended;
  const there = new Set<string>();
  for (const [, sign, name = ""] of output.matchAll(/^([+-])(\d+)$/gmu)) if (sign === "+") there.add(name);
  const gone = new Set([...output.matchAll(/^-(\d+)$/gmu)].map(([, name = ""]) => name));
  if (output === "") early += 1;
  const run = runs().find((id) => !before.has(id));
  if (run === undefined) return output === "" ? [] : ["the run that printed is not listed"];
  written += there.size;
  const listed = warder(["changes", "list", run]);
  const wrong: string[] = [];
  if (listed.status !== 0 && output !== "") wrong.push(`changes list ended with ${String(listed.status)}: ${listed.stderr}`);
  if (output !== "") {
    const applied = warder(["changes", "apply", run, "--checkout", "--yes"]);
    if (applied.status !== 0) wrong.push(`changes apply ended with ${String(applied.status)}: ${applied.stdout.slice(-300)}${applied.stderr}`);
    const landed = new Set(existsSync(join(workspace, `r${round}`)) ? readdirSync(join(workspace, `r${round}`)) : []);
    const lost = [...there].filter((name) => !gone.has(name) && !landed.has(name));
    // The last one may have been on its way out when it was killed.
    if (lost.length > 1 || (lost.length === 1 && Number(lost[0]) !== Math.max(...[...there].map(Number)))) wrong.push(`lost: ${lost.join(" ")}`);
    const back = [...gone].filter((name) => landed.has(name));
    if (back.length > 0) wrong.push(`removed, and landed: ${back.join(" ")}`);
  } else warder(["changes", "discard", run]);
  return [...wrong, ...(await faultsAfter(run))];
}

/** What an engine keeps of a dead run goes with the next start. */
async function faultsAfter(run: string): Promise<readonly string[]> {
  const wrong: string[] = [];
  const next = warder(["exec", "--policy", policy, "--workspace", workspace, "--", "true"]);
  if (next.status !== 0) wrong.push(`the next start ended with ${String(next.status)}: ${next.stderr}`);
  for (const limit = performance.now() + PATIENCE_MS; ; await pause(200)) {
    const left = leftOf(run);
    if (left.length === 0) break;
    if (performance.now() < limit) continue;
    wrong.push(`left: ${left.join(", ")}`);
    break;
  }
  return wrong;
}

/** The name of the run is null where it was killed before there was one. */
async function killedAt(
  argv: readonly string[],
  isDue: (output: string) => boolean,
  mostMs: number,
): Promise<{ readonly run: string | null; readonly output: string }> {
  const before = new Set(runs());
  const child = spawn(BIN, argv, { cwd: root, env, stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = new Promise((resolve) => child.on("close", resolve));
  for (const limit = performance.now() + 120_000; !isDue(output) && child.exitCode === null && performance.now() < limit;) await pause(5);
  await pause(random.below(mostMs));
  child.kill("SIGKILL");
  await ended;
  return { run: runs().find((id) => !before.has(id)) ?? null, output };
}

async function returnRound(number: number): Promise<readonly string[]> {
  const place = `r${String(number)}`;
  const kept = `kept-${String(number)}`;
  writeFileSync(join(workspace, kept), kept);
  const command = `mkdir ${place}; for i in $(seq 1000); do echo $i > ${place}/$i; done; rm ${place}/*7; head -c 20000000 /dev/zero > ${place}/big; mv ${kept} ${place}/moved; echo ended`;
  const argv = ["exec", "--policy", policy, "--workspace", workspace, "--", command];
  const { run, output } = await killedAt(argv, (said) => said.includes("ended"), 2500);
  if (run === null || !output.includes("ended")) return [`the command did not end: ${output}`];
  for (let looks = 0; looks < 2; looks += 1) await killedAt(["changes", "list", run], () => true, 3000);
  const wrong: string[] = [];
  const listed = warder(["changes", "list", run]);
  if (listed.status !== 0) wrong.push(`changes list ended with ${String(listed.status)}: ${listed.stderr}`);
  const applied = warder(["changes", "apply", run, "--checkout", "--yes"]);
  if (applied.status !== 0) wrong.push(`changes apply ended with ${String(applied.status)}: ${applied.stdout.slice(-300)}${applied.stderr}`);
  const names = existsSync(join(workspace, place)) ? readdirSync(join(workspace, place)) : [];
  const expected = new Map<string, string>(Array.from({ length: 1000 }, (_value, index) => [String(index + 1), `${String(index + 1)}\n`]));
  for (const name of expected.keys()) if (name.endsWith("7")) expected.delete(name);
  expected.set("big", "\0".repeat(20_000_000)).set("moved", kept);
  const differing = [...expected].filter(([name, content]) => !names.includes(name) || readFileSync(join(workspace, place, name), "utf8") !== content);
  if (differing.length > 0)
    wrong.push(
      `${String(differing.length)} lost or cut short: ${differing
        .slice(0, 20)
        .map(([name]) => name)
        .join(" ")}`,
    );
  const more = names.filter((name) => !expected.has(name));
  if (more.length > 0) wrong.push(`landed though removed: ${more.join(" ")}`);
  if (existsSync(join(workspace, kept))) wrong.push(`${kept} was moved, and is there`);
  written += names.length;
  return [...wrong, ...(await faultsAfter(run))];
}

async function startRound(number: number): Promise<readonly string[]> {
  if (number === 1) {
    mkdirSync(join(workspace, "sent"));
    for (let file = 1; file <= 2000; file += 1) writeFileSync(join(workspace, "sent", String(file)), String(file).repeat(2000));
  }
  const { run, output } = await killedAt(["exec", "--policy", policy, "--workspace", workspace, "--", "echo begun; sleep 100"], () => true, 4000);
  if (output === "") early += 1;
  if (run === null) return [];
  const listed = warder(["changes", "list", run]);
  const wrong = listed.status === 0 || output === "" ? [] : [`changes list ended with ${String(listed.status)}: ${listed.stderr}`];
  if (listed.stdout.includes("sent/")) wrong.push(`a change that nobody made: ${listed.stdout.slice(0, 500)}`);
  warder(["changes", "discard", run]);
  return [...wrong, ...(await faultsAfter(run))];
}

function runs(): readonly string[] {
  const { stdout, status } = warder(["runs", "--json"]);
  return status === 0 ? (JSON.parse(stdout) as { runs: { id: string }[] }).runs.map(({ id }) => id) : [];
}

function leftOf(run: string): readonly string[] {
  const docker = (...argv: string[]): readonly string[] => execFileSync("docker", argv, { encoding: "utf8", env }).split("\n").filter(Boolean);
  const ofEngine = isDocker
    ? [...docker("ps", "--all", "--quiet", "--filter", `label=warder.run=${run}`), ...docker("volume", "ls", "--quiet", "--filter", `label=warder.run=${run}`)]
    : [];
  const mounts = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => line.includes(run));
  const processes = readdirSync("/proc").filter((pid) => /^\d+$/u.test(pid) && commandLineOf(pid).includes(run));
  return [...ofEngine, ...mounts, ...processes.map((pid) => `process ${pid}`)];
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It ended meanwhile.
    return "";
  }
}

function warder(argv: readonly string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  return spawnSync(BIN, argv, { cwd: root, env, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}
