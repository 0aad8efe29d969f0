// Lands and throws away random sets of changes ROUNDS times, killed in the middle, and compares the workspace with plain directories
// (test/support/change-rounds.ts). LANES processes play at once, each with trees of its own on a tmpfs that only it and what it starts see, as
// the rounds are about what is there after a process was killed, not about the disk. Needs root.
//
//   npm run soak -- changes [--rounds 2000] [--seed 1] [--lanes 2] [--json]
//
// With --lane --sessions engine, each set is made in a session of the rootless Podman at DOCKER_HOST, by its user, where its mounts are seen
// (test/support/session-workspace.ts); with --sessions bubblewrap, in one of bubblewrap by an ordinary user. With --sessions inside, a program in a session
// of the engine at DOCKER_HOST makes the set, wherever that engine's files are. It plays here, prints each round, and ends with 1 when one was faulty.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { type MakeStage, playRound, type Round } from "../../test/support/change-rounds.ts";
import { engineSessionWorkspace, namespaceWorkspace, unseenWorkspace } from "../../test/support/session-workspace.ts";

/** How long landing a set of changes takes at first; then it is measured, so that kills come anywhere in it. */
const FIRST_MS = 150;

const STAGES: Readonly<Record<string, MakeStage>> = { engine: engineSessionWorkspace, bubblewrap: namespaceWorkspace, inside: unseenWorkspace };

type Played = Round & { readonly seed: number };

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    lanes: { type: "string", default: "2" },
    /** Play these rounds here, and print each: what a lane does. */ lane: { type: "boolean", default: false },
    /** In real sessions: `engine`, `bubblewrap` or `inside`, see above. */ sessions: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const first = Number(values.seed);
if (values.lane) await playLane();
else await playAll(Number(values.lanes));

async function playLane(): Promise<void> {
  const stage = values.sessions === undefined ? undefined : STAGES[values.sessions];
  if (stage === undefined && values.sessions !== undefined) throw new Error(`--sessions is one of ${Object.keys(STAGES).join(", ")}`);
  let longestMs = FIRST_MS;
  for (let seed = first; seed < first + rounds; seed += 1) {
    const round = await playRound(seed, longestMs, stage);
    // A moving mean of those that ended; a quarter more, as the longer ones are what kills are for.
    for (const endedMs of round.endedMs) longestMs = 0.8 * longestMs + 0.2 * 1.25 * endedMs;
    process.stdout.write(`${JSON.stringify({ ...round, seed } satisfies Played)}\n`);
    if (round.faults.length > 0) process.exitCode = 1;
  }
}

async function playAll(lanes: number): Promise<void> {
  const startedMs = performance.now();
  // The program that lands and is killed starts a thousand times: compiled once, it takes a third of the processor.
  const cache = mkdtempSync(join(tmpdir(), "warder-soak-cache-"));
  const played: Played[] = [];
  try {
    const share = Math.ceil(rounds / lanes);
    const parts = Array.from({ length: lanes }, (_unused, lane) => ({ seed: first + lane * share, rounds: Math.min(share, rounds - lane * share) }));
    await Promise.all(parts.filter((part) => part.rounds > 0).map((part) => watchLane(part, cache, played)));
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
  report(played, Math.round((performance.now() - startedMs) / 1_000));
}

async function watchLane(part: { readonly seed: number; readonly rounds: number }, cache: string, played: Played[]): Promise<void> {
  const own = [import.meta.filename, "--lane", "--seed", String(part.seed), "--rounds", String(part.rounds)];
  const onTmpfs = ["--mount", "--propagation", "private", "sh", "-c", 'mount -t tmpfs -o size=2g none /var/tmp && exec "$@"', "sh"];
  const child = spawn("unshare", [...onTmpfs, process.execPath, ...own], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  });
  const ended = once(child, "close");
  for await (const line of createInterface({ input: child.stdout })) {
    const round = JSON.parse(line) as Played;
    played.push(round);
    if (round.faults.length > 0) process.stderr.write(`seed ${String(round.seed)} (${round.kind}):\n${round.faults.slice(0, 5).join("\n")}\n`);
    if (played.length % 100 === 0) process.stderr.write(`${String(played.length)} rounds\n`);
  }
  await ended;
}

function report(played: readonly Played[], seconds: number): void {
  const count = (is: (round: Round) => boolean): number => played.filter(is).length;
  const sum = (of: (round: Round) => number): number => played.reduce((total, round) => total + of(round), 0);
  const figures = {
    rounds: played.length,
    changes: sum((round) => round.changes),
    refused: sum((round) => round.refused),
    kills: sum((round) => round.kills),
    killedRounds: count((round) => round.kills > 0),
    roundsWithConflicts: count((round) => round.hasConflicts),
    discarded: count((round) => round.kind.startsWith("discard")),
    faulty: count((round) => round.faults.length > 0),
    seconds,
  };
  process.stdout.write(values.json ? `${JSON.stringify({ rows: {}, figures })}\n` : `${JSON.stringify(figures, null, 2)}\n`);
  // A lane that ended early has rounds that nobody played.
  process.exitCode = figures.faulty === 0 && figures.rounds === rounds ? 0 : 1;
}
