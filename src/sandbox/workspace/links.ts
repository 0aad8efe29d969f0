import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isRepositoryName } from "./repository.ts";
import { isWithin } from "./roots.ts";

/**
 * Why a symbolic link must not land in the workspace, or null: whoever follows it on the host would
 * leave the workspace or reach what a run may not write.
 */
export function linkReason(workspace: string, path: string, target: string, mayWrite: (path: string) => string | null): string | null {
  if (target.includes("\0") || target.includes("\uFFFD")) return "The link's target is not UTF-8.";
  const full = `${workspace}/${path}`;
  // `a/../b` means another place than `b` when `a` is a link itself; after the leading ones no `..` is needed.
  if (/(?:^|\/)(?!\.\.(?:\/|$))[^/]+(?:\/+\.)*\/+\.\.(?:\/|$)/.test(target)) return "The link's target goes up again after it went down.";
  const meant = resolve(dirname(full), target);
  if (!isWithin(meant, workspace)) return "The link points out of the workspace.";
  if (meant.slice(workspace.length).split("/").some(isRepositoryName)) return "The link points into a repository's own files.";
  if (!isWithin(nearestReal(meant), workspace)) return "The link points out of the workspace through another link.";
  const reason = mayWrite(meant);
  return reason === null ? null : `The link points at ${meant}: ${reason}`;
}

function nearestReal(path: string): string {
  for (let at = path; ; at = dirname(at)) {
    try {
      return realpathSync(at);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // A loop leads nowhere; what is missing is judged by what contains it.
      if (code === "ELOOP") return "/";
      if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
      if (at === "/") return "/";
    }
  }
}
