import { type DirectoryFd, statEntry } from "./tree.ts";

/** The open directories of an overlay: what the run wrote, and the workspace below it. */
export type Layers = { readonly upper: DirectoryFd; readonly lower: DirectoryFd };

/** Whether the run removed a path, or a directory above it. It is so too where the workspace lost it meanwhile, and no change says so. */
export function isRemoved({ upper }: Layers, path: string): boolean {
  return [path, ...ancestorsOf(path)].some((each) => statEntry(upper, each)?.isCharacterDevice() === true);
}

/** The directories above a path, the nearest first. */
export function ancestorsOf(path: string): readonly string[] {
  const above: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) above.push(path.slice(0, end));
  return above;
}
