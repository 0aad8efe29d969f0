import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { directoryNames } from "../../sandbox/workspace/files/directory-names.ts";
import type { Change } from "../../sandbox/runtime.ts";
import { filesOfRefs } from "../../sandbox/workspace/repository/beginnings.ts";
import { CHECKED, judge, type RepositoryCheck } from "./check.ts";
import { type ObjectFormat, topOf } from "./checking-repository.ts";
import { directoryOf, type Placed } from "../../sandbox/workspace/repository/placed.ts";
import type { RepositoryMoves } from "./moves.ts";
import { type PersonGit, personGit } from "./person-git.ts";
import { lockAdvice } from "./locks.ts";
import type { NoteLanding, NoteLocks } from "../../sandbox/workspace/repository/noted.ts";
import { type LookedAt, type RunsRepository, underWayReason, withRunsRepository } from "./run.ts";
import { readState, type RepositoryState, treeOf } from "../../sandbox/workspace/repository/state.ts";

export type Landing = LookedAt &
  RepositoryCheck & { /** What the reflogs say. */ readonly message: string; readonly note: NoteLanding; readonly noteLocks: NoteLocks };

/** What the repository is to the run from now on; or why nothing of it landed. */
export type Landed = { readonly beginning: RepositoryState };

/** Fewer objects are kept as single files, as git does with what is fetched (fetch.unpackLimit). */
const MAX_LOOSE = 100;

/**
 * Lands what a run did to a repository, by git's hand: objects, then refs and index together, then HEAD. Whoever repeats it, after whatever
 * interrupted it, completes it: what is as the run left it already is left alone.
 */
export async function landRepository(landing: Landing, changes: readonly Change[]): Promise<Landed | string> {
  return withRunsRepository<Landed | string>(landing, changes, async (looked) => {
    const { subject, added } = looked;
    const { git, reason } = await ready(landing, looked);
    if (reason !== null) return reason;
    const pack = { scratch: subject.scratch, name: CHECKED, count: added.length };
    const { refs, head, standing, index } = looked.moves;
    const stored = await landObjects(git, pack);
    if (stored !== null) return stored;
    if (!isNothing(looked.moves)) landing.note({ repository: landing.repository, refs, head: { before: standing, after: head ?? standing }, index });
    const fault = await move(git, { moves: looked.moves, format: subject.format, message: landing.message, noteLocks: landing.noteLocks });
    if (fault !== null) return fault;
    return { beginning: await nextBeginning(looked) };
  });
}

/** Why nothing of what a run did to a repository would land now, or null. Nothing is written. */
export async function landingFault(landing: Landing, changes: readonly Change[]): Promise<string | null> {
  return await withRunsRepository(landing, changes, async (looked) => (await ready(landing, looked)).reason);
}

type Ready = { readonly git: PersonGit; /** Null: it may land. */ readonly reason: string | null };

async function ready(landing: Landing, looked: RunsRepository): Promise<Ready> {
  const { subject, moves } = looked;
  const git = await gitOf(landing);
  const reason =
    looked.unreadable ?? stateReason(landing, moves) ?? (await judge({ ...landing, ...subject }, looked)) ?? (await otherWorktree(git, landing, moves));
  return { git, reason };
}

/** The person's git there. */
export async function gitOf(at: Placed): Promise<PersonGit> {
  const { workspace } = at;
  const top = join(workspace, topOf(at));
  return await personGit({ directory: directoryOf(at), top: existsSync(top) ? top : workspace, workspace });
}

function stateReason(landing: Landing, moves: RepositoryMoves): string | null {
  return isNothing(moves) ? null : (underWayReason(landing) ?? moves.conflict);
}

export function isNothing({ refs, head, index }: Moving["moves"]): boolean {
  return refs.length + index.length === 0 && head === null;
}

/** A branch that another worktree has is moved there alone: its files would not follow. */
export async function otherWorktree(git: PersonGit, landing: Placed, { refs, head }: Pick<RepositoryMoves, "refs" | "head">): Promise<string | null> {
  const names = new Set([...refs.map(({ name }) => name), ...(head?.ref === null || head === null ? [] : [head.ref])]);
  if (names.size === 0) return null;
  const listed = await git.run(["worktree", "list", "--porcelain", "-z"]);
  if (!listed.isDone) return `git cannot list the worktrees: ${listed.complaint}`;
  const own = landing.outside?.linked.worktree ?? null;
  // The first is the one that has the repository in it, which a linked worktree is not.
  const others = listed.stdout.split("\0\0").filter((text, at) => (own === null ? at > 0 : !text.startsWith(`worktree ${landing.workspace}\0`)));
  for (const other of others) {
    const lines = other.split("\0");
    const branch = lines.find((line) => line.startsWith("branch "))?.slice("branch ".length);
    if (branch !== undefined && names.has(branch)) return `${branch} is checked out in another worktree, ${lines[0]?.slice("worktree ".length) ?? ""}.`;
  }
  const replayed = replayedBranches(landing.outside?.linked.path ?? directoryOf(landing), own).find((name) => names.has(name));
  return replayed === undefined ? null : `${replayed} is being rebased or bisected in another worktree.`;
}

/** Branches whose worktree has no branch checked out at the moment, as a rebase or bisect of it is under way. */
function replayedBranches(directory: string, own: string | null): readonly string[] {
  const others = directoryNames(join(directory, "worktrees")).filter((name) => name !== own);
  return others.flatMap((name) =>
    ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"].flatMap((file) => {
      const text = textIn(join(directory, "worktrees", name, file));
      return text === null ? [] : [text.startsWith("refs/") ? text : `refs/heads/${text}`];
    }),
  );
}

function textIn(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

type Pack = { readonly scratch: string; readonly name: string; readonly count: number };

/** Stores the objects of the pack that was checked under this name; why not, or null. */
export async function landObjects(git: PersonGit, { scratch, name, count }: Pack): Promise<string | null> {
  if (count === 0) return null;
  const pack = readdirSync(scratch).find((file) => file.startsWith(`${name}-`) && file.endsWith(".pack"));
  if (pack === undefined) return "The checked objects are not there any more.";
  const fd = openSync(join(scratch, pack), "r");
  try {
    const end = await git.run(count < MAX_LOOSE ? ["unpack-objects", "-q"] : ["index-pack", "--stdin"], { fd });
    return end.isDone ? null : `git cannot store the objects: ${end.complaint}`;
  } finally {
    closeSync(fd);
  }
}

export type Moving = {
  readonly moves: Pick<RepositoryMoves, "refs" | "head" | "index">;
  readonly format: ObjectFormat;
  readonly message: string;
  readonly noteLocks: NoteLocks;
};

/**
 * While the refs are held, the index changes, and then they move. So what is interrupted leaves what the run did staged, and a commit that somebody makes
 * then holds it.
 */
export async function move(git: PersonGit, { moves, format, message, noteLocks }: Moving): Promise<string | null> {
  const zero = "0".repeat(format === "sha1" ? 40 : 64);
  const { head } = moves;
  const commands = moves.refs.map(({ name, before, after }) =>
    after === null ? `delete ${name} ${before ?? zero}\n` : `update ${name} ${after} ${before ?? zero}\n`,
  );
  const isBeside = head !== null && (await isReferent(git, moves.refs));
  if (head !== null && !isBeside) commands.push(head.ref === null ? `update HEAD ${head.id ?? zero}\n` : await holdHead(git));
  const held = commands.join("") === "" ? null : await git.prepare(message, commands.join(""), noteLocks);
  if (typeof held === "string") return `git does not move the refs: ${held}${lockAdvice(held)}`;
  const staged = await moveIndex(git, { moves, noteLocks }, zero);
  if (staged !== null) {
    await held?.abort();
    return staged;
  }
  const fault = (await held?.commit()) ?? null;
  if (fault !== null) return `git does not move the refs: ${fault}`;
  if (head === null || (head.ref === null && !isBeside)) return null;
  const last = head.ref === null ? ["update-ref", "--no-deref", "-m", message, "HEAD", head.id ?? zero] : ["symbolic-ref", "-m", message, "HEAD", head.ref];
  const switched = await git.run(last);
  return switched.isDone ? null : `git does not move HEAD, the rest landed: ${switched.complaint}${lockAdvice(switched.complaint)}`;
}

/** Another branch is checked out only when all else has moved: until then nobody else may have the lock of HEAD. Of an unborn branch there is nothing to hold. */
async function holdHead(git: PersonGit): Promise<string> {
  const standing = await git.run(["rev-parse", "-q", "--verify", "HEAD"]);
  return standing.isDone ? `verify HEAD ${standing.stdout.trim()}\n` : "";
}

/** Whether the branch that is checked out moves: git moves that and HEAD in one transaction only as one, and has the lock of both. */
async function isReferent(git: PersonGit, refs: Moving["moves"]["refs"]): Promise<boolean> {
  const branch = (await git.run(["symbolic-ref", "-q", "HEAD"])).stdout.trim();
  return refs.some(({ name }) => name === branch);
}

/** What goes is said first: a file may take the place of a directory. */
async function moveIndex(git: PersonGit, { moves: { index }, noteLocks }: Pick<Moving, "moves" | "noteLocks">, zero: string): Promise<string | null> {
  if (index.length === 0) return null;
  const lines = index
    .toSorted((one, other) => Number(one.after !== null) - Number(other.after !== null))
    .map(({ path, after }) => `${after?.mode ?? "0"} ${after?.id ?? zero}\t${path}\0`);
  const end = await git.run(["update-index", "-z", "--index-info"], Buffer.from(lines.join(""), "latin1"), noteLocks);
  return end.isDone ? null : `git does not change the index: ${end.complaint}${lockAdvice(end.complaint)}`;
}

/** For what a run that goes on does next: what it had when this landed. */
async function nextBeginning({ subject, run }: RunsRepository): Promise<RepositoryState> {
  const tree = await treeOf(subject.git, run.head.id);
  const state = tree === null ? null : await readState(subject.git, { tree });
  return { ...(state === null || typeof state === "string" ? run : state), ...filesOfRefs(subject.scratch) };
}
