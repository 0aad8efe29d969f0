import { posix } from "node:path";
import { digestOf } from "../../base/digest.ts";
import { keepsChanges, type SandboxProfile, type Session } from "../../sandbox/runtime.ts";
import { signatureOf } from "../../sandbox/workspace/scan/manifest.ts";
import { scanAfterCommand } from "../../sandbox/workspace/scan/all-roots.ts";

/** Files of a repository that any `git status` or fetch of a person touches, and that nothing executes. HEAD itself says what is pushed. */
const VOLATILE = /\/\.git\/(?:index(?:\.lock)?|[A-Z_]+_HEAD|COMMIT_EDITMSG|(?:logs|objects)\/.*)$/u;
const MAX_NAMED = 50;

/**
 * The digest of all files that code in this session could load or send out: the run's changes by content, and the roots on the host by type,
 * inode, size and times (nobody who changes a file can set ctime back). An approval of a command that runs code or sends data is bound to it,
 * because nobody knows beforehand which files such a command reads.
 */
export async function boundState(session: Session): Promise<string> {
  return digestOf([await changesDigest(session), hostSignatures(session.profile)]);
}

/** Paths below the roots that were changed after `sinceMs` (milliseconds since the epoch), for a person's eyes: at most 50, then how many more. */
export function changedSince(profile: SandboxProfile, sinceMs: number): readonly string[] {
  const changed = entriesOf(profile).flatMap(([path, stats]) => (!stats.isDirectory() && stats.ctimeMs > sinceMs ? [path] : []));
  return changed.length <= MAX_NAMED ? changed : [...changed.slice(0, MAX_NAMED), `and ${changed.length - MAX_NAMED} more`];
}

/**
 * The digest of everything that a run changed so far, contents included; null where the workspace keeps no
 * changes apart. It stands in for the inputs of a command of which nobody knows what it executes.
 */
async function changesDigest(session: Session): Promise<string | null> {
  if (!keepsChanges(session.profile)) return null;
  const workspace = session.profile.roots[0]?.path ?? "/";
  const changes = await session.changes();
  const hashes = await session.hash(changes.map((change) => posix.resolve(workspace, change.path)));
  return digestOf(changes.map((change, index) => [change.path, change.kind, change.type, change.size, change.mode, hashes[index] ?? null]));
}

function hostSignatures(profile: SandboxProfile): string {
  return digestOf(entriesOf(profile).map(([path, stats]) => [path, signatureOf(stats)]));
}

function entriesOf(profile: SandboxProfile) {
  if (profile.settings.workspace === "none") return [];
  // Root by root and in order, so that the same files give the same digest.
  const scans = scanAfterCommand(profile);
  return scans.flatMap((scan) => [...scan.entries].filter(([path]) => !VOLATILE.test(path)).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
