import { closeSync, rmSync } from "node:fs";
import { AgentError } from "../../base/errors.ts";
import { isOwnerAlive } from "../owner.ts";
import type { ApplyReport, Change } from "../runtime.ts";
import { applyChanges } from "./apply.ts";
import { listChanges } from "./changes.ts";
import { diffChanges } from "./diff.ts";
import { claim, removeTree, unmountBelow } from "./directories.ts";
import { type Guardian, holdMounts } from "./guardian.ts";
import { waitForImage } from "./image.ts";
import { readManifest, writeManifest } from "./manifest.ts";
import { readRecord, type WorkspaceRecord, workspacePaths, writeRecord } from "./record.ts";
import { openTree } from "./tree.ts";

/** The changes of one run's transactional workspace. */
export type Review = {
  readonly record: WorkspaceRecord;
  list(): readonly Change[];
  /** Unified diff, at most `maxBytes`. Names are safe to print, content is not: a terminal wants it made visible. */
  diff(maxBytes: number): Promise<string>;
  /** `mayWrite` takes an absolute path and says why it must not be written, or null. */
  apply(mayWrite: (path: string) => string | null): Promise<ApplyReport>;
};

/** A review of changes whose layers are mounted already. */
export function reviewOf(runDirectory: string, record: WorkspaceRecord): Review {
  const paths = workspacePaths(runDirectory);
  const list = (): readonly Change[] => listChanges(paths.upper, record.workspace);
  const withLayers = async <T>(use: (layers: { upper: number; lower: number }) => T | Promise<T>): Promise<T> => {
    const upper = openTree(paths.upper);
    try {
      const lower = openTree(record.workspace);
      try {
        return await use({ upper, lower });
      } finally {
        closeSync(lower);
      }
    } finally {
      closeSync(upper);
    }
  };
  return {
    record,
    list,
    diff: (maxBytes) => withLayers((layers) => diffChanges(list(), layers, maxBytes)),
    apply: (mayWrite) =>
      withLayers(async (layers) => {
        const manifest = readManifest(paths.manifest);
        try {
          return await applyChanges(list(), { workspace: record.workspace, upper: paths.upper, layers, manifest, mayWrite });
        } finally {
          writeManifest(paths.manifest, manifest);
        }
      }),
  };
}

/** A review of a run that has ended; `close` must be called. */
export type ClosedReview = Review & {
  /** Throws away every change. The workspace was never touched. */
  discard(): Promise<void>;
  /** Unmounts what the review needed; forgets a run without any change left. Idempotent. */
  close(): Promise<void>;
};

/**
 * Opens the changes that a run left in its directory, for `list`, `diff`, `apply` and `discard`. Null when
 * there are none. Throws `usage` while the run is still going.
 */
export async function openChanges(runDirectory: string): Promise<ClosedReview | null> {
  const record = readRecord(runDirectory);
  if (record === null || record.state === "discarded") return null;
  if (record.state === "open" && isOwnerAlive(record.owner))
    throw new AgentError("usage", `${record.runId} is still going: its changes can be reviewed when it has ended.`);
  const paths = workspacePaths(runDirectory);
  claim(paths.owner);
  let guardian: Guardian | null = null;
  try {
    unmountBelow(paths.base);
    if (record.image !== null) await waitForImage(record.image);
    guardian = record.image === null ? null : await holdMounts([["image", record.image, paths.layers]]);
  } catch (error) {
    rmSync(paths.owner, { force: true });
    throw error;
  }
  const end = async (): Promise<void> => {
    await guardian?.release();
    rmSync(paths.owner, { force: true });
  };
  const review = reviewOf(runDirectory, record);
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    const isEmpty = review.list().length === 0;
    await end();
    if (isEmpty) forgetChanges(runDirectory, record);
    else writeRecord(runDirectory, { ...record, state: "closed" });
  };
  return {
    ...review,
    discard: async () => {
      closing ??= end();
      await closing;
      forgetChanges(runDirectory, record);
    },
    close: () => (closing ??= close()),
  };
}

/** Removes the layers and keeps a record that says so. Nothing may be mounted any more. */
export function forgetChanges(runDirectory: string, record: WorkspaceRecord): void {
  const paths = workspacePaths(runDirectory);
  writeRecord(runDirectory, { ...record, state: "discarded" });
  for (const path of [paths.layers, paths.image, paths.manifest, paths.lower, paths.merged, paths.roots]) removeTree(path);
}
