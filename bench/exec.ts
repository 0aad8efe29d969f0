/**
 * What one command costs: `bash -c 'echo hi'`, the same argv everywhere, rounds interleaved so that all see the same machine.
 * Prints a table, or with --json one object `{rows: {NAME: {p50Ms, p95Ms, n}}, figures}`. Needs Docker and the sandbox image; bubblewrap where
 * it is installed. A warm sandbox spreads its start over a run, the others pay it for each command: the figures state that start.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import Docker from "dockerode";
import { digestOf } from "../src/base/digest.ts";
import { Permit } from "../src/policy/permit.ts";
import { bubblewrapRuntime } from "../src/sandbox/bubblewrap.ts";
import { dockerRuntime } from "../src/sandbox/docker.ts";
import { sandboxFile } from "../src/sandbox/host-program.ts";
import type { Runtime, SandboxAction, SandboxProfile, Session } from "../src/sandbox/runtime.ts";

const ARGV = ["/bin/bash", "--norc", "--noprofile", "-c", "echo hi"];
const FAST_ROUNDS = 200;
const SLOW_ROUNDS = 15;
const WORKSPACE_FILES = 10_000;

type Row = { readonly p50Ms: number; readonly p95Ms: number; readonly n: number };
type Way = { readonly name: string; readonly rounds: number; readonly once: () => Promise<unknown> };

const run = promisify(execFile);
const docker = new Docker();
const image = readFileSync(sandboxFile("build/image-id"), "utf8").trim();

async function measure(once: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await once();
  return performance.now() - start;
}

function rowOf(times: readonly number[]): Row {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number): number => Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) * 100) / 100;
  return { p50Ms: at(0.5), p95Ms: at(0.95), n: sorted.length };
}

function profileOf(workspace: string, runtime: Runtime["name"]): SandboxProfile {
  return {
    settings: {
      runtime,
      workspace: "transactional",
      env: [],
      network: { allow: [] },
      memoryBytes: 512 * 1024 ** 2,
      cpus: 1,
      processes: 128,
      commandTimeoutMs: 30_000,
      outputBytes: 65_536,
    },
    roots: [{ path: workspace, access: "read-write" }],
    forbidden: [`${workspace}/**/.env`, `${workspace}/**/*.pem`],
    protected: [`${workspace}/**/.git/hooks/**`, `${workspace}/**/.git/config*`],
    env: {},
    home: "/home/bench",
    ownPaths: [],
  };
}

async function expectHi(session: Session, cwd: string): Promise<void> {
  const action: SandboxAction = { kind: "exec", argv: ARGV, cwd, env: {}, timeoutMs: 30_000, outputBytes: 65_536 };
  const outcome = await session.perform(new Permit(digestOf(action), "bench"), action);
  if (outcome.kind !== "completed" || outcome.result.kind !== "exec" || outcome.result.stdout.text !== "hi\n") throw new Error(JSON.stringify(outcome));
}

async function dockerExec(container: Docker.Container): Promise<void> {
  const exec = await container.exec({ Cmd: ARGV, AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({});
  stream.resume();
  await new Promise((resolve, reject) => stream.on("end", resolve).on("error", reject));
  if ((await exec.inspect()).ExitCode !== 0) throw new Error("docker exec failed");
}

async function freshContainer(): Promise<void> {
  const container = await docker.createContainer({ Image: image, Cmd: ARGV, HostConfig: { NetworkMode: "none", LogConfig: { Type: "none", Config: {} } } });
  await container.start();
  await container.wait();
  await container.remove();
}

const freshBubblewrap = (): Promise<unknown> =>
  run("bwrap", [
    "--unshare-all",
    "--unshare-user",
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    "--new-session",
    "--ro-bind",
    "/usr",
    "/usr",
    "--symlink",
    "usr/bin",
    "/bin",
    "--symlink",
    "usr/lib",
    "/lib",
    "--symlink",
    "usr/lib64",
    "/lib64",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    "--",
    ...ARGV,
  ]);

async function openTimed(runtime: Runtime, folder: string, figures: Record<string, number>): Promise<Session> {
  const workspace = join(folder, "workspace");
  const runDirectory = join(folder, runtime.name);
  mkdirSync(runDirectory, { mode: 0o700 });
  const start = performance.now();
  const session = await runtime.open(profileOf(workspace, runtime.name), { runId: `run-bench-${runtime.name}`, runDirectory });
  figures[`${runtime.name} session start over ${String(WORKSPACE_FILES)} files, ms`] = Math.round(performance.now() - start);
  return session;
}

async function main(): Promise<void> {
  const folder = mkdtempSync("/var/tmp/warder-bench-");
  const workspace = join(folder, "workspace");
  for (let index = 0; index < WORKSPACE_FILES; index += 1) {
    const directory = join(workspace, `d${String(Math.floor(index / 100))}`);
    if (index % 100 === 0) mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `f${String(index)}`), "x");
  }
  const figures: Record<string, number> = {};
  const sessions: Session[] = [];
  const plain = await docker.createContainer({ Image: image, Cmd: ["sleep", "infinity"], HostConfig: { NetworkMode: "none", AutoRemove: true, Init: true } });
  await plain.start();
  try {
    const inDocker = await openTimed(dockerRuntime({ dockerHost: process.env["DOCKER_HOST"] }), folder, figures);
    sessions.push(inDocker);
    const ways: Way[] = [
      { name: "host spawn, no sandbox", rounds: FAST_ROUNDS, once: () => run(ARGV[0] ?? "", ARGV.slice(1)) },
      { name: "warder, warm container", rounds: FAST_ROUNDS, once: () => expectHi(inDocker, workspace) },
      { name: "dockerode exec, warm container", rounds: SLOW_ROUNDS, once: () => dockerExec(plain) },
      { name: "fresh container", rounds: SLOW_ROUNDS, once: freshContainer },
    ];
    if ((await bubblewrapRuntime().check()).isReady) {
      const inBubblewrap = await openTimed(bubblewrapRuntime(), folder, figures);
      sessions.push(inBubblewrap);
      ways.push({ name: "warder, warm bubblewrap", rounds: FAST_ROUNDS, once: () => expectHi(inBubblewrap, workspace) });
      ways.push({ name: "fresh bubblewrap", rounds: FAST_ROUNDS, once: freshBubblewrap });
    }
    const times = new Map<string, number[]>(ways.map((way) => [way.name, []]));
    for (const way of ways) await way.once();
    for (let round = 0; round < FAST_ROUNDS; round += 1) for (const way of ways) if (round < way.rounds) times.get(way.name)?.push(await measure(way.once));
    const start = performance.now();
    await sessions[0]?.close();
    figures["docker session end, ms"] = Math.round(performance.now() - start);
    print(Object.fromEntries([...times].map(([name, measured]) => [name, rowOf(measured)])), figures);
  } finally {
    for (const session of sessions) await session.close();
    await plain.remove({ force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

function print(rows: Record<string, Row>, figures: Record<string, number>): void {
  if (process.argv.includes("--json")) {
    process.stdout.write(`${JSON.stringify({ rows, figures })}\n`);
    return;
  }
  for (const [name, row] of Object.entries(rows))
    process.stdout.write(`${name.padEnd(34)} p50 ${row.p50Ms.toFixed(2).padStart(8)} ms   p95 ${row.p95Ms.toFixed(2).padStart(8)} ms   n ${String(row.n)}\n`);
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name}: ${String(value)}\n`);
}

await main();
