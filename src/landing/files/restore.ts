import { closeSync, fstatSync, readdirSync, rmSync, type Stats } from "node:fs";
import type { SandboxUser } from "../../sandbox/mounts.ts";
import type { Change } from "../../sandbox/runtime.ts";
import { removeTree } from "../../sandbox/workspace/mounts/directories.ts";
import { type ApplyProgram, type ApplyRecord, openApplyProgram } from "../../sandbox/workspace/changes/apply-program.ts";
import { type ListedLayers, opaqueDirectories } from "../../sandbox/workspace/changes/list.ts";
import { ancestorsOf } from "../../sandbox/workspace/files/layers.ts";
import { type DirectoryFd, linkTarget, namesIn, openTree, statEntry, withParent } from "../../sandbox/workspace/files/tree.ts";

// What an overlay shows comes from its layers by simple rules, so that changes can be taken back without mounting it: an entry of the upper layer that
// goes shows what is below it, a whiteout that goes does too, and below an opaque directory nothing shows, so a copy is put there.

type Ground = {
  readonly layers: ListedLayers;
  readonly upper: DirectoryFd;
  readonly lower: DirectoryFd;
  /** Directories of the upper layer that show nothing of the lower one. */
  readonly opaque: ReadonlySet<string>;
  readonly program: ApplyProgram;
  /** The sandbox's user, who has the workspace owner's files in the layer; null: nobody but us can own one. */ readonly user: SandboxUser | null;
};

/**
 * Takes changes back in a run's upper layer, which nothing may have mounted: others stay as they are. Returns what could not be taken back, with the reason.
 */
export async function restoreChanges(
  changes: readonly Change[],
  layers: ListedLayers,
  user: SandboxUser | null,
): Promise<readonly { change: Change; reason: string }[]> {
  const refused: { change: Change; reason: string }[] = [];
  const upper = openTree(layers.upper);
  const lower = openTree(layers.lower);
  const program = openApplyProgram(layers.upper, layers.lower, "restore");
  const ground: Ground = { layers, upper, lower, opaque: opaqueDirectories(layers)(), program, user };
  try {
    for (const change of changes) {
      if (change.kind !== "added") continue;
      // What is not UTF-8 has no path that could be written down.
      if (change.path.includes("\uFFFD")) removeMade(upper, change.path);
      else {
        const reason = await readable(() => removeAdded(change.path, ground));
        if (reason !== null) refused.push({ change, reason });
      }
    }
    for (const change of changes) {
      const reason = change.kind === "added" ? null : await readable(() => restore(change, ground));
      if (reason !== null) refused.push({ change, reason });
    }
  } finally {
    await program.end();
    closeSync(lower);
    closeSync(upper);
  }
  return refused;
}

/** A run may have closed the directories above to their owner, who is not root. */
async function readable(work: () => Promise<string | null>): Promise<string | null> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return "The run closed its directory: discard that.";
    throw error;
  }
}

async function restore({ path, kind }: Change, ground: Ground): Promise<string | null> {
  const was = statEntry(ground.lower, path);
  // The workspace has lost it meanwhile: what the run made of it goes, and nothing is there.
  if (was === null) return clear(path, ground);
  for (const above of ancestorsOf(path).toReversed()) {
    const reason = await show(above, ground);
    if (reason !== null) return reason;
  }
  if (kind === "mode") return ground.program.perform(["chmod", path, "any", modeOf(was)]);
  if (was.isDirectory()) return show(path, ground);
  const reason = await clear(path, ground);
  if (reason !== null || !isHidden(path, ground)) return reason;
  const copy = copyOf(path, was, ground);
  return copy === null ? "It is a special file now." : ground.program.perform(copy);
}

/** What the run put in the place of something else goes, and what was there stays deleted: that is a change of its own. */
async function removeAdded(path: string, ground: Ground): Promise<string | null> {
  if (statEntry(ground.upper, path) === null) return null;
  const reason = await clear(path, ground);
  if (reason !== null || isHidden(path, ground) || statEntry(ground.lower, path) === null) return reason;
  return ground.program.perform(["whiteout", path]);
}

/** Takes what the upper layer has of a path. */
async function clear(path: string, { upper, layers, program }: Ground): Promise<string | null> {
  const now = statEntry(upper, path);
  if (now === null) return null;
  if (!now.isDirectory()) return program.perform(["remove", path, "any"]);
  removeTree(`${layers.upper}/${path}`);
  return null;
}

/**
 * Makes a directory of the lower layer one of the view, and nothing in it that was not there: where a whiteout or something else hides it, it comes
 * with a whiteout for each of its entries.
 */
async function show(path: string, ground: Ground): Promise<string | null> {
  const { upper, lower, program } = ground;
  const now = statEntry(upper, path);
  if (now?.isDirectory() === true) return null;
  const was = statEntry(lower, path);
  if (was === null) return "The workspace has lost its directory.";
  const isBelowOpaque = isHidden(path, ground);
  if (now === null && !isBelowOpaque) return null;
  const records: ApplyRecord[] = [...(now === null ? [] : ([["remove", path, "any"]] as const)), ["mkdir", path, modeOf(was), ...ownersIn(was, ground)]];
  if (!isBelowOpaque) for (const name of namesIn(lower, path)) records.push(["whiteout", `${path}/${name}`]);
  for (const record of records) {
    const reason = await program.perform(record);
    if (reason !== null) return reason;
  }
  return null;
}

function isHidden(path: string, { opaque }: Ground): boolean {
  return ancestorsOf(path).some((above) => opaque.has(above));
}

function copyOf(path: string, was: Stats, ground: Ground): ApplyRecord | null {
  const owners = ownersIn(was, ground);
  if (was.isFile()) return ["put", path, "any", modeOf(was), ...owners];
  const target = linkTarget(ground.lower, path);
  return target === null ? null : ["link", path, "any", target, ...owners];
}

/** In the sandbox the workspace's owner and the sandbox's user are exchanged (sandbox/host/README.md, `idmap`). */
function ownersIn(was: Stats, { lower, user }: Ground): readonly [string, string] {
  if (user === null) return ["-1", "-1"];
  const owner = fstatSync(lower);
  const swap = (id: number, one: number, other: number): string => String(id === one ? other : id === other ? one : id);
  return [swap(was.uid, owner.uid, user.uid), swap(was.gid, owner.gid, user.gid)];
}

const modeOf = (status: Stats): string => (status.mode & 0o7777).toString(8).padStart(4, "0");

/** With everything in it. Names that are not UTF-8 are found by how they are shown: all of them were made by the run. */
function removeMade(upper: DirectoryFd, path: string): void {
  withParent(upper, path, (parent, name) => {
    const directory = `/proc/self/fd/${String(parent)}`;
    const isMeant = (entry: Buffer): boolean => entry.toString() === name;
    const names = name.includes("\uFFFD") ? readdirSync(directory, { encoding: "buffer" }).filter(isMeant) : [Buffer.from(name)];
    for (const entry of names) rmSync(Buffer.concat([Buffer.from(`${directory}/`), entry]), { recursive: true, force: true });
  });
}
