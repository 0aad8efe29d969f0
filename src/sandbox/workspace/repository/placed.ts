import { join } from "node:path";
import type { LinkedRepository } from "../../runtime.ts";
import { readBytes } from "../files/content.ts";
import type { Layers } from "../files/layers.ts";
import type { DirectoryFd } from "../files/tree.ts";
import { gitDirectoryOf } from "../scan/linked-repository.ts";
import { type GitNames, PLAIN_NAMES } from "./names.ts";

/** A repository that is a root of its own. */
export type Outside = {
  readonly linked: LinkedRepository;
  /** The directory of the machine that its paths are relative to, and what lies below that. */
  readonly base: string;
  readonly layers: Layers;
  readonly names: GitNames;
};

/** What says where a repository's files lie. */
export type Placed = {
  readonly workspace: string;
  readonly layers: Layers;
  /** Relative to the workspace. */
  readonly repository: string;
  /** Where its files lie, if that is outside the workspace. */
  readonly outside?: Outside;
};

/** The layers in which its files are, and by which path there. */
export function filesOf({ layers, outside }: Placed): Layers {
  return outside?.layers ?? layers;
}

export function placeOf({ repository, outside }: Pick<Placed, "repository" | "outside">, file: string): string {
  return (outside?.names ?? PLAIN_NAMES).placed(`${repository}/${file}`);
}

/** The file that a change is one of, as it is called in an ordinary repository. */
export function fileOf({ repository, outside }: Pick<Placed, "repository" | "outside">, path: string): string {
  return (outside?.names ?? PLAIN_NAMES).plain(path).slice(repository.length + 1);
}

/** Git's own directory of it on this machine: of a linked worktree, that worktree's. */
export function directoryOf({ workspace, repository, outside }: Placed): string {
  return outside === undefined ? join(workspace, repository) : gitDirectoryOf(outside.linked);
}

export const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** The whole of a text file; null when there is none, or it is larger than any that git writes: a part would be judged for the whole. */
export function textOf(root: DirectoryFd, path: string): string | null {
  const bytes = readBytes(root, path, MAX_TEXT_BYTES + 1);
  return bytes === null || bytes.byteLength > MAX_TEXT_BYTES ? null : Buffer.from(bytes).toString();
}
