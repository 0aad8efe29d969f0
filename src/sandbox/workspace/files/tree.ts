import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readlinkSync, type Stats } from "node:fs";

// Whatever lies in a workspace may have been put there by a command, so no path of it is ever handed to the kernel in one piece: each
// component is opened by itself, without following a link, below the descriptor of the one before (through /proc/self/fd, as Node has no
// openat). What a descriptor points at cannot be exchanged any more.

/** A directory's descriptor; whoever opens it closes it. */
export type DirectoryFd = number;

const DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** The name of an entry of an open directory, for calls that do not follow a link in the last component. */
export function entryOf(directory: DirectoryFd, name: string): string {
  if (name === "" || name === "." || name === ".." || name.includes("/")) throw new TypeError(`"${name}" is no name of an entry.`);
  return `/proc/self/fd/${String(directory)}/${name}`;
}

/** Opens a directory by a path of our own making. Throws the system's error. */
export function openTree(path: string): DirectoryFd {
  return openSync(path, DIRECTORY_FLAGS);
}

/** The directory `names` below `root`, or null when one of them is missing, a link, or no directory. The result is always a new descriptor. */
export function openDirectory(root: DirectoryFd, names: readonly string[]): DirectoryFd | null {
  let directory = openSync(`/proc/self/fd/${String(root)}`, constants.O_RDONLY | constants.O_DIRECTORY);
  for (const name of names) {
    let next: DirectoryFd | null;
    try {
      next = openIfThere(entryOf(directory, name), DIRECTORY_FLAGS);
    } finally {
      closeSync(directory);
    }
    if (next === null) return null;
    directory = next;
  }
  return directory;
}

/** A regular file; whoever opens it closes it. */
export type OpenFile = { readonly fd: number; readonly stats: Stats };

/** Opens a regular file for reading, or null when there is none. Never waits for a FIFO's other end. */
export function openFile(directory: DirectoryFd, name: string): OpenFile | null {
  const fd = openUnnoticed(entryOf(directory, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (fd === null) return null;
  const stats = fstatSync(fd);
  if (stats.isFile()) return { fd, stats };
  closeSync(fd);
  return null;
}

/** Of each root the directory that was opened last, while somebody looks at many files, and whether one is in use. */
let opened: { readonly directories: Map<DirectoryFd, { readonly path: string; readonly fd: DirectoryFd }>; isInUse: boolean } | null = null;

/**
 * Looks at many files, and opens a directory once for those that lie in it. What `look` sees of a directory is what its path named when it was opened, so it
 * decides nothing that is not looked at again where it is done. It makes, moves and removes no directory.
 */
export function lookAtMany<T>(look: () => T): T {
  if (opened !== null) return look();
  opened = { directories: new Map(), isInUse: false };
  try {
    return look();
  } finally {
    for (const { fd } of opened.directories.values()) closeSync(fd);
    opened = null;
  }
}

/** Calls `use` with the open parent of a relative path and the last name; null when the parent is not there. */
export function withParent<T>(root: DirectoryFd, path: string, use: (parent: DirectoryFd, name: string) => T): T | null {
  const names = path.split("/");
  const name = names.pop() ?? "";
  const kept = opened?.isInUse === false ? opened : null;
  if (kept === null) return withOwnParent(root, names, (parent) => use(parent, name));
  const directory = path.slice(0, path.length - name.length);
  const last = kept.directories.get(root);
  const parent = last?.path === directory ? last.fd : openDirectory(root, names);
  if (parent === null) return null;
  if (parent !== last?.fd) {
    if (last !== undefined) closeSync(last.fd);
    kept.directories.set(root, { path: directory, fd: parent });
  }
  kept.isInUse = true;
  try {
    return use(parent, name);
  } finally {
    kept.isInUse = false;
  }
}

function withOwnParent<T>(root: DirectoryFd, names: readonly string[], use: (parent: DirectoryFd) => T): T | null {
  const parent = openDirectory(root, names);
  if (parent === null) return null;
  try {
    return use(parent);
  } finally {
    closeSync(parent);
  }
}

/** The entry itself, links not followed; null when it is not there. */
export function statEntry(root: DirectoryFd, path: string): Stats | null {
  return withParent(root, path, (parent, name) => ifThere(() => lstatSync(entryOf(parent, name), { throwIfNoEntry: false }) ?? null));
}

/** What a link points at; null when there is no link. */
export function linkTarget(root: DirectoryFd, path: string): string | null {
  return withParent(root, path, (parent, name) => ifThere(() => readlinkSync(entryOf(parent, name))));
}

/** Names in a directory; none when it is not there. */
export function namesIn(root: DirectoryFd, path: string): readonly string[] {
  const directory = openDirectory(root, path === "" ? [] : path.split("/"));
  if (directory === null) return [];
  try {
    return readdirSync(`/proc/self/fd/${String(directory)}`);
  } finally {
    closeSync(directory);
  }
}

/** Without a time of access, where the file is ours to say so: who looks at a file need not wait for the disk to write down that they did. */
function openUnnoticed(path: string, flags: number): number | null {
  try {
    return openIfThere(path, flags | constants.O_NOATIME);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    return openIfThere(path, flags);
  }
}

function openIfThere(path: string, flags: number): number | null {
  return ifThere(() => openSync(path, flags));
}

/** ELOOP and EINVAL: a link, or none. ENXIO: a socket. ENAMETOOLONG: nothing can have such a name, which a commit or an index of a run may. */
const ABSENT: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EINVAL", "ENXIO", "ENAMETOOLONG"]);

function ifThere<T>(call: () => T): T | null {
  try {
    return call();
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}
