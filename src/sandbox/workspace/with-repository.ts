import { dirname } from "node:path";
import { makeVisibleLine } from "../../base/text.ts";
import { keepsChanges, type LinkedRepository, type SandboxProfile } from "../runtime.ts";
import { repositoryBehind } from "./scan/linked-repository.ts";
import { compilePatterns } from "./scan/path-patterns.ts";
import { isWithin } from "./scan/roots.ts";

/** A profile with the repository of its workspace, where that lies outside; and what a person should know of it, or null. */
export type WithRepository = { readonly profile: SandboxProfile; readonly note: string | null };

/**
 * Gives a sandbox the repository that its workspace's `.git` file names, as a root of its own: one that changes with the workspace where changes are kept apart, or else one
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
  const isChanged = keepsChanges(profile) && !coversAny(profile.protected, found.path);
  return { profile: isChanged ? changed(profile, found) : read(profile, found), note: isChanged ? null : readNote(found, profile) };
}

function changed(profile: SandboxProfile, repository: LinkedRepository): SandboxProfile {
  return { ...profile, roots: [...profile.roots, { path: repository.path, access: "read-write" }], repository };
}

function read(profile: SandboxProfile, { path }: LinkedRepository): SandboxProfile {
  return { ...profile, roots: [...profile.roots, { path, access: "read" }] };
}

function readNote({ path }: LinkedRepository, profile: SandboxProfile): string {
  const why = keepsChanges(profile) ? "the policy protects it" : "only a transactional workspace keeps its changes apart";
  return `git only reads in this run: ${why}, and the repository is ${makeVisibleLine(path)}.`;
}

/** Whether patterns mean a path, or a directory that it lies in. */
function coversAny(patterns: readonly string[], path: string): boolean {
  const compiled = compilePatterns(patterns);
  for (let at = path; at !== "/"; at = dirname(at)) if (compiled.covers(at)) return true;
  return false;
}
