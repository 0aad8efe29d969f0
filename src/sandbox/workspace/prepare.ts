import { chownSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { containerMounts } from "./container-mounts.ts";
import { cargoOf, requireCarriable } from "./transport/carriable.ts";
import { settleBefore } from "./transport/settle-before.ts";
import { planMaskedOverlay } from "./masked-overlay.ts";
import {
  type Carrier,
  type EngineOverlays,
  type MountNamespace,
  type PlannedMount,
  type SandboxUser,
  UNPRIVILEGED_USER,
  type WorkspaceMount,
} from "../mounts.ts";
import { ownerOf } from "../owner.ts";
import { continued } from "./continued.ts";
import { keepsChanges, type OpenOptions, type SandboxProfile } from "../runtime.ts";
import { type BoundWatch, watchBound } from "./scan/quarantine.ts";
import { type Guardian, type HoldRecord, holdMounts } from "./mounts/guardian.ts";
import { makeImage, waitForImage } from "./mounts/image.ts";
import { manifestOf, writeManifest } from "./scan/manifest.ts";
import { makeDirectories, removeMasks, removeTree, stageOf } from "./mounts/directories.ts";
import { inodeOf, mounterOf, type workspacePaths as WorkspacePaths, workspacePaths, type WorkspaceRecord, writeRecord } from "./record.ts";
import { readBeginnings, writeBeginnings } from "./repository/beginnings.ts";
import { lockRecord, withoutGuardians } from "./mounts/run-lock.ts";
import { endNamespace, holdOverlay, removeKernelWork, requireOwnGroup } from "./mounts/user-namespace.ts";
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
  /** What a sandbox must join to see them all; null: this process does. */
  readonly namespace: MountNamespace | null;
  readonly isTransactional: boolean;
  readonly mount: WorkspaceMount;
  /** Paths that nothing inside may see: Warder's state, and what policy forbids where no mount stands in its place. */
  readonly hidden: readonly string[];
  /** Looks after what commands leave in a workspace that is the host's own; null where it is not. */
  readonly bound: BoundWatch | null;
  /** A directory of this session whose files the sandbox's user can reach. */
  readonly directory: string;
  /** Brings what commands wrote into the run directory, where that is not so anyway. */
  fetch(): Promise<void>;
  /** Unmounts; what a transactional workspace changed stays in the run directory. Idempotent. */
  release(): Promise<void>;
};

export type PrepareOptions = OpenOptions & {
  /** The sandbox's user must reach the sources of the mounts itself, without root's help (bubblewrap). */
  readonly isReachable: boolean;
  /** As in a session's plan. */
  readonly overlays?: EngineOverlays;
  /** As in a session's plan. */
  readonly carrier?: Carrier;
  /** As in a session's plan. */
  readonly takeImage?: (path: string) => boolean;
};

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
  const mount = mountOf(mode, isTransactional, options);
  const overlays = mount === "overlay-by-engine" ? (options.overlays ?? null) : null;
  const carrier = options.carrier ?? null;
  if (carrier !== null) requireCarriable(profile, carrier);
  const isInNamespace = mount === "overlay-in-user-namespace";
  if (isInNamespace) requireOwnGroup(workspace.path);
  const scans = mode === "none" ? [] : scanRoots(profile, carrier !== null ? "all" : isTransactional ? "workspace" : "none");
  // Under the lock, so that what is read of an earlier session is still so when this process has made the run its own.
  const before = await withoutGuardians(options.runDirectory, () => {
    const record = isTransactional ? continued(options.runDirectory, workspace.path, { user, mount }) : null;
    makeDirectories(paths, record !== null);
    return record;
  });
  let guardian: Guardian | null = null;
  let held: Pick<Guardian, "release"> | null = null;
  const release = async (): Promise<void> => {
    await held?.release();
    await guardian?.release();
    if (isInNamespace) removeKernelWork(paths.work);
    removeMasks(paths);
    if (stage !== null) removeTree(stage);
  };
  try {
    // Two mounts must not write to one layer.
    if (before !== null) await overlays?.clear();
    if (before !== null) await waitForImage(before);
    if (before !== null) await endNamespace(before);
    if (before !== null) await settleBefore(before, options);
    if (stage !== null) chownSync(stage, 0, user.gid);
    const plan =
      mode === "none" || carrier !== null
        ? { records: [], sources: [], overlay: newId("store") }
        : hostMounts(profile, { user, paths, isTransactional, mount, before, isStaged: stage !== null, takeImage: options.takeImage ?? (() => false) });
    if (isTransactional) await recordStart(profile, { options, user, mount, plan, scan: before === null ? scans[0] : null });
    const overlay = mounterOf(mount) === undefined ? null : await planMaskedOverlay(workspace.path, { name: plan.overlay ?? "", paths, scan: scans[0] });
    const lock = lockRecord(options.runDirectory);
    if (overlay !== null && isInNamespace) guardian = await holdOverlay(lock, overlay, paths.merged);
    // Of a run whose overlay the engine mounts it keeps the lock alone.
    else if (plan.records.length > 0 || overlay !== null) guardian = await holdMounts([lock, ...plan.records]);
    if (overlay !== null) held = (await overlays?.hold(overlay)) ?? null;
    const cargo = { name: plan.overlay ?? "", user, scans, upper: overlay?.upper ?? null, isContinued: before !== null };
    const carried = (await carrier?.carry(cargoOf(profile, cargo))) ?? null;
    if (carried !== null) held = carried;
    const namespace = isInNamespace && guardian !== null ? { pid: guardian.pid, view: paths.merged } : null;
    const view: PlannedMount | null = namespace === null ? overlay : { kind: "bind", source: namespace.view, target: workspace.path, isReadOnly: false };
    const mounts = containerMounts(profile, { scans, sources: plan.sources, paths, view, carried });
    const bound = mount === "bind" ? watchBound(profile, scans, join(options.runDirectory, "quarantine")) : null;
    const masked = carried !== null ? scans.flatMap((scan) => scan.masked) : view !== null ? (scans[0]?.masked ?? []) : [];
    return {
      profile,
      user,
      home: homeInside(profile.home),
      mounts,
      namespace,
      isTransactional,
      mount,
      hidden: [...ownDirectories(profile), ...masked.map(({ path }) => path)],
      bound,
      directory: stage ?? paths.base,
      fetch: async () => carried?.fetch(),
      release,
    };
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

/** What lies in a root is masked there. A file, such as a policy's, may be read. */
function ownDirectories({ ownPaths, roots }: SandboxProfile): readonly string[] {
  return ownPaths.filter((path) => !roots.some((root) => isWithin(path, root.path)) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}

/** Root mounts by itself, an ordinary user through the engine, or without one in a user namespace. */
function mountOf(mode: string, isTransactional: boolean, { overlays, carrier }: PrepareOptions): WorkspaceMount {
  if (mode === "none") return "none";
  if (carrier !== undefined) return isTransactional ? "overlay-elsewhere" : "copy-elsewhere";
  if (!isTransactional) return "bind";
  if (process.getuid?.() === 0) return "overlay-by-guardian";
  return overlays === undefined ? "overlay-in-user-namespace" : "overlay-by-engine";
}

function userOf(workspace: string): SandboxUser {
  const owner = statSync(workspace);
  const own = process.getuid?.();
  if (own !== 0 && owner.uid !== own)
    throw new AgentError("sandbox-unavailable", `${workspace} belongs to the user ${String(owner.uid)}.`, { remedy: "Run Warder as this user or as root." });
  return { uid: owner.uid === 0 ? UNPRIVILEGED_USER.uid : owner.uid, gid: owner.gid === 0 ? UNPRIVILEGED_USER.gid : owner.gid };
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
    if (!isOverlaid || mounterOf(mount) !== undefined) return source;
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

async function recordStart(
  profile: SandboxProfile,
  start: {
    options: PrepareOptions;
    user: SandboxUser;
    mount: WorkspaceMount;
    plan: HostPlan;
    /** Null: the manifest of an earlier session stays. */ scan: Scan | null | undefined;
  },
): Promise<void> {
  const { options, user, scan } = start;
  const { image = null, overlay } = start.plan;
  const workspace = profile.roots[0]?.path ?? "";
  const owner = ownerOf(process.pid);
  if (owner === null || scan === undefined) throw new AgentError("broken-invariant", "A session starts without its own process or workspace.");
  if (scan !== null) {
    const { manifest: file, beginnings } = workspacePaths(options.runDirectory);
    const manifest = manifestOf(workspace, scan.entries);
    writeManifest(file, manifest);
    writeBeginnings(beginnings, await readBeginnings(workspace, manifest.keys()));
  }
  const named = overlay === undefined ? {} : { overlay };
  const { carrier } = options;
  const mounter = mounterOf(start.mount);
  const elsewhere = carrier === undefined ? {} : { elsewhere: { address: carrier.address, imageId: carrier.imageId, store: overlay ?? "" } };
  writeRecord(options.runDirectory, {
    version: 1,
    runId: options.runId,
    workspace,
    inode: inodeOf(workspace),
    user,
    owner,
    image,
    ...named,
    ...(mounter === undefined ? {} : { mounter }),
    ...elsewhere,
    state: "open",
  });
}
