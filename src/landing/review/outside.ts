import { makeVisibleLine } from "../../base/text.ts";
import type { Change, LinkedRepository } from "../../sandbox/runtime.ts";
import type { ApplyReport } from "../files/report.ts";
import type { Journal } from "../../sandbox/workspace/changes/journal.ts";
import { noteLanded } from "../../sandbox/workspace/changes/landed.ts";
import { forbiddenIn, madeInSubmodules } from "../files/repository-unit.ts";
import type { Layers } from "../../sandbox/workspace/files/layers.ts";
import type { SecretScan } from "../../sandbox/workspace/files/secret-scan.ts";
import { type WorkspaceRecord, workspacePaths } from "../../sandbox/workspace/record.ts";
import { loadBeginnings, OWN_REPOSITORY, removedFiles, writeBeginnings } from "../../sandbox/workspace/repository/beginnings.ts";
import { type Landing, landingFault, landRepository } from "../git/land.ts";
import { namesOf } from "../../sandbox/workspace/repository/names.ts";
import { repositoryOf, repositoryReason, unitsOf } from "../../sandbox/workspace/repository/paths.ts";
import type { Tree } from "../../sandbox/workspace/trees.ts";
import { withCommits } from "./commits.ts";
import { FLAG_MARK, refLines } from "./diff.ts";
import { holdingReason } from "./flags.ts";
import type { Flag, FlaggedChange } from "./ranks.ts";
import { nameTest } from "./selection.ts";

// The repository of a workspace that lies outside it: looked at, and landed by git, as one that lies in it. Its changes have absolute paths for a person.

export type OutsideReview = {
  /** `beside`: the changes of the workspace, which commits are compared with. */
  flagged(changes: readonly Change[], beside: readonly Change[]): Promise<readonly FlaggedChange[]>;
  diff(changes: readonly FlaggedChange[], maxBytes: number): string;
  /** Why the repository would not land now, or null. */
  fault(changes: readonly Change[], judge: OutsideJudge): Promise<string | null>;
  land(changes: readonly Change[], judge: OutsideJudge): Promise<ApplyReport>;
  /** What of it is landed, and how it is looked at. */
  landing(changes: readonly Change[], judge: OutsideJudge): { readonly looked: Landing; readonly unit: readonly Change[] };
};

const OTHER = "The repository of a submodule does not land from a linked worktree: commit in the submodule on the host.";

export type OutsideJudge = {
  readonly mayWrite: (path: string) => string | null;
  /** What a person named. */ readonly named: readonly string[];
  /** Paths of the workspace that the run did not see. */ readonly hidden: readonly string[];
  readonly journal: Pick<Journal, "noteRepository" | "noteLocks">;
};

export type OutsidePlan = {
  readonly tree: Tree;
  readonly linked: LinkedRepository;
  /** Of the repository, and of the workspace. */
  readonly layers: Layers;
  readonly workspaceLayers: Layers;
  readonly runDirectory: string;
  readonly record: WorkspaceRecord;
  readonly scan: SecretScan;
};

export function outsideReview({ tree, linked, layers, workspaceLayers, runDirectory, record, scan }: OutsidePlan): OutsideReview {
  const { base } = tree;
  const names = namesOf(linked);
  const paths = workspacePaths(runDirectory);
  const inner = <Item extends Change>(change: Item): Item => ({ ...change, path: change.path.slice(base.length + 1) });
  const outer = <Item extends Change>(change: Item): Item => ({ ...change, path: `${base}/${change.path}` });
  const reasonAgainst = (change: Change): string | null => {
    const path = names.plain(change.path);
    return repositoryReason({ ...change, path }) ?? (repositoryOf(path) === OWN_REPOSITORY ? null : OTHER);
  };
  /** What may land is looked at as commits; the rest never does. */
  const flagsOf = (change: Change): readonly Flag[] => {
    const reason = change.kind === "deleted" ? null : reasonAgainst(change);
    return reason === null ? [] : [{ kind: "repository", reason }];
  };
  const place = { workspace: record.workspace, layers: workspaceLayers, scratch: paths.check, outside: { linked, base, layers, names } };
  const unitIn = (changes: readonly Change[]): readonly Change[] => unitsOf(changes.map(inner), names).get(OWN_REPOSITORY) ?? [];
  const landingOf = (changes: readonly Change[], { named, hidden, journal }: OutsideJudge): Landing => {
    const allowsSecrets = [OWN_REPOSITORY, linked.path].some(nameTest(named));
    const check = { secrets: scan, hidden, madeInSubmodules: madeInSubmodules(changes.map(inner), names), allowsSecrets };
    return {
      ...place,
      ...check,
      note: journal.noteRepository,
      noteLocks: journal.noteLocks,
      repository: OWN_REPOSITORY,
      beginnings: loadBeginnings(paths.beginnings),
      message: `warder: ${record.runId}`,
    };
  };
  const forbidden = (unit: readonly Change[], { mayWrite, named }: OutsideJudge): string | null => {
    const isOwnName = nameTest(named);
    const heldBack = (change: Change): string | null => (isOwnName(outer(change).path) ? null : holdingReason(change, { layers, secrets: scan }));
    return forbiddenIn(unit, { mayWrite, heldBack, workspace: base }, names);
  };
  return {
    flagged: async (changes, beside) => {
      const flagged = changes.map(inner).map((change) => ({ ...change, flags: flagsOf(change) }));
      return (await withCommits(flagged, { ...place, beginnings: loadBeginnings(paths.beginnings) }, beside)).map(outer);
    },
    diff: diffOutside,
    landing: (changes, judge) => ({ looked: landingOf(changes, judge), unit: unitIn(changes) }),
    fault: async (changes, judge) => {
      const unit = unitIn(changes);
      return unit.length === 0 ? null : (forbidden(unit, judge) ?? (await landingFault(landingOf(changes, judge), unit)));
    },
    land: async (changes, judge) => {
      const unit = unitIn(changes);
      const others = changes.flatMap((change) => {
        const reason = reasonAgainst(inner(change));
        return reason === null ? [] : [{ change, reason }];
      });
      if (unit.length === 0) return { applied: [], refused: others };
      const landing = landingOf(changes, judge);
      const landed = forbidden(unit, judge) ?? (await landRepository(landing, unit));
      if (typeof landed === "string") return { applied: [], refused: [...others, ...unit.map((change) => ({ change: outer(change), reason: landed }))] };
      writeBeginnings(paths.beginnings, new Map([...landing.beginnings, [OWN_REPOSITORY, landed.beginning]]));
      noteLanded(tree.landed, [...unit, ...removedFiles(landing, landing.beginnings)], layers.upper);
      return { applied: unit.map(outer), refused: others };
    },
  };
}

/** A person reads of a repository what commits hold, and what never lands by its name. */
function diffOutside(changes: readonly FlaggedChange[], maxBytes: number): string {
  const told = changes.filter(({ flags, refs }) => flags.length > 0 || refs !== undefined);
  const parts = told.length === changes.length ? [] : [`(${String(changes.length - told.length)} changes are commits, refs and the index of git.)\n`];
  let total = 0;
  for (const [index, { path, flags, refs = [] }] of told.entries()) {
    const lines = [...flags.map(({ reason }) => `${FLAG_MARK}${makeVisibleLine(path)}: ${reason}`), ...refs.map((ref) => refLines(ref).join("\n    "))];
    const part = `${lines.join("\n")}\n`;
    total += Buffer.byteLength(part);
    if (total > maxBytes) return `${parts.join("")}(${String(told.length - index)} more changes are not shown.)\n`;
    parts.push(part);
  }
  return parts.join("");
}

/**
 * What lands of a workspace whose commits cannot: nothing. Files without the commits that hold them would be found as changes that nobody made.
 */
export function nothingLands(changes: readonly Change[], repository: string, fault: string): ApplyReport {
  const beside = `The commits in ${makeVisibleLine(repository)} cannot land, and nothing lands without them but what is named.`;
  return { applied: [], refused: changes.map((change) => ({ change, reason: change.repository === undefined ? beside : fault })) };
}
