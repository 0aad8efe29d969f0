import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats } from "node:fs";
import { AgentError } from "../../../base/errors.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import type { PathPatterns } from "./path-patterns.ts";
import { isPublicOnly, MAX_PUBLIC_BYTES } from "../files/public-parts.ts";
import type { KeylessFiles } from "../files/keyless-files.ts";
import { holdsPrivateKeyAt } from "../files/private-key.ts";
import { smallFile } from "../files/small-file.ts";

/** More entries than this make the start of a session slow and its manifest large; a policy then names a smaller root. */
export const MAX_ENTRIES = 200_000;

export const SET_ID_BITS = 0o6000;

/** A path that a mount must hide or hold. */
export type Found = { readonly path: string; readonly type: "file" | "directory" };

/** A file as it was measured: all that is seen of it. */
export type Shown = { readonly path: string; readonly content: Buffer; readonly mode: number };

/** A forbidden file that has other names, by its path and `device:inode`. */
export type Aliased = { readonly path: string; readonly file: string };

export type Scan = {
  /** Forbidden: to be masked. Nothing below a found directory is listed. */
  readonly masked: readonly Found[];
  /** Those of them that hold private keys, or may: by what they hold, or by a pattern of keys alone. */
  readonly keys: readonly string[];
  /** Private keys by their names, and public by what they hold. */
  readonly shown: readonly Shown[];
  /** Protected: to be mounted read-only. What is forbidden below is listed in `masked`. */
  readonly guarded: readonly Found[];
  /** Forbidden files with more than one hard link, those in masked directories included. */
  readonly aliased: readonly Aliased[];
  /** Every entry that is not masked, by absolute path, without the root; empty unless `withStats`. */
  readonly entries: ReadonlyMap<string, Stats>;
};

export type ScanOptions = {
  readonly forbidden: PathPatterns;
  /** Those of them that do not name private keys. */
  readonly alwaysForbidden: PathPatterns;
  /** Whether private keys are looked for under other names, as a session begins. */
  readonly findsKeys: boolean;
  readonly protected: PathPatterns;
  /** Warder's own: a directory (its state) is masked, a file (a policy in the workspace) may be read but never written. */
  readonly own: ReadonlySet<string>;
  /** Other roots below this one, which are walked by themselves. */
  readonly skipped: ReadonlySet<string>;
  /** Whether a path would be visible inside: it lies in a root. */
  readonly isVisible: (path: string) => boolean;
  /** Shared by all roots of a session, so that the cap holds for their sum. */
  readonly count: { entries: number; measuredBytes: number; heads: number };
  readonly withStats: boolean;
  /** Files of this root that need not be read again; absent: nothing is remembered. */
  readonly keyless?: KeylessFiles | undefined;
  /**
   * `start`: what no mount can make safe is refused. `after`: a command ran since, in a bound workspace; what it
   * left is found, to be taken away, and its sockets are dead like itself.
   */
  readonly moment: "start" | "after";
  /** Is told what cannot be judged, and the walk goes on with the rest, so that what can be found is found; without it the walk throws. */
  readonly onUnjudged?: ((complaint: string) => void) | undefined;
};

/** Of files that are read as a session begins. Where there is more, the rest counts as private. */
const MAX_MEASURED_BYTES = 16 * 1024 ** 2;

/** Of files whose beginning is read as a session begins: a second's work, where nobody read them lately. */
const MAX_HEADS = 50_000;

/** Of the entries that a walk looks at which goes on behind {@link MAX_ENTRIES}. */
const MAX_WALKED = 10 * MAX_ENTRIES;

/**
 * Walks one root on the host without following a link. Throws `bad-configuration` for what no mount can
 * make safe: a socket that a command could connect to, a name that is not UTF-8, a link in the place of
 * a repository, more than {@link MAX_ENTRIES} entries.
 */
export function scanRoot(root: string, options: ScanOptions): Scan {
  const masked: Found[] = [];
  const keys: string[] = [];
  const shown: Shown[] = [];
  const guarded: Found[] = [];
  const aliased: Aliased[] = [];
  const entries = new Map<string, Stats>();
  const pending: { path: string; isGuarded: boolean }[] = [{ path: root, isGuarded: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of entriesOf(next.path, options)) {
      const path = `${next.path}/${entry.name}`;
      if (options.skipped.has(path)) continue;
      options.count.entries += 1;
      if (options.count.entries === MAX_ENTRIES + 1) fault(options, tooMany(path));
      if (options.count.entries > MAX_WALKED) return { masked, keys, shown, guarded, aliased, entries };
      // Node decodes names as UTF-8; what does not survive that can neither be matched nor mounted over.
      if (entry.name.includes("\uFFFD")) {
        fault(options, `${next.path} holds a name that is not UTF-8 (${makeVisibleLine(entry.name)}): it cannot be judged.`);
        continue;
      }
      const isOwn = options.own.has(path);
      const isForbidden = options.forbidden.covers(path);
      const publicParts = isForbidden && !isOwn && entry.isFile() ? publicPartsAt(path, options) : null;
      if (publicParts !== null) shown.push(publicParts);
      else if ((isOwn && entry.isDirectory()) || isForbidden) {
        const found = foundAt(path, entry, options.forbidden, options);
        masked.push(...found);
        if (!isOwn && !options.alwaysForbidden.covers(path)) keys.push(...found.map((each) => each.path));
        // Other names were looked for as the session began; after a command nobody asks for them.
        if (options.moment === "start") for (const { path: hiddenPath } of found) aliased.push(...aliasedIn(hiddenPath, { ...options, isOwn }));
        // A link is seen: what it leads to is hidden by a name of its own, or shown.
        if (found.length === 0) keepStats(entries, { path, stats: options.withStats ? statsOf(path, options) : null }, options);
        continue;
      }
      const isSearched = publicParts === null && !isOwn && entry.isFile() && isSearchedForKeys(path, options);
      const stats = options.withStats ? statsOf(path, options) : isSearched && options.keyless !== undefined ? statsIfPossible(path) : null;
      if (isSearched && isUnnamedKey(path, stats, options)) {
        masked.push({ path, type: "file" });
        keys.push(path);
        continue;
      }
      if (isRepositoryLink(entry) && options.moment === "after") {
        masked.push({ path, type: "file" });
        continue;
      }
      if (options.moment === "start") checkEntry(path, entry);
      let isGuarded = next.isGuarded;
      if (!isGuarded && publicParts === null && (isOwn || options.protected.covers(path))) {
        guarded.push(...foundAt(path, entry, options.protected, options));
        isGuarded = true;
      }
      keepStats(entries, { path, stats }, options);
      if (entry.isDirectory()) pending.push({ path, isGuarded });
    }
  }
  return { masked, keys, shown, guarded, aliased, entries };
}

/** Git's objects are compressed: no head of theirs says anything. */
function isSearchedForKeys(path: string, { findsKeys }: ScanOptions): boolean {
  return findsKeys && !path.includes("/.git/objects/");
}

/** A private key that no pattern names. */
function isUnnamedKey(path: string, stats: Stats | null, { count, keyless }: ScanOptions): boolean {
  if (stats !== null && keyless?.has(path, stats) === true) return false;
  if (count.heads > MAX_HEADS) return false;
  count.heads += 1;
  return holdsPrivateKeyAt(path, keyless ?? null);
}

/** What is measured is kept, and shown in the file's place: the file itself may become another one. After a command nothing is measured anew. */
function publicPartsAt(path: string, { moment, alwaysForbidden, count }: ScanOptions): Shown | null {
  if (moment === "after" || alwaysForbidden.covers(path) || count.measuredBytes > MAX_MEASURED_BYTES) return null;
  const found = smallFile(path, MAX_PUBLIC_BYTES);
  if (found === null) return null;
  count.measuredBytes += found.content.length;
  return isPublicOnly(found.content) ? { path, ...found } : null;
}

/** `isOwn`: in Warder's state, where a directory that nobody may read is a mask of a session, or what one left in quarantine. */
function entriesOf(directory: string, options: Pick<ScanOptions, "onUnjudged">, isOwn = false): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // Gone since it was listed.
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    // Somebody else's directory that we cannot read: the sandbox's user is no more than we are, and cannot change its mode.
    if (code === "EACCES" && (isOwn || lstatSync(directory).uid !== process.getuid?.())) return [];
    fault(options, `${directory} cannot be looked through: ${(error as Error).message}`);
    return [];
  }
}

function keepStats(entries: Map<string, Stats>, { path, stats }: { readonly path: string; readonly stats: Stats | null }, options: ScanOptions): void {
  if (!options.withStats || stats === null) return;
  if (options.count.entries <= MAX_ENTRIES || (stats.mode & SET_ID_BITS) !== 0) entries.set(path, stats);
}

/** In a directory of somebody else's, names may be listed and not looked at. */
function statsIfPossible(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return null;
    throw error;
  }
}

/** Null when it is gone since it was listed. */
function statsOf(path: string, options: ScanOptions): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    fault(options, `${path} cannot be looked at: ${(error as Error).message}`);
    return null;
  }
}

function foundAt(path: string, entry: Dirent, patterns: PathPatterns, options: ScanOptions): readonly Found[] {
  if (!entry.isSymbolicLink() || options.moment === "after") return [{ path, type: entry.isDirectory() ? "directory" : "file" }];
  // A mount on a link would land on its target. The target is hidden or held by its own name, or there is nothing to see.
  const target = targetOf(path);
  if (target !== null && options.isVisible(target) && !patterns.covers(target))
    refuse(`${path} is a link to ${target}, which the policy does not name: add a pattern for it.`);
  return [];
}

function targetOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ELOOP" || code === "ENOTDIR" || code === "EACCES") return null;
    throw error;
  }
}

type AliasSearch = { readonly count: ScanOptions["count"]; /** In Warder's state. */ readonly isOwn: boolean };

function aliasedIn(path: string, search: AliasSearch): readonly Aliased[] {
  const { count, isOwn } = search;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (!stats.isDirectory()) return stats.isFile() && stats.nlink > 1 ? [{ path, file: fileIdentity(stats) }] : [];
  const found: Aliased[] = [];
  for (const entry of entriesOf(path, {}, isOwn)) {
    count.entries += 1;
    if (count.entries > MAX_ENTRIES) refuse(tooMany(path));
    found.push(...aliasedIn(`${path}/${entry.name}`, search));
  }
  return found;
}

/** `device:inode`: equal for two names of one file. */
export function fileIdentity(stats: Pick<Stats, "dev" | "ino">): string {
  return `${String(stats.dev)}:${String(stats.ino)}`;
}

function tooMany(path: string): string {
  return `The roots hold more than ${String(MAX_ENTRIES)} entries (counted up to ${path}): name a smaller root.`;
}

function checkEntry(path: string, entry: Dirent): void {
  // A read-only mount does not stop a connect, and a FIFO has its other end on the host: both are ways out of the sandbox.
  if (entry.isSocket() || entry.isFIFO())
    refuse(`The ${entry.isSocket() ? "socket" : "pipe"} ${path} would be reachable from the sandbox: remove it, or forbid the path.`);
  // Its target would be a repository whose hooks no pattern names.
  if (isRepositoryLink(entry)) refuse(`${path} is a link: a repository must be a directory or a worktree's file.`);
}

function isRepositoryLink(entry: Dirent): boolean {
  return entry.isSymbolicLink() && entry.name.toLowerCase() === ".git";
}

function fault({ onUnjudged }: Pick<ScanOptions, "onUnjudged">, complaint: string): void {
  if (onUnjudged === undefined) refuse(complaint);
  onUnjudged(complaint);
}

function refuse(message: string): never {
  throw new AgentError("bad-configuration", message);
}
