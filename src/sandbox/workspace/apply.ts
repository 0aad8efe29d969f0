import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { makeVisibleLine } from "../../base/text.ts";
import type { ApplyReport, Change } from "../runtime.ts";
import { bareRepositoryReason } from "./bare-repository.ts";
import { fill, withFile } from "./content.ts";
import type { Layers } from "./flags.ts";
import { type ApplyProgram, type ApplyRecord, openApplyProgram } from "./host-apply.ts";
import { linkReason } from "./links.ts";
import { type Manifest, signatureOf } from "./manifest.ts";
import { applyRank, repositoryOf, repositoryReason } from "./repository.ts";
import { type DirectoryFd, linkTarget, namesIn, statEntry } from "./tree.ts";

export type ApplyPlan = {
  readonly workspace: string;
  readonly upper: string;
  readonly layers: Layers;
  /** What the workspace was at the start; brought up to date with what is applied. */
  readonly manifest: Manifest;
  /** Takes an absolute path; why a run may not write there, or null. */
  readonly mayWrite: (path: string) => string | null;
  /** Why a change waits although it may be written, or null. */
  readonly heldBack: (change: Change) => string | null;
};

/**
 * Writes changes into the workspace, each whole or not at all. Every final path is judged as if it were
 * written now, whatever was allowed while it was made; a path that somebody else changed since the
 * session began is a conflict and stays as it is.
 */
export async function applyChanges(changes: readonly Change[], plan: ApplyPlan): Promise<ApplyReport> {
  const applied: Change[] = [];
  const refused: { change: Change; reason: string }[] = [];
  const refusedDirectories = new Set<string>();
  const lackingRepositories = new Set<string>();
  const program = openApplyProgram(plan.workspace, plan.upper);
  try {
    for (const change of changes.toSorted((one, other) => applyRank(one) - applyRank(other))) {
      const repository = repositoryOf(change.path);
      const lacking = repository !== null && lackingRepositories.has(repository) ? "Something that it builds on in the repository was not applied." : null;
      const reason = refusedAncestor(change.path, refusedDirectories) ?? lacking ?? (await applyChange(change, plan, program));
      // What is never applied (a hook) is nothing that a commit needs.
      if (reason !== null && repository !== null && repositoryReason(change) === null) lackingRepositories.add(repository);
      if (reason === null) applied.push(change);
      else refused.push({ change, reason });
      if (reason !== null && change.type === "directory" && change.kind !== "mode") refusedDirectories.add(change.path);
    }
  } finally {
    await program.end();
  }
  return { applied, refused };
}

async function applyChange(change: Change, plan: ApplyPlan, program: ApplyProgram): Promise<string | null> {
  const records = plan.heldBack(change) ?? planChange(change, plan);
  if (typeof records === "string") return records;
  for (const record of records) {
    const reason = await program.perform(record);
    if (reason !== null) return reason;
    const path = record[1] ?? "";
    const stats = statEntry(plan.layers.lower, path);
    if (stats === null) plan.manifest.delete(path);
    else plan.manifest.set(path, signatureOf(stats));
  }
  return null;
}

/** The records that make a change, or why there are none. */
function planChange(change: Change, plan: ApplyPlan): readonly ApplyRecord[] | string {
  const { path } = change;
  const refusal = pathReason(path, change.type, plan);
  if (refusal !== null) return refusal;
  const current = statEntry(plan.layers.lower, path);
  const conflict = conflictReason(path, current, plan.manifest);
  if (conflict !== null) return conflict;
  if (change.kind === "deleted") return current === null ? [] : removal(path, current, plan);
  if (change.type === "other") return "Devices, pipes and sockets are not applied.";
  const mode = (change.mode & 0o777).toString(8).padStart(4, "0");
  if (change.kind === "mode") return current === null ? "It is not there any more." : [["chmod", path, expectedOf(path, current, plan.layers.lower), mode]];
  const isReplaced = current !== null && current.isDirectory() !== (change.type === "directory");
  const cleared = isReplaced ? removal(path, current, plan) : [];
  if (typeof cleared === "string") return cleared;
  const expected = current === null || isReplaced ? "absent" : expectedOf(path, current, plan.layers.lower);
  // A file that is changed keeps its owner; a new one belongs to whoever owns the workspace.
  const owner = current === null || isReplaced ? ["-1", "-1"] : [String(current.uid), String(current.gid)];
  if (change.type === "directory") return [...cleared, ["mkdir", path, mode, ...owner]];
  if (change.type === "file") return [...cleared, ["put", path, expected, mode, ...owner]];
  const target = linkTarget(plan.layers.upper, path);
  if (target === null) return "The link is not there any more.";
  return linkReason(plan.workspace, path, target, plan.mayWrite) ?? [...cleared, ["link", path, expected, target, ...owner]];
}

function pathReason(path: string, type: Change["type"], plan: ApplyPlan): string | null {
  if (path.includes("\uFFFD")) return "The name is not UTF-8.";
  return repositoryReason({ path, type }) ?? bareRepositoryReason(path, plan.layers) ?? plan.mayWrite(`${plan.workspace}/${path}`);
}

function conflictReason(path: string, current: Stats | null, manifest: Manifest): string | null {
  const before = manifest.get(path);
  if (before === undefined) return current === null ? null : "Conflict: something was put there since the session began.";
  if (current === null) return "Conflict: it was removed since the session began.";
  return signatureOf(current) === before ? null : "Conflict: it was changed since the session began.";
}

/** Removes an entry, of a directory everything in it; or why one of them must stay. */
function removal(path: string, current: Stats, plan: ApplyPlan): readonly ApplyRecord[] | string {
  if (!current.isDirectory()) return [["remove", path, expectedOf(path, current, plan.layers.lower)]];
  const records: ApplyRecord[] = [];
  for (const name of namesIn(plan.layers.lower, path)) {
    const child = `${path}/${name}`;
    const stats = statEntry(plan.layers.lower, child);
    if (stats === null) continue;
    const reason = pathReason(child, typeOf(stats), plan) ?? conflictReason(child, stats, plan.manifest);
    if (reason !== null) return `${makeVisibleLine(child)}: ${reason}`;
    const below = removal(child, stats, plan);
    if (typeof below === "string") return below;
    records.push(...below);
  }
  return [...records, ["remove", path, "directory"]];
}

/** What must be there when the record is performed, so that nothing is lost between this look and the write. */
function expectedOf(path: string, current: Stats, lower: DirectoryFd): string {
  if (current.isDirectory()) return "directory";
  if (current.isSymbolicLink()) return `link:${linkTarget(lower, path) ?? ""}`;
  return current.isFile() ? (digestOfFile(lower, path) ?? "absent") : "any";
}

function digestOfFile(root: DirectoryFd, path: string): string | null {
  return withFile(root, path, (fd) => {
    const hash = createHash("sha256");
    const buffer = new Uint8Array(256 * 1024);
    for (let length = fill(fd, buffer); length > 0; length = fill(fd, buffer)) hash.update(buffer.subarray(0, length));
    return hash.digest("hex");
  });
}

function refusedAncestor(path: string, refusedDirectories: ReadonlySet<string>): string | null {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const above = path.slice(0, end);
    if (refusedDirectories.has(above)) return `Its directory ${makeVisibleLine(above)} was not applied.`;
  }
  return null;
}

function typeOf(stats: Stats): Change["type"] {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "link" : "other";
}
