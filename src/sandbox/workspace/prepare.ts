import { chownSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { planEngineOverlay } from "./engine-overlay.ts";
import {
  type EngineOverlays,
  inMountOrder,
  type OverlayMount,
  type PlannedMount,
  type SandboxUser,
  UNPRIVILEGED_USER,
  type WorkspaceMount,
} from "../mounts.ts";
import { isOwnerAlive, ownerOf, pidOf } from "../owner.ts";
import { keepsChanges, type OpenOptions, type SandboxProfile } from "../runtime.ts";
import { type BoundWatch, watchBound } from "./scan/quarantine.ts";
import { type Guardian, type HoldRecord, holdMounts } from "./mounts/guardian.ts";
import { makeImage, waitForImage } from "./mounts/image.ts";
import { manifestOf, writeManifest } from "./scan/manifest.ts";
import { mountsOfRoot } from "./mounts/masks.ts";
import { makeDirectories, removeMasks, removeTree, stageOf } from "./mounts/directories.ts";
import { inodeOf, isReplaced, readRecord, type workspacePaths as WorkspacePaths, workspacePaths, type WorkspaceRecord, writeRecord } from "./record.ts";
import { lockRecord, withoutGuardians } from "./mounts/run-lock.ts";
import { checkRoots, homeInside, isWithin } from "./scan/roots.ts";
import type { Scan } from "./scan/scan.ts";
import { scanRoots } from "./scan/all-roots.ts";

/** A workspace whose mounts are in place on the host, ready for a container. */
export type PreparedWorkspace = {
  readonly profile: SandboxProfile;
  readonly user: SandboxUser;
  /** HOME inside. */
  readonly home: string;
  readonly mounts: readonly PlannedMount[];
  readonly isTransactional: boolean;
  readonly mount: WorkspaceMount;
  /** Looks after what commands leave in a workspace that is the host's own; null where it is not. */
  readonly bound: BoundWatch | null;
  /** A directory of this session whose files the sandbox's user can reach. */
  readonly directory: string;
  /** Unmounts; what a transactional workspace changed stays in the run directory. Idempotent. */
  release(): Promise<void>;
};

export type PrepareOptions = OpenOptions & {
  /** The sandbox's user must reach the sources of the mounts itself, without root's help (bubblewrap). */
  readonly isReachable: boolean;
  /** As in a session's plan. */
  readonly overlays?: EngineOverlays;
  /** As in a session's plan. */
  readonly takeImage?: (path: string) => boolean;
};

const MAX_SCRATCH_BYTES = 1024 ** 3;

/**
 * Checks and looks through the roots, mounts what the host must mount, and plans what the container
 * mounts. Throws `bad-configuration` or `sandbox-unavailable`; then nothing is mounted.
 */
export async function prepareWorkspace(profile: SandboxProfile, options: PrepareOptions): Promise<PreparedWorkspace> {
  checkRoots(profile);
  const workspace = profile.roots[0];
  if (workspace === undefined) throw new AgentError("bad-configuration", "A sandbox needs a workspace: the policy names no root.");
  const mode = profile.settings.workspace;
  const user = userOf(workspace.path);
  const stage = options.isReachable && process.getuid?.() === 0 ? stageOf(options.runId) : null;
  const paths = workspacePaths(options.runDirectory, stage);
  const isTransactional = keepsChanges(profile);
  const mount = mountOf(mode, isTransactional);
  const overlays = mount === "overlay-by-engine" ? overlaysOf(options) : null;
  const scans = mode === "none" ? [] : scanRoots(profile, isTransactional);
  // Under the lock, so that what is read of an earlier session is still so when this process has made the run its own.
  const before = await withoutGuardians(options.runDirectory, () => {
    const record = isTransactional ? continued(options.runDirectory, workspace.path, { user, mount }) : null;
    makeDirectories(paths, record !== null);
    return record;
  });
  let guardian: Guardian | null = null;
  let held: Guardian | null = null;
  const release = async (): Promise<void> => {
    await held?.release();
    await guardian?.release();
    removeMasks(paths);
    if (stage !== null) removeTree(stage);
  };
  try {
    // Two mounts must not write to one layer.
    if (before !== null) await overlays?.clear();
    if (before !== null) await waitForImage(before);
    if (stage !== null) chownSync(stage, 0, user.gid);
    const plan =
      mode === "none"
        ? { records: [], sources: [] }
        : hostMounts(profile, { user, paths, isTransactional, mount, before, isStaged: stage !== null, takeImage: options.takeImage ?? (() => false) });
    if (isTransactional) recordStart(profile, { options, user, mount, plan, scan: before === null ? scans[0] : null });
    // Of a run whose overlay the engine mounts it keeps the lock alone.
    const isLocked = plan.records.length > 0 || overlays !== null;
    guardian = isLocked ? await holdMounts([lockRecord(options.runDirectory), ...plan.records]) : null;
    const overlay = overlays === null ? null : await planEngineOverlay(workspace.path, { name: plan.overlay ?? "", paths, scan: scans[0] });
    if (overlay !== null) held = (await overlays?.hold(overlay)) ?? null;
    const mounts = containerMounts(profile, { scans, sources: plan.sources, paths, overlay });
    const bound = mode !== "none" && !isTransactional ? watchBound(profile, scans, join(options.runDirectory, "quarantine")) : null;
    return { profile, user, home: homeInside(profile.home), mounts, isTransactional, mount, bound, directory: stage ?? paths.base, release };
  } catch (error) {
    await release();
    if (before === null) removeTree(paths.base);
    else {
      writeRecord(options.runDirectory, before);
      rmSync(paths.owner, { force: true });
    }
    throw error;
  }
}

/** Root mounts by itself, an ordinary user through the engine. */
function mountOf(mode: string, isTransactional: boolean): WorkspaceMount {
  if (mode === "none") return "none";
  if (!isTransactional) return "bind";
  return process.getuid?.() === 0 ? "overlay-by-guardian" : "overlay-by-engine";
}

function overlaysOf({ overlays }: PrepareOptions): EngineOverlays {
  if (overlays !== undefined) return overlays;
  throw new AgentError("sandbox-unavailable", "Without root, only a container engine mounts a transactional workspace, and this sandbox has none.", {
    remedy: "Choose a policy with `sandbox.runtime: docker` or `sandbox.workspace: bind`, or run Warder as root.",
  });
}

function userOf(workspace: string): SandboxUser {
  const owner = statSync(workspace);
  const own = process.getuid?.();
  if (own !== 0 && owner.uid !== own)
    throw new AgentError("sandbox-unavailable", `${workspace} belongs to the user ${String(owner.uid)}.`, { remedy: "Run Warder as this user or as root." });
  return { uid: owner.uid === 0 ? UNPRIVILEGED_USER.uid : owner.uid, gid: owner.gid === 0 ? UNPRIVILEGED_USER.gid : owner.gid };
}

/**
 * The record of an earlier session of this run whose changes are to be continued, or null. Throws when
 * they belong to another workspace or somebody still works with them.
 */
function continued(
  runDirectory: string,
  workspace: string,
  { user, mount }: { readonly user: SandboxUser; readonly mount: WorkspaceMount },
): WorkspaceRecord | null {
  const record = readRecord(runDirectory);
  if (record === null || record.state === "discarded") return null;
  if (record.state === "open" && isOwnerAlive(record.owner))
    throw new AgentError("sandbox-unavailable", `The workspace of ${record.runId} is in use by process ${pidOf(record.owner)}.`);
  if (record.workspace !== workspace || record.user.uid !== user.uid)
    throw new AgentError("sandbox-unavailable", `The run directory ${runDirectory} holds changes of ${record.workspace}: apply or discard them first.`);
  if ((record.mounter === "engine") !== (mount === "overlay-by-engine"))
    throw new AgentError("sandbox-unavailable", `${record.runId} was begun ${record.mounter === "engine" ? "without" : "as"} root, and can only go on so.`, {
      remedy: `Land or discard its changes first: warder changes list ${record.runId}`,
    });
  if (isReplaced(record))
    throw new AgentError(
      "sandbox-unavailable",
      `${workspace} is another directory than the one that ${record.runId} began in, on which its changes lie: put that one back, or look at them with \`warder changes list ${record.runId}\` and begin a new run.`,
    );
  return record;
}

type HostPlan = {
  readonly records: readonly HoldRecord[];
  /** For each root what the container binds. */ readonly sources: readonly string[];
  readonly image?: string | null;
  /** The name of the overlay where there is one: see WorkspaceRecord. */ readonly overlay?: string;
};

function hostMounts(
  profile: SandboxProfile,
  context: {
    user: SandboxUser;
    paths: ReturnType<typeof WorkspacePaths>;
    isTransactional: boolean;
    mount: WorkspaceMount;
    before: WorkspaceRecord | null;
    isStaged: boolean;
    takeImage: (path: string) => boolean;
  },
): HostPlan {
  const { user, paths, isTransactional, mount, before, isStaged } = context;
  const records: HoldRecord[] = [];
  const overlay = newId("overlay");
  const isRoot = process.getuid?.() === 0;
  const isRootsOwn = statSync(profile.roots[0]?.path ?? "/").uid === 0;
  let image: string | null = null;
  const sources = profile.roots.map((root, index) => {
    const isOverlaid = index === 0 && isTransactional;
    const owner = statSync(root.path);
    // What belongs to root is shown as the sandbox's, or a user that is never root could not work there. A root that is only read
    // stays as it is, unless the whole workspace is root's.
    const isMapped = isRoot && owner.uid !== user.uid && (root.access === "read-write" || (isRootsOwn && owner.uid === 0));
    const mapped = isOverlaid ? paths.lower : `${paths.roots}/${String(index)}`;
    if (isMapped) {
      if (!isOverlaid) records.push(["dir", mapped, "0700", "0", "0"]);
      const access = isOverlaid || root.access === "read" ? "ro" : "rw";
      records.push(["idmap", root.path, mapped, access, String(owner.uid), String(user.uid), String(owner.gid), String(user.gid)]);
    }
    const isMoved = isStaged && !isMapped && !isOverlaid;
    if (isMoved) records.push(["dir", mapped, "0700", "0", "0"], ["bind", root.path, mapped, root.access === "read" ? "ro" : "rw"]);
    const source = isMapped || isMoved ? mapped : root.path;
    if (!isOverlaid || mount === "overlay-by-engine") return source;
    image = before !== null ? before.image : context.takeImage(paths.image) ? paths.image : makeImage(paths.image);
    if (image !== null) records.push(["image", image, paths.layers]);
    // The upper directory's own mode and owner are what the container sees of the workspace itself.
    records.push(["dir", paths.upper, (owner.mode & 0o777).toString(8).padStart(4, "0"), String(user.uid), String(user.gid)]);
    records.push(["dir", paths.work, "0700", "0", "0"]);
    records.push(["overlay", paths.merged, source, paths.upper, paths.work, overlay]);
    return paths.merged;
  });
  return { records, sources, image, overlay };
}

function recordStart(
  profile: SandboxProfile,
  start: {
    options: OpenOptions;
    user: SandboxUser;
    mount: WorkspaceMount;
    plan: HostPlan;
    /** Null: the manifest of an earlier session stays. */ scan: Scan | null | undefined;
  },
): void {
  const { options, user, scan } = start;
  const { image = null, overlay } = start.plan;
  const workspace = profile.roots[0]?.path ?? "";
  const owner = ownerOf(process.pid);
  if (owner === null || scan === undefined) throw new AgentError("broken-invariant", "A session starts without its own process or workspace.");
  if (scan !== null) writeManifest(workspacePaths(options.runDirectory).manifest, manifestOf(workspace, scan.entries));
  const named = overlay === undefined ? {} : { overlay };
  const mounter = start.mount === "overlay-by-engine" ? { mounter: "engine" as const } : {};
  writeRecord(options.runDirectory, {
    version: 1,
    runId: options.runId,
    workspace,
    inode: inodeOf(workspace),
    user,
    owner,
    image,
    ...named,
    ...mounter,
    state: "open",
  });
}

function containerMounts(
  profile: SandboxProfile,
  plan: { scans: readonly Scan[]; sources: readonly string[]; paths: ReturnType<typeof WorkspacePaths>; overlay: OverlayMount | null },
): readonly PlannedMount[] {
  const maxBytes = Math.min(MAX_SCRATCH_BYTES, Math.floor(profile.settings.memoryBytes / 2));
  const scratch = new Set(["/tmp"]);
  const home = homeInside(profile.home);
  if (!profile.roots.some((root) => isWithin(home, root.path))) scratch.add(home);
  const mounts: PlannedMount[] = [];
  if (profile.settings.workspace === "none") scratch.add(profile.roots[0]?.path ?? "/tmp");
  for (const target of scratch) mounts.push({ kind: "scratch", target, maxBytes });
  for (const [index, scan] of plan.scans.entries()) {
    const root = profile.roots[index];
    const source = plan.sources[index];
    if (root === undefined || source === undefined) throw new AgentError("broken-invariant", "A root was looked through but not mounted.");
    // What is forbidden is not in it, and what is protected is contained there like everything else.
    if (index === 0 && plan.overlay !== null) {
      mounts.push(plan.overlay);
      continue;
    }
    mounts.push(
      ...mountsOfRoot(
        { path: root.path, source, isReadOnly: root.access === "read", scan },
        { file: plan.paths.maskFile, directory: plan.paths.maskDirectory },
      ),
    );
  }
  return inMountOrder(mounts);
}
