import { rmSync } from "node:fs";
import { join } from "node:path";
import { openChanges } from "../../../src/sandbox/workspace/review/review.ts";
import { openUndo } from "../../../src/sandbox/workspace/undo/undo.ts";
import { type GitWorkspace, gitWorkspace } from "../git-workspace.ts";
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
  const here = await gitWorkspace(MAKE);
  try {
    here.inRun(CHANGES);
    // What lands is what the run made: its commits are the same wherever it is landed.
    const seen = here.inRun("git rev-parse work");
    await here.end();
    const before = here.onHost(FACTS);
    const faults: string[] = [];
    if (killed === "undo") faults.push(...(await land(here)));
    const program = join(PROGRAMS, killed === "land" ? "apply-changes.ts" : "undo-changes.ts");
    const { steps } = await crash(step, join(here.workspace, ".."), [process.execPath, program, here.runDirectory]);
    here.onHost("git fsck --strict --no-dangling");
    faults.push(...(await endAs(here, end)));
    const facts = here.onHost(FACTS);
    if (end === "undo" && facts !== before) faults.push(`it is not as it was:\n${facts}`);
    if (end === "land" && (!facts.includes(`${seen.trim()} commit\trefs/heads/work`) || here.onHost(LANDED) !== "")) faults.push(`not all landed:\n${facts}`);
    const left = here.onHost("find . -name '.warder-*.tmp'");
    if (left !== "") faults.push(`left: ${left}`);
    return { steps, faults: faults.map((fault) => `${killed} killed at ${String(step)}, then ${end}: ${fault}`) };
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
test "$(readlink link fresh)" = "$(printf 'gone\\na')" || echo links; test "$(stat -c %a moded)" = 600 || echo mode
test "$(git symbolic-ref HEAD)" = refs/heads/work || echo HEAD; git diff --cached --name-only -- a gone; git ls-files --error-unmatch turned/i > /dev/null || echo index`;

async function land(here: GitWorkspace): Promise<readonly string[]> {
  const review = await openChanges(here.runDirectory);
  if (review === null) return [];
  const report = await review.apply({ mayWrite: () => null, paths: review.list().map(({ path }) => path) });
  await review.close();
  // What steers git never lands.
  return report.refused.map(({ change, reason }) => `${change.path}: ${reason}`).filter((line) => !/steers git|only added/u.test(line));
}

/** Where everything had landed and an undo began, the run has nothing to land before that undo is at its end. */
async function landAfter(here: GitWorkspace): Promise<readonly string[]> {
  const faults = await land(here);
  return here.onHost(LANDED) === "" ? faults : [...faults, ...(await undo(here)), ...(await land(here))];
}

async function undo(here: GitWorkspace): Promise<readonly string[]> {
  const last = await openUndo(here.runDirectory);
  if (last === null) return [];
  const { refused } = await last.undo([]);
  await last.close();
  return refused.map(({ change, reason }) => `${change.path}: ${reason}`);
}
