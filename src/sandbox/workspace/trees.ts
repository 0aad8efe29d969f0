import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { LinkedRepository } from "../runtime.ts";
import type { ListedLayers } from "./changes/list.ts";
import { type workspacePaths as WorkspacePaths, workspacePaths, type WorkspaceRecord } from "./record.ts";

/** One overlay of a run, of its workspace or of the repository beside it: a directory of the machine, and where its layers lie. */
export type Tree = {
  readonly root: string;
  /** What the paths of its changes begin below: the workspace itself, or the directory that the repository lies in. */
  readonly base: string;
  /** What stands for `base` among what the run wrote, and among what is hidden from it. */
  readonly upper: string;
  readonly mask: string;
  /** The same of `root`. */
  readonly rootUpper: string;
  readonly rootMask: string;
  readonly work: string;
  /** Where the root is shown as another user's, if it must be, and where the overlay is. */
  readonly lower: string;
  readonly merged: string;
  /** What landed of its repositories. */
  readonly landed: string;
  /** Null: it is the workspace. */
  readonly repository: LinkedRepository | null;
};

/** The workspace's first. */
export function treesIn(paths: ReturnType<typeof WorkspacePaths>, workspace: string, repository: LinkedRepository | undefined): readonly Tree[] {
  const { upper, mask, work, lower, merged, landed } = paths;
  const own = { root: workspace, base: workspace, upper, mask, rootUpper: upper, rootMask: mask, work, lower, merged, landed, repository: null };
  return repository === undefined ? [own] : [own, repositoryTree(paths, repository)];
}

function repositoryTree(paths: ReturnType<typeof WorkspacePaths>, repository: LinkedRepository): Tree {
  const { path: root } = repository;
  const name = basename(root);
  const upper = join(paths.repository, "upper");
  const mask = join(paths.repository, "mask");
  return {
    root,
    base: dirname(root),
    upper,
    mask,
    rootUpper: join(upper, name),
    rootMask: join(mask, name),
    work: join(paths.repository, "work"),
    lower: paths.repositoryLower,
    merged: paths.repositoryMerged,
    landed: paths.repositoryLanded,
    repository,
  };
}

export function treesOf(runDirectory: string, { workspace, repository }: Pick<WorkspaceRecord, "workspace" | "repository">): readonly Tree[] {
  return treesIn(workspacePaths(runDirectory), workspace, repository);
}

/** Where what the run wrote lies, for each. */
export function uppersOf(runDirectory: string, record: Pick<WorkspaceRecord, "workspace" | "repository">): readonly string[] {
  return treesOf(runDirectory, record).map(({ rootUpper }) => rootUpper);
}

/** Where the layers of an overlay lie, and in which attributes its marks are. */
export function layersOf({ upper, base, mask }: Tree, { mounter }: Pick<WorkspaceRecord, "mounter">): ListedLayers {
  const isMarkedByUser = mounter !== undefined;
  return { upper, lower: base, attributes: isMarkedByUser ? "user" : "trusted", mask: isMarkedByUser && existsSync(mask) ? mask : null };
}
