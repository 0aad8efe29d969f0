// Kills `warder exec` with SIGKILL in the middle of a command, ROUNDS times, as whoever calls it and on the engine at DOCKER_HOST: on whichever way this account has to
// a transactional workspace. After each kill the run's changes are listed and landed, and another run starts. Then: is every file there that the command had written before, is nothing of the run
// left (containers, volumes, processes, mounts), is the log whole? What is found wrong keeps the folder that it was found in.
//
//   npm run soak -- ways --rounds 20 [--runtime docker|bubblewrap] [--seed 1] [--json]
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

const faults: string[] = [];
let written = 0;
let early = 0;
for (let round = 1; round <= Number(values.rounds); round += 1) {
  const found = await killedRound(round);
  faults.push(...found.map((fault) => `round ${String(round)}: ${fault}`));
}
const verified = warder(["audit", "verify"]);
if (verified.status !== 0) faults.push(`the log is not whole: ${verified.stdout}${verified.stderr}`);
const figures = { rounds: Number(values.rounds), killedBeforeTheFirstFile: early, filesWrittenBefore: written, faults };
process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : `${JSON.stringify(figures, null, 2)}\n`);
if (faults.length === 0) rmSync(root, { recursive: true, force: true });
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
  // What an engine keeps of a dead run goes with the next start.
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
