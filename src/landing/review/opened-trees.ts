import { closeSync, existsSync } from "node:fs";
import type { Change } from "../../sandbox/runtime.ts";
import type { ApplyReport } from "../files/report.ts";
import { opaqueDirectories } from "../../sandbox/workspace/changes/list.ts";
import { hiddenIn } from "../../sandbox/workspace/changes/mask-layer.ts";
import type { Layers } from "../../sandbox/workspace/files/layers.ts";
import { openTree } from "../../sandbox/workspace/files/tree.ts";
import type { WorkspaceRecord } from "../../sandbox/workspace/record.ts";
import { layersOf, type Tree, treesOf } from "../../sandbox/workspace/trees.ts";
import type { FlaggedChange } from "./ranks.ts";
import type { OutsideReview } from "./outside.ts";

/** The open layers of a run's workspace, and of its repository where that changes outside. */
export type OpenedTrees = { readonly layers: Layers; readonly outside: OutsideReview | null };

/** The changes of a workspace, and those of the repository beside it. */
export type Flagged = { readonly inside: readonly FlaggedChange[]; readonly beside: readonly FlaggedChange[] };

export function partsOf(changes: readonly Change[]): { readonly inside: readonly Change[]; readonly beside: readonly Change[] } {
  return { inside: changes.filter(({ repository }) => repository === undefined), beside: changes.filter(({ repository }) => repository !== undefined) };
}

export function joined(one: ApplyReport, other: ApplyReport = { applied: [], refused: [] }): ApplyReport {
  return { applied: [...one.applied, ...other.applied], refused: [...one.refused, ...other.refused] };
}

/** What the workspace's overlay hides, by paths of the workspace. */
export function hiddenFrom(runDirectory: string, record: WorkspaceRecord): readonly string[] {
  const [workspace] = treesOf(runDirectory, record);
  const mask = workspace === undefined ? null : layersOf(workspace, record).mask;
  return mask === null ? [] : hiddenIn(mask);
}

/** Calls `use` with the open layers of each overlay; of one to which nothing was ever written there are none. */
export async function withOpenTrees<T>(
  runDirectory: string,
  record: WorkspaceRecord,
  use: (layers: readonly [Layers, ...Layers[]], trees: readonly Tree[]) => T | Promise<T>,
): Promise<T> {
  const trees = treesOf(runDirectory, record);
  const [workspace, ...others] = trees;
  if (workspace === undefined) throw new TypeError("A run has a workspace.");
  const descriptors: number[] = [];
  const open = (path: string): number => {
    const fd = openTree(path);
    descriptors.push(fd);
    return fd;
  };
  const layersIn = (tree: Tree): Layers => ({ upper: open(tree.upper), lower: open(tree.base), opaque: opaqueDirectories(layersOf(tree, record)) });
  try {
    const first = layersIn(workspace);
    return await use([first, ...others.filter(({ upper }) => existsSync(upper)).map(layersIn)], trees);
  } finally {
    for (const fd of descriptors) closeSync(fd);
  }
}
