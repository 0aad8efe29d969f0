import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../../src/base/errors.ts";
import { openChanges } from "../../../src/landing/review/review.ts";
import { openUndo } from "../../../src/landing/undo/undo.ts";
import { type GitWorkspace, gitWorkspace } from "../git-workspace.ts";
import { leaveRoom, mountSmallDisk, roomOn } from "../small-disk.ts";
import { CHANGE, FACTS, FILES } from "../undo-workspace.ts";
import type { Crashed } from "./crash-at.ts";

const PROGRAMS = join(import.meta.dirname, "../programs");
const MAKE = `git init -q; ${FILES}; git add a gone; git commit -qm one; git branch side; echo s > s; git add s`;
const CHANGES = `${CHANGE}; git checkout -qb work; git add a; git commit -qm two; git branch -D side -q; git tag t; git add turned`;

export type Ending = "land" | "undo";

export type Played = {
  readonly steps: number;
  /** What must never be. */ readonly faults: readonly string[];
};

type Crash = (step: number, root: string, command: readonly string[]) => Promise<Crashed>;

/**
 * Kills a landing, or an undo, before a step that changes a file; then somebody lands or undoes again, and the workspace is compared with what it was before, or
 * when everything had landed. Step 0: nothing is killed.
 */
export async function playCrash(crash: Crash, { killed, step, end }: { killed: Ending; step: number; end: Ending }): Promise<Played> {
  const program = join(PROGRAMS, killed === "land" ? "apply-changes.ts" : "undo-changes.ts");
  let steps = 0;
  const faults = await playStopped({ stopped: killed, end }, async (here) => {
    ({ steps } = await crash(step, join(here.workspace, ".."), [process.execPath, program, here.runDirectory]));
    return [];
  });
  return { steps, faults: faults.map((fault) => `${killed} killed at ${String(step)}, then ${end}: ${fault}`) };
}

type FullDisk = {
  readonly stopped: Ending;
  readonly end: Ending;
  readonly full: "state" | "workspace";
  /** Null: there is enough. */ readonly room: number | null;
};

/** The same on disks of their own, of which one has only so much room left until somebody makes more. `stopping`: what was said, or null. */
export async function playFullDisk({ stopped, end, full, room }: FullDisk): Promise<{ taken: number; stopping: string | null; faults: readonly string[] }> {
  const played = { taken: 0, stopping: null as string | null };
  const faults = await playStopped({ stopped, end, ...SMALL_DISKS }, async (here) => {
    const disk = full === "state" ? join(here.workspace, "../state") : here.workspace;
    if (room !== null) leaveRoom(disk, room);
    const before = roomOn(disk);
    const found: string[] = [];
    try {
      played.stopping = (await (stopped === "land" ? land(here) : undo(here))).join("; ") || null;
    } catch (error) {
      played.stopping = (error as Error).message;
      if (!(error instanceof AgentError) || error.remedy === null) found.push(`it is not said what to do: ${String((error as Error).stack)}`);
    }
    played.taken = before - roomOn(disk);
    leaveRoom(disk, ENOUGH_BYTES);
    return found;
  });
  return { ...played, faults: faults.map((fault) => `${stopped} with ${String(room)} bytes for the ${full}, then ${end}: ${fault}`) };
}

/** Landing, and taking back, want room for each of so many files, and for what is known of all of them. */
const SMALL_DISKS = {
  make: "mkdir many; for i in $(seq 400); do : > many/a-name-that-is-not-short-$i; done; for i in $(seq 12); do head -c 8192 /dev/urandom > large$i; done;",
  change: "; for i in $(seq 12); do echo > large$i; head -c 8192 /dev/urandom > fresh$i; done",
  prepare: onSmallDisks,
};

const ENOUGH_BYTES = 50 * 1024 ** 2;

function onSmallDisks(workspace: string): void {
  const state = join(workspace, "../state");
  const [run = ""] = readdirSync(join(state, "runs"));
  mountSmallDisk(state, 200);
  mkdirSync(join(state, "runs", run), { recursive: true, mode: 0o700 });
  mountSmallDisk(workspace, 50);
}

type Stopped = {
  readonly stopped: Ending;
  readonly end: Ending;
  readonly make?: string;
  readonly change?: string;
  readonly prepare?: (workspace: string) => void;
};

/** What must never be, when something stopped a landing or an undo and somebody calls it again, or the other. */
async function playStopped(
  { stopped, end, make = "", change = "", prepare }: Stopped,
  stop: (here: GitWorkspace) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const here = await gitWorkspace(`${make}${MAKE}`, prepare);
  try {
    here.inRun(`${CHANGES}${change}`);
    // What lands is what the run made: its commits are the same wherever it is landed.
    const seen = here.inRun("git rev-parse work");
    await here.end();
    const before = here.onHost(FACTS);
    const faults: string[] = [];
    if (stopped === "undo") faults.push(...(await land(here)));
    faults.push(...(await stop(here)));
    here.onHost("git fsck --strict --no-dangling");
    faults.push(...(await endAs(here, end)));
    const facts = here.onHost(FACTS);
    if (end === "undo" && facts !== before) faults.push(`it is not as it was:\n${facts}`);
    if (end === "land" && (!facts.includes(`${seen.trim()} commit\trefs/heads/work`) || here.onHost(LANDED) !== "")) faults.push(`not all landed:\n${facts}`);
    const left = here.onHost("find . -name '.warder-*.tmp'");
    if (left !== "") faults.push(`left: ${left}`);
    return faults;
  } finally {
    await here.remove();
  }
}

/** Of the locks of a git that was killed the moment it took them nobody knows whose they are: a person is told which to remove, and does. */
async function endAs(here: GitWorkspace, end: Ending): Promise<readonly string[]> {
  for (let tries = 0; ; tries += 1) {
    const faults = await (end === "land" ? landAfter(here) : undo(here));
    const [, lock] = /one that was killed has left it.*rm '(.*\.lock)'/u.exec(faults.join("\n")) ?? [];
    if (lock === undefined || tries === 8) return faults;
    rmSync(lock);
  }
}

/** What is not as the run left it. */
const LANDED = `test "$(cat a repl turned/i n/m/f)" = "$(printf 'new\\nfile\\ni\\nn')" || echo contents
for gone in gone d away closed sparse special; do test ! -e $gone || echo $gone; done
test ! -e large1 || test "$(cat large* fresh[1-9]* | wc -c)" = 98316 || echo large
test "$(readlink link fresh)" = "$(printf 'gone\\na')" || echo links; test "$(stat -c %a moded)" = 600 || echo mode
test "$(git symbolic-ref HEAD)" = refs/heads/work || echo HEAD; git diff --cached --name-only -- a gone; git ls-files --error-unmatch turned/i > /dev/null || echo index`;

async function land(here: GitWorkspace): Promise<readonly string[]> {
  const review = await openChanges(here.runDirectory);
  if (review === null) return [];
  try {
    const { refused } = await review.apply({ mayWrite: () => null, paths: review.list().map(({ path }) => path) });
    // What steers git never lands.
    return refused.map(({ change, reason }) => `${change.path}: ${reason}`).filter((line) => !/steers git|only added/u.test(line));
  } finally {
    await review.close();
  }
}

/** Where everything had landed and an undo began, the run has nothing to land before that undo is at its end. */
async function landAfter(here: GitWorkspace): Promise<readonly string[]> {
  const faults = await land(here);
  return here.onHost(LANDED) === "" ? faults : [...faults, ...(await undo(here)), ...(await land(here))];
}

async function undo(here: GitWorkspace): Promise<readonly string[]> {
  const last = await openUndo(here.runDirectory);
  if (last === null) return [];
  try {
    return (await last.undo([])).refused.map(({ change, reason }) => `${change.path}: ${reason}`);
  } finally {
    await last.close();
  }
}
