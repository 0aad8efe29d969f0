import { chmodSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentError } from "../../../base/errors.ts";
import type { OverlayMount } from "../../mounts.ts";
import type { WorkspaceRecord } from "../record.ts";
import { mountsBelow } from "./directories.ts";
import { type Guardian, type HoldRecord, holdMounts } from "./guardian.ts";
import { endProcess, holdersOf } from "./image-holders.ts";

/** Sandboxes end with their owner, and what is killed ends within this. */
const END_LIMIT_MS = 20_000;
const PAUSE_MS = 20;

/** A user namespace has one group, and the kernel copies nothing of another into the run's layer. */
export function requireOwnGroup(workspace: string): void {
  const { gid } = statSync(workspace);
  const own = process.getegid?.() ?? gid;
  if (gid === own) return;
  throw new AgentError(
    "sandbox-unavailable",
    `${workspace} belongs to the group ${String(gid)}, and this process to ${String(own)}: without an engine, a run could change nothing there.`,
    {
      remedy: `Start Warder as that group (sg GROUP -c 'warder …'), change the group (chgrp -R ${String(own)} WORKSPACE), or choose a policy with \`sandbox.runtime: docker\`.`,
    },
  );
}

/**
 * Mounts overlays for a user who is not root, in a user namespace of a guardian's own: each shows at its `merged` to who joins the guardian's namespaces. Throws as
 * `holdMounts`, and says what to do.
 */
export async function holdOverlays(lock: HoldRecord, overlays: readonly OverlayMount[], views: readonly { readonly merged: string }[]): Promise<Guardian> {
  const target = overlays[0]?.target ?? "/";
  try {
    return await holdMounts([lock, ["namespace"], ...overlays.map((overlay, index) => recordOf(overlay, views[index]?.merged ?? ""))]);
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== "sandbox-unavailable") throw error;
    throw new AgentError("sandbox-unavailable", error.problem, { cause: error, remedy: namespaceRemedy() ?? mountRemedy(target) });
  }
}

function recordOf({ name, lowers, upper, work }: OverlayMount, view: string): HoldRecord {
  const [lower, mask] = lowers.toReversed();
  if (lower === undefined || lowers.length > 2) throw new AgentError("broken-invariant", "An overlay lies on a root and at most one layer above it.");
  return ["overlay", view, lower, upper, work, name, ...(mask === undefined ? [] : [mask])];
}

/** Why this user cannot make a user namespace, and what to do; or null where it can. */
export async function namespaceFault(): Promise<AgentError | null> {
  try {
    const guardian = await holdMounts([["namespace"]]);
    await guardian.release();
    return null;
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return new AgentError(error.code, error.problem, { cause: error, remedy: namespaceRemedy() ?? OTHERWISE });
  }
}

const OTHERWISE = "Choose a policy with `sandbox.runtime: docker`, or run Warder as root.";

/** What a machine says that forbids them, and what root then types. */
const SETTINGS: readonly (readonly [setting: string, forbids: string, allowed: string])[] = [
  ["user/max_user_namespaces", "0", "user.max_user_namespaces=15000"],
  ["kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"],
  ["kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"],
];

/** Null where no setting of the kernel forbids user namespaces. `settings`: where the kernel shows them. */
export function namespaceRemedy(settings = "/proc/sys"): string | null {
  const found = SETTINGS.filter(([setting, forbids]) => textOf(join(settings, setting)) === forbids).map(([, , allowed]) => allowed);
  if (found.length === 0) return null;
  const file = "/etc/sysctl.d/60-user-namespaces.conf";
  return `This machine forbids ordinary users a user namespace. Allow it: printf '%s\\n' ${found.join(" ")} | sudo tee ${file} && sudo sysctl --system. ${OTHERWISE}`;
}

function mountRemedy(workspace: string): string {
  const mounted = mountsBelow(workspace).find((point) => point !== workspace);
  if (mounted !== undefined) return `${mounted} is mounted in the workspace, and no ordinary user may show what lies below it: unmount it. ${OTHERWISE}`;
  return `It needs Linux 5.11, and Warder's state (WARDER_HOME) on a file system of this machine such as ext4, XFS or Btrfs. ${OTHERWISE}`;
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    // A kernel without this setting.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Ends what is left of a session whose owner is gone, where its overlay was mounted in a user namespace: the last of its sandboxes may still write. Throws
 * `sandbox-unavailable` when one stays.
 */
export async function endNamespace({ mounter, overlay, runId }: Pick<WorkspaceRecord, "mounter" | "overlay" | "runId">): Promise<void> {
  if (mounter !== "user-namespace" || overlay === undefined) return;
  const deadline = performance.now() + END_LIMIT_MS;
  for (let holders = holdersOf(null, overlay); holders.length > 0; holders = holdersOf(null, overlay)) {
    for (const { processes } of holders) for (const pid of processes) endProcess(pid);
    if (performance.now() > deadline)
      throw new AgentError(
        "sandbox-unavailable",
        `A sandbox of ${runId}, whose owner is gone, is still there, and may write: ${holders.map(({ name }) => name).join(", ")}.`,
        {
          remedy: "End these processes, and try again.",
        },
      );
    await sleep(PAUSE_MS);
  }
}

/** Removes what the kernel keeps below `work` once nothing is mounted: a directory of the user's own that nobody may enter. */
export function removeKernelWork(work: string): void {
  const directory = join(work, "work");
  try {
    chmodSync(directory, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  rmSync(directory, { recursive: true, force: true });
}
