import { fstatSync, type Stats } from "node:fs";
import type { Change } from "../runtime.ts";
import type { SandboxUser } from "../mounts.ts";
import { type ApplyProgram, type ApplyRecord, openApplyProgram } from "./host-apply.ts";
import { type DirectoryFd, linkTarget, statEntry } from "./tree.ts";

export type RestorePlan = {
  /** The run's view, an overlay that is mounted for this. */
  readonly merged: string;
  readonly workspace: string;
  /** The open workspace. */
  readonly lower: DirectoryFd;
  readonly user: SandboxUser;
};

/**
 * Takes changes back in the run's view, so that it shows what the workspace has: others stay as they are. Returns what could not be
 * taken back, with the reason.
 */
export async function restoreChanges(changes: readonly Change[], plan: RestorePlan): Promise<readonly { change: Change; reason: string }[]> {
  const refused: { change: Change; reason: string }[] = [];
  const program = openApplyProgram(plan.merged, plan.workspace, "restore");
  try {
    // What is in a directory goes before it and comes after it.
    const made = changes.filter((change) => change.kind === "added").toReversed();
    const others = changes.filter((change) => change.kind !== "added");
    for (const change of [...made, ...others]) {
      const reason = await restore(change, plan, program);
      if (reason !== null) refused.push({ change, reason });
    }
  } finally {
    await program.end();
  }
  return refused;
}

async function restore(change: Change, plan: RestorePlan, program: ApplyProgram): Promise<string | null> {
  const record = recordOf(change, plan);
  return typeof record === "string" ? record : await program.perform(record);
}

function recordOf({ kind, path, type }: Change, plan: RestorePlan): ApplyRecord | string {
  if (kind === "added") return ["remove", path, type === "directory" ? "directory" : "any"];
  const was = statEntry(plan.lower, path);
  // The workspace has lost it meanwhile: what the run made of it goes, and nothing is there.
  if (was === null) return ["remove", path, "any"];
  const mode = (was.mode & 0o7777).toString(8).padStart(4, "0");
  const owners = ownersInside(was, fstatSync(plan.lower), plan.user);
  if (kind === "mode") return ["chmod", path, "any", mode];
  if (was.isDirectory()) return ["mkdir", path, mode, ...owners];
  if (was.isFile()) return ["put", path, "any", mode, ...owners];
  const target = linkTarget(plan.lower, path);
  return target === null ? "It is a special file now." : ["link", path, "any", target, ...owners];
}

/** In the sandbox the workspace's owner and the sandbox's user are exchanged (sandbox/host/README.md, `idmap`). */
function ownersInside(was: Stats, workspace: Stats, user: SandboxUser): readonly [string, string] {
  const swap = (id: number, one: number, other: number): string => String(id === one ? other : id === other ? one : id);
  return [swap(was.uid, workspace.uid, user.uid), swap(was.gid, workspace.gid, user.gid)];
}
