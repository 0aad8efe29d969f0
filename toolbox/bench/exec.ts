/**
 * What one command costs: `bash -c 'echo hi'`, the same argv everywhere, rounds interleaved so that all see the same machine.
 * Prints a table, or with --json one object `{rows: {NAME: {p50Ms, p95Ms, n}}, figures}`. Needs root, Docker and the sandbox image; bubblewrap,
 * Codex's sandbox and Anthropic's sandbox-runtime where they are installed. A warm sandbox spreads its start over a run, the others pay it for each command: the rows of first commands state
 * that start, from nothing and from a pool.
 *
 *   npm run bench -- exec [--json]
 */
import { execFile, execFileSync } from "node:child_process";
import { closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import Docker from "dockerode";
import { openRun, type SandboxedRun } from "../../src/app/run/open.ts";
import { readContext } from "../../src/app/setup/context.ts";
import { digestOf } from "../../src/base/digest.ts";
import { Permit } from "../../src/policy/permit.ts";
import { bubblewrapRuntime } from "../../src/sandbox/bubblewrap/runtime.ts";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import { openEngine, ownImage } from "../../src/sandbox/docker/engine.ts";
import { openSandboxPool, type SandboxPool } from "../../src/sandbox/docker/pool.ts";
import type { Runtime, SandboxAction, SandboxProfile, Session } from "../../src/sandbox/runtime.ts";
import { isolated, OWN_PROGRAMS } from "../shared/isolated.ts";
import { rowOf, type Row } from "../shared/samples.ts";

// As the gate has commands run: `--`, so that no text is taken for an option.
const bash = (text: string): string[] => ["/bin/bash", "--norc", "--noprofile", "-c", "--", text];
const ARGV = bash("echo hi");
const FAST_ROUNDS = 200;
const SLOW_ROUNDS = 15;
const WORKSPACE_FILES = 10_000;

/** What a flush to disk costs: the log writes two for a call. */
const BLOCK = Buffer.alloc(4096, 1);

function flush(file: number): Promise<void> {
  writeSync(file, BLOCK);
  fdatasyncSync(file);
  return Promise.resolve();
}

const BIG_OUTPUT_BYTES = 1_000_000_000;

type Way = { readonly name: string; readonly rounds: number; readonly once: () => Promise<unknown> };

const run = promisify(execFile);
const docker = new Docker();
const QUIET = { signal: new AbortController().signal, emit: () => undefined };
const image = ownImage(openEngine({}));

/** Milliseconds; what `once` gives back is done outside of the time. */
async function measure(once: Way["once"]): Promise<number> {
  const start = performance.now();
  const after = await once();
  const ms = performance.now() - start;
  if (typeof after === "function") await (after as () => Promise<unknown>)();
  return ms;
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

async function expectHiThroughGate(run: SandboxedRun, number: number): Promise<void> {
  const end = await run.gate.runToolCall({ id: `call-${String(number)}`, name: "shell", input: { command: "echo hi" } }, QUIET);
  if (end.kind !== "executed" || !JSON.stringify(end.result).includes("hi")) throw new Error(JSON.stringify(end));
}

/** The engine's own share of a first command: one container with the same words, created and started. */
async function bareStart(): Promise<() => Promise<void>> {
  const container = await docker.createContainer({ Image: image, Cmd: ARGV, HostConfig: { NetworkMode: "none", LogConfig: { Type: "none", Config: {} } } });
  await container.start();
  return async () => {
    await container.wait();
    await container.remove();
  };
}

/** A session opened, and its first command performed. Where there is a pool the next sandbox is ready before the next round. */
async function firstCommand(place: { readonly folder: string; readonly workspace: string }, pool?: SandboxPool): Promise<() => Promise<void>> {
  const runDirectory = mkdtempSync(join(place.folder, "first-"));
  const runtime = dockerRuntime({ dockerHost: process.env["DOCKER_HOST"], pool });
  const session = await runtime.open(profileOf(place.workspace, "docker"), { runId: "run-bench-first", runDirectory });
  await expectHi(session, place.workspace);
  return async () => {
    await session.close();
    if (pool !== undefined) await sleep(1500);
  };
}

/** Seconds for a gigabyte of output, and how much this process's memory grew at most meanwhile, in millions of bytes. */
async function muchOutput(session: Session, cwd: string, figures: Record<string, number>): Promise<void> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10);
  const start = performance.now();
  const action: SandboxAction = {
    kind: "exec",
    argv: bash(`head -c ${String(BIG_OUTPUT_BYTES)} /dev/zero`),
    cwd,
    env: {},
    timeoutMs: 30_000,
    outputBytes: 65_536,
  };
  const outcome = await session.perform(new Permit(digestOf(action), "bench"), action);
  clearInterval(timer);
  if (outcome.kind !== "completed" || outcome.result.kind !== "exec" || outcome.result.stdout.totalBytes !== BIG_OUTPUT_BYTES)
    throw new Error(JSON.stringify(outcome));
  figures["1 GB of output, s"] = Math.round(performance.now() - start) / 1000;
  figures["1 GB of output, more memory, MB"] = Math.round(Math.max(most, process.memoryUsage.rss()) - before) / 1e6;
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

const freshBubblewrap = (): Promise<unknown> => {
  const [program = "", ...words] = isolated(OWN_PROGRAMS);
  return run(program, [...words, "--", ...ARGV]);
};

/** Other agents' sandboxes, each a program that starts one for a single command: how it is given the words. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
  // `npm install --global @openai/codex`; it refuses a home below /tmp.
  codex: ["sandbox", "--", ...ARGV],
  // `npm install --global @anthropic-ai/sandbox-runtime`; it needs ripgrep and socat, and takes a text for a shell.
  srt: ["-c", ARGV.map((word) => `'${word}'`).join(" ")],
};

/** Those that are installed and run the command here; of the others it is said why they do not. */
async function peersHere(): Promise<Way[]> {
  const ways: Way[] = [];
  for (const [program, words] of Object.entries(PEERS)) {
    const once = async (): Promise<void> => {
      const { stdout } = await run(program, words, { timeout: 30_000 });
      if (stdout !== "hi\n") throw new Error(`it printed ${JSON.stringify(stdout.slice(0, 80))}`);
    };
    try {
      await once();
      ways.push({ name: `${program}, for one command`, rounds: SLOW_ROUNDS, once });
    } catch (error) {
      process.stderr.write(`bench: no row for ${program}: ${(error as Error).message.slice(0, 200)}\n`);
    }
  }
  return ways;
}

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
  // What was just written is on disk: an engine that waits for its own files would wait for these too.
  execFileSync("sync");
  process.env["WARDER_HOME"] = join(folder, "state");
  const figures: Record<string, number> = {};
  const sessions: Session[] = [];
  const small = { folder, workspace: join(folder, "small") };
  mkdirSync(small.workspace);
  writeFileSync(join(small.workspace, "a.txt"), "a");
  const flushed = openSync(join(folder, "flushed"), "w");
  const pool = openSandboxPool({ directory: join(folder, "pool") });
  const plain = await docker.createContainer({ Image: image, Cmd: ["sleep", "infinity"], HostConfig: { NetworkMode: "none", AutoRemove: true, Init: true } });
  await plain.start();
  let opened: SandboxedRun | null = null;
  try {
    const inDocker = await openTimed(dockerRuntime({ dockerHost: process.env["DOCKER_HOST"] }), folder, figures);
    sessions.push(inDocker);
    const gated = await openRun(readContext("unattended", workspace), { task: null, model: null, isScripted: false, canAsk: false });
    opened = gated;
    let calls = 0;
    const ways: Way[] = [
      { name: "host spawn, no sandbox", rounds: FAST_ROUNDS, once: () => run(ARGV[0] ?? "", ARGV.slice(1)) },
      { name: "warder, warm container", rounds: FAST_ROUNDS, once: () => expectHi(inDocker, workspace) },
      { name: "warder, through gate and audit", rounds: FAST_ROUNDS, once: () => expectHiThroughGate(gated, (calls += 1)) },
      { name: "one 4 KiB write with fdatasync", rounds: FAST_ROUNDS, once: () => flush(flushed) },
      { name: "dockerode exec, warm container", rounds: SLOW_ROUNDS, once: () => dockerExec(plain) },
      { name: "fresh container", rounds: SLOW_ROUNDS, once: freshContainer },
      { name: "bare create + start", rounds: SLOW_ROUNDS, once: bareStart },
      { name: "first command of a run", rounds: SLOW_ROUNDS, once: () => firstCommand(small) },
      { name: "first command, from the pool", rounds: SLOW_ROUNDS, once: () => firstCommand(small, pool) },
      { name: `first command, ${String(WORKSPACE_FILES)} files`, rounds: SLOW_ROUNDS, once: () => firstCommand({ folder, workspace }) },
      { name: `first command, ${String(WORKSPACE_FILES)} files, from the pool`, rounds: SLOW_ROUNDS, once: () => firstCommand({ folder, workspace }, pool) },
    ];
    if ((await bubblewrapRuntime().check()).isReady) {
      const inBubblewrap = await openTimed(bubblewrapRuntime(), folder, figures);
      sessions.push(inBubblewrap);
      ways.push({ name: "warder, warm bubblewrap", rounds: FAST_ROUNDS, once: () => expectHi(inBubblewrap, workspace) });
      ways.push({ name: "fresh bubblewrap", rounds: FAST_ROUNDS, once: freshBubblewrap });
    }
    ways.push(...(await peersHere()));
    const times = new Map<string, number[]>(ways.map((way) => [way.name, []]));
    for (const way of ways) await measure(way.once);
    for (let round = 0; round < FAST_ROUNDS; round += 1) for (const way of ways) if (round < way.rounds) times.get(way.name)?.push(await measure(way.once));
    await muchOutput(inDocker, workspace, figures);
    const start = performance.now();
    await sessions[0]?.close();
    figures["docker session end, ms"] = Math.round(performance.now() - start);
    print(Object.fromEntries([...times].map(([name, measured]) => [name, rowOf(measured)])), figures);
  } finally {
    for (const session of sessions) await session.close();
    await opened?.end("done");
    await pool.close();
    await plain.remove({ force: true });
    closeSync(flushed);
    rmSync(folder, { recursive: true, force: true });
  }
}

function print(rows: Record<string, Row>, figures: Record<string, number>): void {
  if (process.argv.includes("--json")) {
    process.stdout.write(`${JSON.stringify({ rows, figures })}\n`);
    return;
  }
  for (const [name, row] of Object.entries(rows))
    process.stdout.write(`${name.padEnd(44)} p50 ${row.p50Ms.toFixed(2).padStart(8)} ms   p95 ${row.p95Ms.toFixed(2).padStart(8)} ms   n ${String(row.n)}\n`);
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name}: ${String(value)}\n`);
}

await main();
