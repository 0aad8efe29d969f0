import { existsSync, fstatSync, realpathSync, rmSync, statSync } from "node:fs";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { isOwnerAlive } from "../../sandbox/owner.ts";
import type { Change } from "../../sandbox/runtime.ts";
import type { ApplyReport, MayWrite } from "../files/report.ts";
import { applyChanges } from "../files/apply.ts";
import { readJournals, UNNOTED } from "../../sandbox/workspace/changes/journal.ts";
import { mountsIn } from "../files/kept.ts";
import { withCommits } from "./commits.ts";
import { begunIn, diffChanges } from "./diff.ts";
import { claim, refuseOtherOwner, unmountBelow } from "../../sandbox/workspace/mounts/directories.ts";
import { flagged, holdingReason } from "./flags.ts";
import { groundOf } from "./ground.ts";
import type { FlaggedChange } from "./ranks.ts";
import { withGitNames } from "./named-by-git-config.ts";
import { type Guardian, type HoldRecord, holdMounts } from "../../sandbox/workspace/mounts/guardian.ts";
import { waitForEngine } from "../../sandbox/workspace/mounts/engine-mount.ts";
import { waitForImage } from "../../sandbox/workspace/mounts/image.ts";
import { endNamespace } from "../../sandbox/workspace/mounts/user-namespace.ts";
import { readManifest } from "../../sandbox/workspace/scan/manifest.ts";
import { owedFrom, readRecord, requireWorkspace, type WorkspaceRecord, workspacePaths, writeRecord } from "../../sandbox/workspace/record.ts";
import { loadBeginnings } from "../../sandbox/workspace/repository/beginnings.ts";
import { releaseLocks } from "../git/locks.ts";
import { finishRebase } from "../branches/rebased-layer.ts";
import { type BranchedRun, type BranchRequest, branchRun, journaled, rebaseChanges, type RebaseReport, repositoryLanding } from "./landing.ts";
import { type Flagged, hiddenFrom, joined, type OpenedTrees, partsOf, withOpenTrees } from "./opened-trees.ts";
import { nothingLands, outsideReview } from "./outside.ts";
import { refuseOpenRewind } from "../../sandbox/workspace/open-rewind.ts";
import { changesOf, isUnchanged } from "../../sandbox/workspace/changes/landed.ts";
import { settleUndone } from "../files/recover.ts";
import { reapKept, retire } from "../../sandbox/workspace/changes/set-aside.ts";
import { lockRecord, withoutGuardians } from "../../sandbox/workspace/mounts/run-lock.ts";
import { lookAtMany } from "../../sandbox/workspace/files/tree.ts";
import { bringBack } from "../../sandbox/workspace/transport/bring-back.ts";
import { createSecretScan } from "../../sandbox/workspace/files/secret-scan.ts";
import { choose, listed, nameTest } from "./selection.ts";
import { takeBack } from "./take-back.ts";

export { type Flag, type FlaggedChange, groupsOf } from "./ranks.ts";
export type { RebaseReport } from "./landing.ts";
export { unnamedFlagged } from "./selection.ts";

/** The changes of one run's transactional workspace. Relative paths and globs choose among them (selection.ts); none mean all. */
export type Review = {
  readonly record: WorkspaceRecord;
  list(): readonly Change[];
  /** With what a person should know of each. Throws `usage` for a path that no change matches. */
  flagged(paths?: readonly string[]): Promise<readonly FlaggedChange[]>;
  /** Unified diff, at most `maxBytes`. Names are safe to print, content is not: a terminal wants it made visible. */
  diff(maxBytes: number, paths?: readonly string[]): Promise<string>;
  apply(judge: Judge): Promise<ApplyReport>;
  /** Puts all of it on a new branch, and touches neither checkout nor index. */
  branch(request: BranchRequest): Promise<BranchedRun>;
  /** Writes down what an interrupted landing did, and lands nothing more. */
  settle(): Promise<void>;
};

export type Judge = {
  /** Takes an absolute path and says why it must not be written, or null. */
  readonly mayWrite: MayWrite;
  /** What is to land. What holds a secret, or is mostly a hole, does only when its own path is among them. */
  readonly paths?: readonly string[];
};

export type ReviewOptions = {
  /** Values that Warder knows, by the names that stand for them. */ readonly secrets?: ReadonlyMap<string, string> | undefined;
  /** Ends sandboxes whose owner is dead, where they are the engine's: asked for when one still has the changes. */ readonly endSandboxes?:
    | (() => Promise<readonly string[]>)
    | undefined;
  /** Something is to be taken back. */ readonly isUndo?: boolean | undefined;
  /** Longest list of changes, where that is another than usual. */ readonly maxListBytes?: number | undefined;
};

/** A review of changes whose layers are mounted already. */
export function reviewOf(runDirectory: string, record: WorkspaceRecord, { secrets = new Map(), maxListBytes }: ReviewOptions = {}): Review {
  const paths = workspacePaths(runDirectory);
  const scan = createSecretScan(secrets);
  const list = (): readonly Change[] => changesOf(runDirectory, record, maxListBytes);
  const flaggedIn = async ({ layers, outside }: OpenedTrees, named: readonly string[]): Promise<Flagged> => {
    const all = list();
    const { inside, beside } = partsOf(choose(all, named, "apply"));
    const ground = groundOf({ workspace: record.workspace, layers, secrets: scan }, paths.manifest, partsOf(all).inside);
    const place = { workspace: record.workspace, layers, scratch: paths.check, beginnings: loadBeginnings(paths.beginnings) };
    const looked = lookAtMany(() => inside.map((change) => flagged(change, ground)));
    return {
      inside: await withCommits(withGitNames(looked, record.workspace), place),
      beside: beside.length === 0 ? [] : ((await outside?.flagged(beside, inside)) ?? []),
    };
  };
  const land = async ({ layers, outside }: OpenedTrees, { inside, beside }: ReturnType<typeof partsOf>, judge: Judge): Promise<ApplyReport> => {
    const { mayWrite, paths: named = [] } = judge;
    const hidden = hiddenFrom(runDirectory, record);
    const manifest = readManifest(paths.manifest);
    const isOwnName = nameTest(named);
    const heldBack = (change: Change): string | null => (isOwnName(change.path) ? null : holdingReason(change, { layers, secrets: scan }));
    const owner = fstatSync(layers.lower).uid;
    const ground = { workspace: record.workspace, layers, manifest, mayWrite, mounts: mountsIn(record.workspace), owner, isNamed: isOwnName };
    const journals = readJournals(paths.undo);
    await releaseLocks(journals.flatMap(({ locks }) => locks));
    settleUndone(journals, { layers, manifest });
    return await journaled({ runDirectory, what: "landing", manifest }, async (journal) => {
      const landRepository = repositoryLanding({ runDirectory, record, layers, named, secrets: scan, hidden, journal });
      const report = await applyChanges(inside, { ...ground, upper: paths.upper, journal, direction: "apply", heldBack, landRepository });
      return joined(report, beside.length === 0 ? undefined : await outside?.land(beside, { mayWrite, named, hidden, journal }));
    });
  };
  const opened = <T>(use: (opened: OpenedTrees) => Promise<T>): Promise<T> =>
    withOpenTrees(runDirectory, record, ([layers, outsideLayers], [, tree]) => {
      const linked = tree?.repository ?? null;
      const isThere = tree !== undefined && linked !== null && outsideLayers !== undefined;
      const outside = isThere ? outsideReview({ tree, linked, layers: outsideLayers, workspaceLayers: layers, runDirectory, record, scan }) : null;
      return use({ layers, outside });
    });
  return {
    record,
    list,
    flagged: (named = []) =>
      opened(async (trees) => {
        const { inside, beside } = await flaggedIn(trees, named);
        return [...inside, ...beside];
      }),
    diff: (maxBytes, named = []) =>
      opened(async (trees) => {
        const { inside, beside } = await flaggedIn(trees, named);
        const begun = await begunIn(runDirectory, record, inside);
        const text = diffChanges(inside, { ...trees.layers, begun, hidden: hiddenFrom(runDirectory, record) }, maxBytes);
        return beside.length === 0 ? text : text + (trees.outside?.diff(beside, Math.max(0, maxBytes - Buffer.byteLength(text))) ?? "");
      }),
    branch: (request) =>
      opened(async ({ layers, outside }) => {
        requireWorkspace(record);
        const { inside, beside } = partsOf(list());
        const heldBack = (change: Change): string | null => holdingReason(change, { layers, secrets: scan });
        const hidden = hiddenFrom(runDirectory, record);
        await releaseLocks(readJournals(paths.undo).flatMap(({ locks }) => locks));
        return journaled({ runDirectory, what: "branch" }, async (journal) => {
          const beyond = outside?.landing(beside, { mayWrite: request.mayWrite, named: [], hidden, journal }) ?? null;
          return branchRun({ runDirectory, record, layers, secrets: scan, named: [], hidden, journal }, { inside, beyond }, { ...request, heldBack });
        });
      }),
    apply: ({ mayWrite, paths: named = [] }) =>
      opened(async ({ layers, outside }) => {
        requireWorkspace(record);
        const selected = choose(list(), named, "apply");
        const parts = partsOf(selected);
        const judge = { mayWrite, named, hidden: hiddenFrom(runDirectory, record), journal: UNNOTED };
        const fault = named.length === 0 && parts.beside.length > 0 ? ((await outside?.fault(parts.beside, judge)) ?? null) : null;
        if (fault !== null) return nothingLands(selected, record.repository?.path ?? "", fault);
        return await land({ layers, outside }, parts, { mayWrite, paths: named });
      }),
    settle: () => opened((trees) => land(trees, partsOf([]), { mayWrite: () => null })).then(() => undefined),
  };
}

/** A review of a run that has ended; `close` must be called. */
export type ClosedReview = Review & {
  /**
   * Throws changes away, and returns them; the workspace is never touched. The rest stays to be reviewed. Null: all of them, where
   * they cannot be listed.
   */
  discard(paths?: readonly string[]): Promise<readonly Change[] | null>;
  /** What landed or was discarded as a whole waits for a review again. */
  revive(): void;
  /** Brings all of it onto where its branch is now; no file of the workspace is touched. Throws `usage` where that cannot be. */
  rebase(): Promise<RebaseReport>;
  /** Unmounts what the review needed; forgets a run without any change left. Idempotent. */
  close(): Promise<void>;
};

/** What a run left, or null; `isUndo`: also what was set aside. Throws `usage` while it is going, or when its workspace is gone, or a link. */
function keptRecord(runDirectory: string, { isUndo = false }: ReviewOptions): WorkspaceRecord | null {
  refuseOpenRewind(runDirectory);
  const record = readRecord(runDirectory);
  if (record === null || (record.state === "discarded" && !isUndo)) return null;
  if (record.state === "open" && isOwnerAlive(record.owner))
    throw new AgentError("usage", `${record.runId} is still going: its changes can be reviewed when it has ended.`);
  if (statSync(record.workspace, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new AgentError(
      "usage",
      `The workspace ${record.workspace} of ${record.runId} is gone. Its changes are kept in ${runDirectory} until it is there again.`,
    );
  const real = realpathSync(record.workspace);
  if (real !== record.workspace)
    throw new AgentError(
      "usage",
      `The workspace ${record.workspace} of ${record.runId} is reached through a link now, to ${real}: what its changes lie on must be there itself. They are kept.`,
    );
  return record;
}

/**
 * Opens the changes that a run left in its directory, for `list`, `diff`, `apply` and `discard`. Null when
 * there are none. Throws `usage` while the run is still going.
 */
export async function openChanges(runDirectory: string, options: ReviewOptions = {}): Promise<ClosedReview | null> {
  const paths = workspacePaths(runDirectory);
  const before = keptRecord(runDirectory, options);
  if (before === null) return null;
  const left = owedFrom(before);
  if (left !== null) await bringBack(runDirectory, left, options.endSandboxes);
  refuseOtherOwner(paths.owner);
  // Under the lock, so that what the record says is still so when this process has made the run its own.
  const record = await withoutGuardians(runDirectory, () => {
    const kept = keptRecord(runDirectory, options);
    if (kept === null) return null;
    claim(paths.owner);
    unmountBelow(paths.base);
    return kept;
  });
  if (record === null) return null;
  let guardian: Guardian | null = null;
  try {
    await waitForImage(record, options.endSandboxes);
    await waitForEngine(record, options.endSandboxes);
    await endNamespace(record);
    const mounts: readonly HoldRecord[] = record.image === null || !existsSync(record.image) ? [] : [["image", record.image, paths.layers]];
    guardian = await holdMounts([lockRecord(runDirectory), ...mounts]);
    await finishRebase(paths);
  } catch (error) {
    await guardian?.release();
    rmSync(paths.owner, { force: true });
    throw error;
  }
  /** What is written down last is so before another process may make the run its own. */
  const end = async (conclude: () => void): Promise<void> => {
    try {
      await guardian?.release();
      conclude();
    } finally {
      rmSync(paths.owner, { force: true });
    }
  };
  const review = reviewOf(runDirectory, record, options);
  let isRevived = record.state !== "discarded";
  let closing: Promise<void> | null = null;
  /** Something was seen since anything was done with the changes: it need not be looked for again. */
  let hasSeen = false;
  const seeing = <Items extends readonly unknown[]>(seen: Items): Items => {
    hasSeen = seen.length > 0;
    return seen;
  };
  const doing = <T>(act: () => T): T => {
    hasSeen = false;
    return act();
  };
  const close = async (): Promise<void> => {
    let isEmpty = false;
    try {
      isEmpty = !hasSeen && (!existsSync(paths.upper) || isUnchanged(runDirectory, record, options.maxListBytes));
    } finally {
      await end(() => {
        if (isEmpty) retire(runDirectory, record);
        else writeRecord(runDirectory, { ...record, state: isRevived ? "closed" : "discarded" });
        if (options.isUndo === true) reapKept(runDirectory, systemClock.nowMs());
      });
    }
  };
  return {
    ...review,
    list: () => seeing(review.list()),
    flagged: async (named) => seeing(await review.flagged(named)),
    apply: (judge) => doing(() => review.apply(judge)),
    branch: (request) => doing(() => review.branch(request)),
    settle: () => doing(() => review.settle()),
    rebase: () => doing(() => rebaseChanges(runDirectory, record, review.list())),
    discard: async (named = []) => {
      hasSeen = false;
      const all = named.length === 0 ? listed(() => review.list()) : review.list();
      const selected = all === null ? null : choose(all, named, "discard");
      if (all !== null && selected !== null && selected.length < all.length) return takeBack(selected, runDirectory, record);
      await journaled({ runDirectory, what: "discard" }, () => Promise.resolve());
      closing ??= end(() => {
        retire(runDirectory, record);
      });
      await closing;
      return selected;
    },
    revive: () => {
      isRevived = true;
      writeRecord(runDirectory, { ...record, state: "closed" });
    },
    close: () => (closing ??= close()),
  };
}
