import { type DirectoryFd, statEntry } from "./tree.ts";

export type Layers = {
  /** The open directories of an overlay: what the run wrote, and the workspace below it. */
  readonly upper: DirectoryFd;
  readonly lower: DirectoryFd;
  /** Directories of the upper one that show nothing of the lower one. Absent: no overlay made it. */
  readonly opaque?: () => ReadonlySet<string>;
};

/**
 * Whether a file that was in the workspace is not in the run's view: the run removed it or a directory above it, or put something else in the place of one of
 * them. It is so too where the workspace lost it meanwhile, and no change says so.
 */
export function isRemoved({ upper, opaque }: Layers, path: string): boolean {
  const own = statEntry(upper, path);
  if (own !== null) return !own.isFile() && !own.isSymbolicLink();
  for (const above of ancestorsOf(path)) {
    const stats = statEntry(upper, above);
    if (stats !== null && (!stats.isDirectory() || opaque?.().has(above) === true)) return true;
  }
  return false;
}

/** The directories above a path, the nearest first. */
export function ancestorsOf(path: string): readonly string[] {
  const above: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) above.push(path.slice(0, end));
  return above;
}
