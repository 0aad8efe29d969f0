import { dirname } from "node:path";
import { makeVisibleLine } from "../../base/text.ts";
import { keepsChanges, type LinkedRepository, type SandboxProfile } from "../runtime.ts";
import { boundRoots, repositoryBehind, unboundReason } from "./scan/linked-repository.ts";
import { compilePatterns } from "./scan/path-patterns.ts";
import { isWithin } from "./scan/roots.ts";

/** A profile with the repository of its workspace, where that lies outside; and what a person should know of it, or null. */
export type WithRepository = { readonly profile: SandboxProfile; readonly note: string | null };

/**
 * Gives a sandbox the repository that its workspace's `.git` file names, as roots of its own: one that changes with the workspace where that may change, or else one
 * that is only read. What the policy says of those paths stands above it.
 */
export function withRepository(profile: SandboxProfile): WithRepository {
  const [workspace] = profile.roots;
  const found = workspace === undefined || profile.settings.workspace === "none" ? null : repositoryBehind(workspace.path);
  if (found === null) return { profile, note: null };
  if ("fault" in found) {
    const then = found.remedy === undefined ? "" : ` ${makeVisibleLine(found.remedy)}`;
    return { profile, note: `git does not work in this run. ${makeVisibleLine(found.fault)}${then}` };
  }
  // A root of the policy's own is shown as the policy says.
  if (profile.roots.some(({ path, access }, index) => index > 0 && (isWithin(path, found.path) || (access === "read-write" && isWithin(found.path, path)))))
    return { profile, note: null };
  if (coversAny(profile.forbidden, found.path)) return { profile, note: `git does not work in this run: the policy forbids ${makeVisibleLine(found.path)}.` };
  const reason = readReason(found, profile);
  if (reason === null) return { profile: changed(profile, found), note: null };
  const roots = [...profile.roots, { path: found.path, access: "read" as const }];
  return { profile: { ...profile, roots }, note: `git only reads in this run: ${reason}, and the repository is ${makeVisibleLine(found.path)}.` };
}

function changed(profile: SandboxProfile, repository: LinkedRepository): SandboxProfile {
  const roots = keepsChanges(profile) ? [{ path: repository.path, access: "read-write" as const }] : boundRoots(repository);
  return { ...profile, roots: [...profile.roots, ...roots], repository };
}

/** Why git must not write there, or null. */
function readReason(repository: LinkedRepository, profile: SandboxProfile): string | null {
  if (profile.roots[0]?.access !== "read-write") return "the workspace is only read";
  if (coversAny(profile.protected, repository.path)) return "the policy protects it";
  const reason = keepsChanges(profile) ? null : unboundReason(repository);
  return reason === null ? null : makeVisibleLine(reason);
}

/** Whether patterns mean a path, or a directory that it lies in. */
function coversAny(patterns: readonly string[], path: string): boolean {
  const compiled = compilePatterns(patterns);
  for (let at = path; at !== "/"; at = dirname(at)) if (compiled.covers(at)) return true;
  return false;
}
