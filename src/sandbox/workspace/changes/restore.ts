import { closeSync, fstatSync, readdirSync, rmSync, type Stats } from "node:fs";
import type { Change } from "../../runtime.ts";
import type { SandboxUser } from "../../mounts.ts";
import { type ApplyProgram, type ApplyRecord, openApplyProgram } from "./apply-program.ts";
import { type DirectoryFd, linkTarget, openTree, statEntry, withParent } from "../files/tree.ts";

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
  const view = openTree(plan.merged);
  const program = openApplyProgram(plan.merged, plan.workspace, "restore");
  try {
    for (const change of changes) if (change.kind === "added") removeMade(view, change.path);
    for (const change of changes) {
      const reason = change.kind === "added" ? null : await restore(change, plan, program);
      if (reason !== null) refused.push({ change, reason });
    }
  } finally {
    await program.end();
    closeSync(view);
  }
  return refused;
}

/** With everything in it. Names that are not UTF-8 are found by how they are shown: all of them were made by the run. */
export function removeMade(view: DirectoryFd, path: string): void {
  withParent(view, path, (parent, name) => {
    const directory = `/proc/self/fd/${String(parent)}`;
    const isMeant = (entry: Buffer): boolean => entry.toString() === name;
    const names = name.includes("\uFFFD") ? readdirSync(directory, { encoding: "buffer" }).filter(isMeant) : [Buffer.from(name)];
    for (const entry of names) rmSync(Buffer.concat([Buffer.from(`${directory}/`), entry]), { recursive: true, force: true });
  });
}

async function restore(change: Change, plan: RestorePlan, program: ApplyProgram): Promise<string | null> {
  const record = recordOf(change, plan);
  return typeof record === "string" ? record : await program.perform(record);
}

function recordOf({ kind, path }: Change, plan: RestorePlan): ApplyRecord | string {
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
