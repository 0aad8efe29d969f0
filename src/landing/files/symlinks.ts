import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { isRepositoryName } from "../../sandbox/workspace/repository/paths.ts";
import { isWithin } from "../../sandbox/workspace/scan/roots.ts";

/** As many as the kernel follows, path_resolution(7). */
const MAX_LINKS = 40;

/**
 * Why a symbolic link must not land in the workspace, or null: whoever follows it on the host would
 * leave the workspace or reach what a run may not write.
 */
export function linkReason(workspace: string, path: string, target: string, mayWrite: (path: string) => string | null): string | null {
  if (target.includes("\0") || target.includes("\uFFFD")) return "The link's target is not UTF-8.";
  const full = `${workspace}/${path}`;
  // `a/../b` means another place than `b` when `a` is a link itself; after the leading ones no `..` is needed.
  if (namesOf(target).some((name, index, names) => name === ".." && index > 0 && names[index - 1] !== ".."))
    return "The link's target goes up again after it went down.";
  const meant = resolve(dirname(full), target);
  if (!isWithin(meant, workspace)) return "The link points out of the workspace.";
  if (meant.slice(workspace.length).split("/").some(isRepositoryName)) return "The link points into a repository's own files.";
  return wayReason(workspace, meant) ?? placeReason(meant, mayWrite);
}

function placeReason(meant: string, mayWrite: (path: string) => string | null): string | null {
  const reason = mayWrite(meant);
  return reason === null ? null : `The link points at ${meant}: ${reason}`;
}

/** Why the way to a path of the workspace must not be taken, or null. */
function wayReason(workspace: string, meant: string): string | null {
  try {
    return leavesOnTheWay(workspace, meant) ? "The link points out of the workspace through another link." : null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return `The link's target cannot be looked up (${code}).`;
  }
}

/** Follows the links on the way, a name at a time, up to the first that is missing: what is not there is judged by what contains it. */
function leavesOnTheWay(workspace: string, meant: string): boolean {
  const names = namesOf(meant.slice(workspace.length)).toReversed();
  let at = workspace;
  let links = 0;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const next = name === ".." ? dirname(at) : `${at}/${name}`;
    if (!isWithin(next, workspace)) return true;
    const stats = statOf(next);
    if (stats === null) return false;
    if (!stats.isSymbolicLink()) {
      at = next;
      continue;
    }
    links += 1;
    // Further ones lead nowhere.
    if (links > MAX_LINKS) return true;
    const target = readlinkSync(next);
    const isOfWorkspace = isWithin(target, workspace);
    if (target.startsWith("/") && !isOfWorkspace) {
      at = realpathSync(next);
      if (!isWithin(at, workspace)) return true;
      continue;
    }
    if (isOfWorkspace) at = workspace;
    names.push(...namesOf(isOfWorkspace ? target.slice(workspace.length) : target).toReversed());
  }
  return false;
}

function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

function namesOf(path: string): readonly string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}
