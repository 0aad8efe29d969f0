import { closeSync, fstatSync, mkdirSync } from "node:fs";
import { guarded } from "../../store/files/fault.ts";
import type { Change } from "../../sandbox/runtime.ts";
import type { ApplyReport } from "../files/report.ts";
import { type ApplyPlan, applyChanges } from "../files/apply.ts";
import { type Before, journalPaths, UNNOTED, type Written } from "../../sandbox/workspace/changes/journal.ts";
import { mountsIn } from "../files/kept.ts";
import { digestOfFile, planChange } from "../files/plan.ts";
import { isAsBefore } from "../files/recover.ts";
import { type DirectoryFd, linkTarget, openTree, statEntry } from "../../sandbox/workspace/files/tree.ts";

// An undo of files is a landing in the other direction: what was kept is the layer that lands, and what had landed is what the workspace began from.

/** What would have to be done to each path for it to be as it was, sorted by path. */
export function filesOf({ paths, after }: Written): readonly Change[] {
  const changes = [...(after ?? [])].flatMap(([path, landed]): readonly Change[] => {
    const before = paths.get(path) ?? null;
    const goes = { path, kind: "deleted", type: typeOf(landed), size: 0, mode: 0 } as const;
    if (before === null) return [goes];
    const comes = { path, type: before.type, size: sizeIn(before), mode: before.mode };
    if (landed === null) return [{ ...comes, kind: "added" }];
    if (typeOf(landed) !== before.type) return [goes, { ...comes, kind: "added" }];
    return [{ ...comes, kind: before.digest === undefined && before.type !== "link" ? "mode" : "modified" }];
  });
  return changes.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** manifest.ts: type, inode, size, mtime, ctime. */
function typeOf(signature: string | null): Change["type"] {
  return signature?.startsWith("d") === true
    ? "directory"
    : signature?.startsWith("f") === true
      ? "file"
      : signature?.startsWith("l") === true
        ? "link"
        : "other";
}

function sizeIn({ type, signature }: NonNullable<Before>): number {
  return type === "file" ? Number(signature.split(" ")[2]) : 0;
}

export type FilesBackward = {
  /** What stands in the way. */ readonly refused: ApplyReport["refused"];
  /** Makes them as they were; those that already are so are left alone. */ perform(): Promise<ApplyReport>;
  close(): void;
};

/** How files of a landing would be made as they were, now. Nothing is written. */
export async function filesBackward(changes: readonly Change[], written: Written, workspace: string): Promise<FilesBackward> {
  const { kept } = journalPaths(written.directory);
  // Where somebody removed it, nothing was kept: what lies in the workspace is not taken for it.
  guarded("store-unavailable", `${kept} cannot be made`, () => mkdirSync(kept, { recursive: true, mode: 0o700 }));
  const lower = openTree(workspace);
  const upper = openTree(kept);
  const plan = planOf(written, { workspace, layers: { upper, lower }, upper: kept });
  // What an earlier undo did is looked at before anything is judged.
  if (written.isUndoing) await applyChanges([], plan);
  const waiting = changes.filter(({ path }) => !isAsBefore(lower, path, written.paths.get(path) ?? null));
  const refused = waiting.flatMap((change) => {
    const reason = lostReason(change, written, upper) ?? planChange(change, plan);
    return typeof reason === "string" ? [{ change, reason }] : [];
  });
  return {
    refused,
    perform: async () => {
      const report = await applyChanges(waiting, { ...plan, journal: { ...plan.journal, begun: [] } });
      const done = changes.filter((change) => !waiting.includes(change));
      return { applied: [...done, ...report.applied], refused: report.refused };
    },
    close: () => {
      closeSync(upper);
      closeSync(lower);
    },
  };
}

function planOf({ directory, paths, after, isUndoing }: Written, place: Pick<ApplyPlan, "workspace" | "layers" | "upper">): ApplyPlan {
  return {
    ...place,
    manifest: new Map([...(after ?? [])].flatMap(([path, signature]) => (signature === null ? [] : [[path, signature] as const]))),
    mayWrite: () => null,
    mounts: mountsIn(place.workspace),
    owner: fstatSync(place.layers.lower).uid,
    isNamed: () => true,
    undo: (path) => paths.get(path) ?? null,
    heldBack: () => null,
    journal: { directory, kept: null, begun: isUndoing ? [...paths.keys()] : [], note: () => undefined, ...UNNOTED },
    direction: "undo",
    landRepository: () => Promise.reject(new TypeError("A repository is taken back by git.")),
  };
}

/** Paths of what a landing replaced and did not keep: it cannot be taken back. */
export function unkeptIn(written: Written): readonly string[] {
  const kept = openTree(journalPaths(written.directory).kept);
  try {
    const unkept = filesOf(written).filter((change) => absentReason(change, kept) !== null);
    return unkept.map(({ path }) => path);
  } finally {
    closeSync(kept);
  }
}

/** Why what was there cannot be had again, or null. */
function lostReason(change: Change, { paths }: Written, kept: DirectoryFd): string | null {
  const { path, kind, type } = change;
  const absent = absentReason(change, kept);
  if (absent !== null || kind === "deleted" || kind === "mode" || type === "directory") return absent;
  const before = paths.get(path);
  const isSame = type === "link" ? before?.target === linkTarget(kept, path) : before?.digest === digestOfFile(kept, path);
  return isSame ? null : "What was kept of it is damaged: it is not what was there.";
}

function absentReason({ path, kind, type }: Change, kept: DirectoryFd): string | null {
  if (kind === "deleted" || kind === "mode") return null;
  if (type === "other") return "It was a device, a pipe or a socket, which is not kept.";
  const found = statEntry(kept, path);
  if (type === "directory") return found?.isDirectory() === true ? null : "What it was is not kept.";
  if (type === "link") return found?.isSymbolicLink() === true ? null : "What it was is not kept.";
  if (found?.isFile() === true) return null;
  return "What it was is not kept: it could not be copied, was larger than what is kept, or somebody removed it from Warder's state.";
}
