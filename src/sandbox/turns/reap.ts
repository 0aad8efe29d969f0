import { AgentError } from "../../base/errors.ts";
import { removeTree } from "../workspace/mounts/directories.ts";
import { workspacePaths } from "../workspace/record.ts";
import { bytesOf, keptTurns } from "./kept.ts";
import type { KeptTurn } from "./state.ts";

/** As long as a conversation is kept: without one, there is nothing to go back to. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** What is kept of the turns of all runs together. */
const MAX_BYTES = 8 * 1024 ** 3;

/** The runs whose turns are kept no longer: those that are too old, and the oldest of what is beyond the limit. */
export function turnsBeyond(runDirectories: readonly string[], nowMs: number, maxBytes = MAX_BYTES): readonly string[] {
  const kept = runDirectories.flatMap((run) => {
    const turns = turnsIn(run);
    return turns.length === 0 ? [] : [{ run, atMs: turns.at(-1)?.atMs ?? 0, bytes: bytesOf(turns) }];
  });
  let sum = 0;
  return kept
    .toSorted((one, other) => other.atMs - one.atMs)
    .filter(({ atMs, bytes }) => {
      sum += bytes;
      return nowMs - atMs > KEPT_MS || sum > maxBytes;
    })
    .map(({ run }) => run);
}

/** Nobody may work with the run. */
export function forgetTurns(runDirectory: string): void {
  removeTree(workspacePaths(runDirectory).turns);
}

/** Of a damaged list nothing is known, and no other run waits for that. */
function turnsIn(run: string): readonly KeptTurn[] {
  try {
    return keptTurns(run);
  } catch (error) {
    if (error instanceof AgentError || error instanceof SyntaxError) return [];
    throw error;
  }
}
