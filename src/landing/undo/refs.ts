import { makeVisibleLine } from "../../base/text.ts";
import { readRepository } from "../../sandbox/workspace/repository/beginnings.ts";
import { formatOf } from "../git/checking-repository.ts";
import { directoryOf, type Placed } from "../../sandbox/workspace/repository/placed.ts";
import { checkingGit } from "../../sandbox/workspace/repository/git.ts";
import { gitOf, isNothing, move, type Moving, otherWorktree } from "../git/land.ts";
import type { MovedEntry, MovedRef, RepositoryLanding } from "../../sandbox/workspace/repository/noted.ts";
import { isSameHead, nameOfHead } from "../git/moves.ts";
import { underWayHere } from "../git/run.ts";
import { type FileEntry, type Head, isSameEntry, textOfPath } from "../../sandbox/workspace/repository/state.ts";

/** What moves back; what stands in the way, a sentence each. What is as it was before is no move. */
export type Backward = {
  readonly moves: { readonly refs: readonly MovedRef[]; readonly head: Head | null; readonly index: readonly MovedEntry[] };
  readonly conflicts: readonly string[];
};

/** How a landing would be taken back now. Nothing is written. */
export async function backwardOf(at: Placed, landing: RepositoryLanding): Promise<Backward> {
  const nothing = { refs: [], head: null, index: [] };
  const now = await readRepository(directoryOf(at));
  if (typeof now === "string") return { moves: nothing, conflicts: [underWayHere(at) ?? now] };
  const conflicts: string[] = [];
  const refs: MovedRef[] = [];
  for (const { name, before, after } of landing.refs) {
    const current = now.refs.get(name) ?? null;
    if (current === before) continue;
    if (current === after) refs.push({ name, before: after, after: before });
    else conflicts.push(`Conflict: ${makeVisibleLine(name)} was moved since it landed, and is at ${(current ?? "nothing").slice(0, 12)}.`);
  }
  const index: MovedEntry[] = [];
  const entries = landing.index.length === 0 ? new Map<string, FileEntry>() : await entriesOf(at);
  if (typeof entries === "string") return { moves: nothing, conflicts: [...conflicts, entries] };
  for (const { path, before, after } of landing.index) {
    const current = entries.get(path) ?? null;
    if (isSameEntry(current, before)) continue;
    if (isSameEntry(current, after)) index.push({ path, before: after, after: before });
    else conflicts.push(`Conflict: ${makeVisibleLine(textOfPath(path))} was staged otherwise since it landed.`);
  }
  const { before, after } = landing.head ?? { before: now.head, after: now.head };
  const head = isSameHead(before, after) || !isSameHead(now.head, after) ? null : before;
  // The index would be of a commit that the branch does not name any more, or hold what somebody did on the other.
  for (const standing of head === null ? [] : [head, after]) {
    const named = now.refs.get(standing.ref ?? "") ?? null;
    const isOther = standing.ref !== null && named !== standing.id && named?.startsWith("ref: ") !== true;
    if (isOther && !landing.refs.some(({ name }) => name === standing.ref))
      conflicts.push(`Conflict: ${nameOfHead(standing)}, which ${standing === after ? "is" : "was"} checked out, was moved since it landed.`);
  }
  const isStanding = isSameHead(now.head, before) || isSameHead(now.head, after);
  const concernsCheckout = index.length > 0 || !isSameHead(before, after) || refs.some(({ name }) => name === before.ref || name === after.ref);
  if (!isStanding && concernsCheckout)
    conflicts.push(`Conflict: HEAD is ${nameOfHead(now.head)} now, and was ${nameOfHead(after)} when it landed. Switch back, and try again.`);
  const unborn = refs.find((ref) => ref.after === null && ref.name === (head ?? now.head).ref);
  // A branch of which the first commit landed stays checked out, and is unborn again.
  if (unborn !== undefined && (landing.head === null || before.ref !== unborn.name))
    conflicts.push(`Conflict: ${makeVisibleLine(unborn.name)} is checked out: switch to another branch, and try again.`);
  const moves = { refs, head, index };
  if (isNothing(moves) || conflicts.length > 0) return { moves, conflicts };
  const stopping = underWayHere(at) ?? (await otherWorktree(await gitOf(at), at, moves));
  return { moves, conflicts: stopping === null ? [] : [stopping] };
}

/** Takes a landing back, by the same kind of transaction. Why it could not, or null. */
export async function undoRepository(at: Placed, { moves }: Backward, { message, noteLocks }: Pick<Moving, "message" | "noteLocks">): Promise<string | null> {
  return isNothing(moves) ? null : await move(await gitOf(at), { moves, format: formatOf(at), message, noteLocks });
}

/** What the index says, by paths whose characters stand for a byte each; or why that cannot be told. */
async function entriesOf(at: Placed): Promise<ReadonlyMap<string, FileEntry> | string> {
  const listed = await checkingGit(directoryOf(at))(["ls-files", "--stage", "-z"], { encoding: "latin1" });
  if (!listed.isDone) return `git cannot read the index: ${makeVisibleLine(listed.complaint)}`;
  const entries = new Map<string, FileEntry>();
  for (const line of listed.stdout.split("\0")) {
    const [, mode = "", id = "", path = ""] = /^(\d+) ([0-9a-f]+) 0\t(.*)$/su.exec(line) ?? [];
    if (path !== "") entries.set(path, { mode, id });
  }
  return entries;
}
