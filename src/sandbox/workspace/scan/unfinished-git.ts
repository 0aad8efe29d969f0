import { lstatSync, readFileSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";

// What git left in a repository for its next command, which may be the person's.

/** More lines than anybody rebases by hand. */
const MAX_TODO_BYTES = 1024 * 1024;
/** A line that starts a program, as git reads it (`parse_insn_line` in its sequencer.c): blanks may stand before `exec`, or `x`. */
const STARTS = /(?:^|\n)[ \t]*(?:exec|x)(?:[ \t\r\n]|$)/u;

/** Whether a path is the list of a rebase of which `git rebase --continue` would run a line as a command. What is no plain file of a usual size, or cannot be read, is taken for one. */
export function isRunningTodo(path: string): boolean {
  if (basename(path).toLowerCase() !== "git-rebase-todo") return false;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  return !stats.isFile() || stats.size > MAX_TODO_BYTES || STARTS.test(textOf(path) ?? "exec");
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    // Its mode is whoever wrote it's to set.
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** What is there as long as git has something to continue, or works. */
const UNFINISHED = ["MERGE_MSG", "sequencer", "rebase-merge", "rebase-apply", "index.lock"];

/**
 * Removes `CHERRY_PICK_HEAD` from a worktree's own directory where the pick is over: in a bound worktree git cannot, because it takes the lock of `packed-refs` for
 * it, and it would refuse the next `switch` or `merge`. Of a pick that waits for somebody the message is there, too.
 */
export function endFinishedPick(gitDirectory: string): void {
  const head = join(gitDirectory, "CHERRY_PICK_HEAD");
  const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (lstatSync(head, { throwIfNoEntry: false })?.isFile() !== true || UNFINISHED.some((name) => isThere(join(gitDirectory, name)))) return;
  unlinkSync(head);
}
