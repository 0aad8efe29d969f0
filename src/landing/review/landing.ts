import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { type Begun, endJournal, type Journal, layersIdOf, openJournal } from "../../sandbox/workspace/changes/journal.ts";
import { conflictReason, mountsIn } from "../files/kept.ts";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { type Conflicts, type Rebased, rebaseRun } from "../branches/rebase.ts";
import { finishRebase, newStaging, settleRebase } from "../branches/rebased-layer.ts";
import { blobId } from "../../sandbox/workspace/files/content.ts";
import { statEntry } from "../../sandbox/workspace/files/tree.ts";
import { formatOf, topOf } from "../git/checking-repository.ts";
import { innerFirst, madeInSubmodules } from "../files/repository-unit.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { readManifest, signatureOf } from "../../sandbox/workspace/scan/manifest.ts";
import { hiddenFrom, withOpenTrees } from "./opened-trees.ts";
import { noteLanded } from "../../sandbox/workspace/changes/landed.ts";
import type { ApplyPlan } from "../files/apply.ts";
import { reasonAgainst } from "../files/plan.ts";
import type { Layers } from "../../sandbox/workspace/files/layers.ts";
import type { SecretScan } from "../../sandbox/workspace/files/secret-scan.ts";
import { requireWorkspace, type WorkspaceRecord, workspacePaths } from "../../sandbox/workspace/record.ts";
import type { Change } from "../../sandbox/runtime.ts";
import type { MayWrite } from "../files/report.ts";
import { loadBeginnings, OWN_REPOSITORY, removedFiles, writeBeginnings } from "../../sandbox/workspace/repository/beginnings.ts";
import { type Branched, branchRepository, NOTHING_TO_BRANCH } from "../branches/branch.ts";
import { type Landing, landRepository } from "../git/land.ts";
import { repositoryOf, unitsOf } from "../../sandbox/workspace/repository/paths.ts";
import { type Manifest, writeManifest } from "../../sandbox/workspace/scan/manifest.ts";
import { nameTest } from "./selection.ts";

type Place = {
  readonly runDirectory: string;
  readonly record: WorkspaceRecord;
  readonly layers: Layers;
  /** What a person named. */ readonly named: readonly string[];
  readonly secrets: SecretScan;
  readonly hidden: readonly string[];
  readonly journal: Pick<Journal, "noteRepository" | "noteLocks">;
};

type Journaled = { readonly runDirectory: string; readonly what: Begun["what"]; /** Written when it is done. */ readonly manifest?: Manifest };

/** Notes what is begun, so that it can be gone on with and taken back. What fails in the middle is left as interrupted: the next landing goes on with it. */
export async function journaled<T>({ runDirectory, what, manifest }: Journaled, use: (journal: Journal) => Promise<T>): Promise<T> {
  const { undo, beginnings, landed, repositoryLanded, layersId, manifest: file } = workspacePaths(runDirectory);
  const begun = { what, atMs: systemClock.nowMs(), layers: layersIdOf(layersId) };
  const journal = openJournal({ undo, states: [beginnings, landed, repositoryLanded] }, begun);
  try {
    const result = await use(journal);
    if (manifest !== undefined) writeManifest(file, manifest);
    endJournal(journal, manifest ?? new Map());
    return result;
  } finally {
    journal.close();
  }
}

/** Lands a run's repositories, and writes down what landed. */
export function repositoryLanding({ runDirectory, record, layers, named, secrets, hidden, journal }: Place): ApplyPlan["landRepository"] {
  const paths = workspacePaths(runDirectory);
  return async (repository, unit, madeInSubmodules) => {
    const beginnings = loadBeginnings(paths.beginnings);
    const of = {
      note: journal.noteRepository,
      noteLocks: journal.noteLocks,
      repository,
      workspace: record.workspace,
      layers,
      scratch: paths.check,
      beginnings,
    };
    const check = { secrets, hidden, madeInSubmodules, allowsSecrets: nameTest(named)(repository) };
    const landed = await landRepository({ ...of, ...check, message: `warder: ${record.runId}` }, unit);
    if (typeof landed === "string") return landed;
    writeBeginnings(paths.beginnings, new Map([...beginnings, [repository, landed.beginning]]));
    noteLanded(paths.landed, [...unit, ...removedFiles(of, beginnings)], layers.upper);
    return null;
  };
}

/** A branch for what a run did. */
export type BranchRequest = {
  /** Takes an absolute path and says why it must not be written, or null. */ readonly mayWrite: MayWrite;
  readonly branch: string;
  /** Of the commit that holds what the run left uncommitted: `Name: value`. */ readonly trailers: readonly string[];
};

type Parts = {
  /** Of the workspace. */ readonly inside: readonly Change[];
  /** Its repository, where that lies outside. */ readonly beyond: { readonly looked: Landing; readonly unit: readonly Change[] } | null;
};

export type BranchedRun = Branched & { /** Where a branch of this name holds the commits that it made there. */ readonly submodules: readonly string[] };

/** Puts the whole of a run on a new branch of the workspace's repository, and of its submodules. Throws `usage` when there is none. */
export async function branchRun(place: Place, { inside, beyond }: Parts, request: BranchRequest & Pick<ApplyPlan, "heldBack">): Promise<BranchedRun> {
  const { record, layers, secrets, hidden } = place;
  const paths = workspacePaths(place.runDirectory);
  const own = {
    repository: OWN_REPOSITORY,
    workspace: record.workspace,
    layers,
    scratch: paths.check,
    beginnings: loadBeginnings(paths.beginnings),
    secrets,
    hidden,
  };
  const looked = beyond?.looked ?? own;
  if (!looked.beginnings.has(OWN_REPOSITORY))
    throw new AgentError("usage", `${record.workspace} was no repository of its own when ${record.runId} began: there is nowhere to make a branch.`);
  const { mayWrite, heldBack, ...of } = request;
  const mounts = mountsIn(record.workspace);
  const plan = {
    ...of,
    note: place.journal.noteRepository,
    noteLocks: place.journal.noteLocks,
    runId: record.runId,
    message: `warder: ${record.runId}`,
    allowsSecrets: false,
    reasonAgainst: (change: Change) => reasonAgainst(change, { workspace: record.workspace, layers, mayWrite, mounts }) ?? heldBack(change),
  };
  const refuse = (reason: string): never => {
    throw new AgentError("usage", `There is no branch for ${record.runId}: ${reason}`);
  };
  const waiting = new Set(madeInSubmodules(inside));
  const submodules: string[] = [];
  // A submodule before what names its commits, as in a landing.
  for (const [repository, unit] of innerFirst(unitsOf(inside))) {
    if (!repository.startsWith(`${OWN_REPOSITORY}/modules/`) || !own.beginnings.has(repository)) continue;
    const made = await branchRepository({ ...own, ...plan, repository, isSubmodule: true, uncommitted: [], madeInSubmodules: waiting }, unit);
    if (made === NOTHING_TO_BRANCH) continue;
    if (typeof made === "string") return refuse(`${makeVisibleLine(repository)}: ${made}`);
    submodules.push(topOf({ ...own, repository }).slice(0, -1));
    for (const id of madeInSubmodules(unit)) waiting.delete(id);
  }
  const uncommitted = inside.filter(({ path }) => repositoryOf(path) === null && path !== OWN_REPOSITORY);
  const unit = beyond?.unit ?? unitsOf(inside).get(OWN_REPOSITORY) ?? [];
  const branched = await branchRepository({ ...looked, ...plan, isSubmodule: false, uncommitted, madeInSubmodules: waiting }, unit);
  return typeof branched === "string" ? refuse(branched) : { ...branched, submodules };
}

/** Where a run stands now, or why it stands where it did. */
export type RebaseReport = ({ readonly kind: "rebased" } & Pick<Rebased, "branch" | "onto" | "commits">) | ({ readonly kind: "conflicts" } & Conflicts);

/** Brings a run, of which these are all changes, onto where its branch is now. Throws `usage` where that cannot be. */
export async function rebaseChanges(runDirectory: string, record: WorkspaceRecord, changes: readonly Change[]): Promise<RebaseReport> {
  requireWorkspace(record);
  if (record.repository !== undefined)
    throw new AgentError("usage", `The repository of ${record.workspace} lies outside of it: that is not rebased.`, {
      remedy: `Put the work on a branch, and rebase that: warder changes apply ${record.runId} --branch`,
    });
  const { workspace, user } = record;
  const paths = workspacePaths(runDirectory);
  const beginnings = loadBeginnings(paths.beginnings);
  const manifest = readManifest(paths.manifest);
  const staging = newStaging(paths);
  try {
    return await withOpenTrees(runDirectory, record, async ([layers]): Promise<RebaseReport> => {
      const place = { repository: OWN_REPOSITORY, workspace, layers, scratch: paths.check, beginnings };
      const algorithm = formatOf(place);
      const rebased = await rebaseRun(
        {
          ...place,
          uncommitted: changes.filter(({ path }) => repositoryOf(path) === null && path !== OWN_REPOSITORY),
          hidden: hiddenFrom(runDirectory, record),
          isTheirs: (path) => conflictReason(path, statEntry(layers.lower, path), manifest) !== null,
          idOfFile: (path) => blobId(layers.lower, path, algorithm),
          staging,
          owner: user,
        },
        unitsOf(changes).get(OWN_REPOSITORY) ?? [],
      );
      if (typeof rebased === "string") throw new AgentError("usage", `${record.runId} is as it was: ${rebased}`);
      if ("conflicts" in rebased) return { kind: "conflicts", ...rebased };
      for (const path of rebased.accepted) {
        const stats = statEntry(layers.lower, path);
        if (stats === null) manifest.delete(path);
        else manifest.set(path, signatureOf(stats));
      }
      settleRebase(paths, { records: rebased.records, manifest, beginnings: new Map([...beginnings, [OWN_REPOSITORY, rebased.beginning]]) });
      await finishRebase(paths);
      const { branch, onto, commits } = rebased;
      return { kind: "rebased", branch, onto, commits };
    });
  } finally {
    rmSync(dirname(staging), { recursive: true, force: true });
  }
}
