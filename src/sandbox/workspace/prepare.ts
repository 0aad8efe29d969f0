import { chownSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { containerMounts } from "./container-mounts.ts";
import { cargoOf, requireCarriable } from "./transport/carriable.ts";
import { settleBefore } from "./transport/settle-before.ts";
import { layShown, planMaskedOverlay } from "./masked-overlay.ts";
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
import { HOOKS_TARGET, PROGRAMS_TARGET } from "../hardening.ts";
import { layRunHooks } from "./run-hooks.ts";
import { keepsChanges, type OpenOptions, type SandboxProfile } from "../runtime.ts";
import { type BoundWatch, watchBound, watchMounts } from "./scan/quarantine.ts";
import { type Guardian, holdMounts } from "./mounts/guardian.ts";
import { waitForImage } from "./mounts/image.ts";
import { type HostPlan, hostMounts, nameOf } from "./host-mounts.ts";
import { type Manifest, manifestOf, writeManifest } from "./scan/manifest.ts";
import { writePublicCopies } from "./mounts/public-copies.ts";
import { makeDirectories, removeMasks, removeTree, stageOf } from "./mounts/directories.ts";
import { inodeOf, mounterOf, workspacePaths, writeRecord } from "./record.ts";
import { type Beginnings, readBeginnings, writeBeginnings } from "./repository/beginnings.ts";
import { keepIndexes } from "./repository/begun-files.ts";
import { lockRecord, withoutGuardians } from "./mounts/run-lock.ts";
import { endNamespace, holdOverlays, removeKernelWork, requireOwnGroup } from "./mounts/user-namespace.ts";
import { checkRoots, homeInside, isWithin } from "./scan/roots.ts";
import type { Scan } from "./scan/scan.ts";
import { scanRoots } from "./scan/all-roots.ts";
import { type Tree, treesIn } from "./trees.ts";

/** A workspace whose mounts are in place on the host, ready for a container. */
export type PreparedWorkspace = {
  readonly profile: SandboxProfile;
  readonly user: SandboxUser;
  /** HOME inside. */
  readonly home: string;
  readonly mounts: readonly PlannedMount[];
  /** Where git finds, inside, the hooks that name the run in its commits; null: nothing names it. */
  readonly hooks: string | null;
  /** What a sandbox must join to see them all; null: this process does. */
  readonly namespace: MountNamespace | null;
  readonly isTransactional: boolean;
  readonly mount: WorkspaceMount;
  /** Paths that nothing inside may see: Warder's state, and what policy forbids where no mount stands in its place. */
  readonly hidden: readonly string[];
  /** Files that patterns of keys name and that are shown nonetheless, as they were measured. */
  readonly publicOnly: ReadonlySet<string>;
  /** Those of them that no layer of the run lies over. */
  readonly publicHeld: ReadonlySet<string>;
  /** What may hold a private key, and is hidden. */
  readonly privateKeys: ReadonlySet<string>;
  /** Looks after what commands leave in a workspace that is the host's own; null where it is not. */
  readonly bound: BoundWatch | null;
  /** What its mounts hide or hold no longer, because somebody replaced it on the host. */
  uncovered(): readonly string[];
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
  const engine = mount === "overlay-by-engine" ? (options.overlays ?? null) : null;
  const carrier = options.carrier ?? null;
  if (carrier !== null) requireCarriable(profile, carrier);
  const isInNamespace = mount === "overlay-in-user-namespace";
  const trees = isTransactional ? treesIn(paths, workspace.path, profile.repository) : [];
  if (isInNamespace) for (const { root } of trees) requireOwnGroup(root);
  const lookedAt = options.lookedAt === undefined ? undefined : { directory: options.lookedAt, now: Date.now() };
  const scans = mode === "none" ? [] : scanRoots(profile, carrier !== null ? "all" : isTransactional ? "changed" : "none", lookedAt);
  const scanOf = ({ root }: Tree): Scan => scans[profile.roots.findIndex(({ path }) => path === root)] ?? lost();
  const start = isTransactional && trees[0] !== undefined ? readStart(profile, scanOf(trees[0])) : null;
  // Under the lock, so that what is read of an earlier session is still so when this process has made the run its own.
  const before = await withoutGuardians(options.runDirectory, () => {
    const record = isTransactional ? continued(options.runDirectory, profile, { user, mount }) : null;
    makeDirectories(paths, record !== null);
    return record;
  });
  let guardian: Guardian | null = null;
  const held: Pick<Guardian, "release">[] = [];
  const release = async (): Promise<void> => {
    try {
      for (const each of held.toReversed()) await each.release();
    } finally {
      // Also when the engine is gone: this process cannot end before what holds the run for it.
      await guardian?.release();
      if (isInNamespace) for (const { work } of trees) removeKernelWork(work);
      removeMasks(paths);
      rmSync(join(paths.stage, "hooks"), { recursive: true, force: true });
      if (stage !== null) removeTree(stage);
    }
  };
  try {
    // Two mounts must not write to one layer.
    if (before !== null) await engine?.clear();
    if (before !== null) await waitForImage(before);
    if (before !== null) await endNamespace(before);
    if (before !== null) await settleBefore(before, options);
    if (stage !== null) chownSync(stage, 0, user.gid);
    const copies = writePublicCopies(paths.publicParts, scans);
    const byRoot = mount === "overlay-by-guardian" ? trees[0] : undefined;
    const laidOver = byRoot !== undefined && (await layShown(paths.shownLayer, byRoot, { scan: scanOf(byRoot), user })) ? byRoot : null;
    const plan =
      mode === "none" || carrier !== null
        ? { records: [], sources: [], overlay: newId("store") }
        : hostMounts(profile, { user, paths, trees, laidOver, mount, before, isStaged: stage !== null, takeImage: options.takeImage ?? (() => false) });
    if (isTransactional) await recordStart(profile, { options, user, mount, plan, start: before === null ? start : null });
    const masked = mounterOf(mount) === undefined ? [] : trees;
    const planned = masked.map((tree) => planMaskedOverlay(tree, { name: nameOf(plan.overlay ?? "", tree), scan: scanOf(tree) }));
    const overlays = await Promise.all(planned);
    const lock = lockRecord(options.runDirectory);
    if (isInNamespace) guardian = await holdOverlays(lock, overlays, trees);
    // Of a run whose overlays the engine mounts it keeps the lock alone.
    else if (plan.records.length > 0 || overlays.length > 0) guardian = await holdMounts([lock, ...plan.records]);
    if (engine !== null) for (const overlay of overlays) held.push(await engine.hold(overlay));
    const hooks = mode === "none" ? null : hooksFor(profile, join(paths.stage, "hooks"), options.commitTrailer);
    const cargo = { hooks, name: plan.overlay ?? "", user, scans, copies, uppers: masked.map(({ rootUpper }) => rootUpper), isContinued: before !== null };
    const carried = (await carrier?.carry(cargoOf(profile, cargo))) ?? null;
    if (carried !== null) held.push(carried);
    const namespace = isInNamespace && guardian !== null ? { pid: guardian.pid, view: paths.merged } : null;
    const bindOf = ({ root: target, merged: source }: Tree): PlannedMount => ({ kind: "bind", source, target, isReadOnly: false });
    const views = namespace === null ? overlays : trees.map(bindOf);
    const isHeld = ({ path }: SandboxProfile["roots"][number]): boolean => path !== laidOver?.root && !masked.some(({ root }) => root === path);
    const heldScans = scans.map((scan, index) => (profile.roots[index] !== undefined && isHeld(profile.roots[index]) ? scan : { ...scan, shown: [] }));
    const mounts = containerMounts(profile, { scans: heldScans, sources: plan.sources, paths, views, carried, hooks, copies });
    const bound = mount === "bind" ? watchBound(profile, scans, join(options.runDirectory, "quarantine")) : null;
    const isMounted = ({ path }: SandboxProfile["roots"][number]): boolean => carried === null && !trees.some(({ root }) => root === path);
    const uncovered = watchMounts(
      profile.roots.flatMap((root, index) => {
        const scan = scans[index];
        return scan === undefined || !isMounted(root) ? [] : [{ isReadOnly: root.access === "read", scan }];
      }),
    );
    const unseen = carried !== null ? scans : masked.map(scanOf);
    return {
      profile,
      user,
      home: homeInside(profile.home),
      hooks: hooks === null ? null : carried === null ? HOOKS_TARGET : `${PROGRAMS_TARGET}/hooks`,
      mounts,
      namespace,
      isTransactional,
      mount,
      hidden: [...ownDirectories(profile), ...unseen.flatMap((scan) => scan.masked.map(({ path }) => path))],
      publicOnly: new Set(copies.keys()),
      publicHeld: new Set(heldScans.flatMap(({ shown }) => shown.map(({ path }) => path))),
      privateKeys: new Set(scans.flatMap(({ keys }) => keys)),
      bound,
      uncovered,
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

/** The directory, or null where nothing is to name the run. */
function hooksFor({ roots, repository }: SandboxProfile, directory: string, trailer: string | undefined): string | null {
  if (trailer === undefined) return null;
  layRunHooks(directory, { trailer, own: join(repository?.path ?? join(roots[0]?.path ?? "/", ".git"), "hooks") });
  return directory;
}

function lost(): never {
  throw new AgentError("broken-invariant", "What a run changes was not looked through.");
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

/** What a workspace is when a run begins. */
type Start = { readonly manifest: Manifest; readonly beginnings: Promise<Beginnings> };

/** Git reads while the rest is made ready. */
function readStart({ roots, repository }: SandboxProfile, scan: Scan): Start {
  const workspace = roots[0]?.path ?? "";
  const manifest = manifestOf(workspace, scan.entries);
  const beginnings = readBeginnings(workspace, manifest.keys(), repository);
  // Whoever waits for it hears of a fault. Nobody does where an earlier session goes on, or something else fails first.
  beginnings.catch(() => undefined);
  return { manifest, beginnings };
}

async function recordStart(
  profile: SandboxProfile,
  opened: {
    options: PrepareOptions;
    user: SandboxUser;
    mount: WorkspaceMount;
    plan: HostPlan;
    /** Null: that of an earlier session stays. */ start: Start | null;
  },
): Promise<void> {
  const { options, user, start } = opened;
  const { image = null, overlay } = opened.plan;
  const workspace = profile.roots[0]?.path ?? "";
  const owner = ownerOf(process.pid);
  if (owner === null) throw new AgentError("broken-invariant", "This process is not in /proc.");
  if (start !== null) {
    const { manifest, beginnings, indexes } = workspacePaths(options.runDirectory);
    writeManifest(manifest, start.manifest);
    const found = await start.beginnings;
    writeBeginnings(beginnings, found);
    keepIndexes(indexes, { workspace, linked: profile.repository }, found.keys());
  }
  const named = overlay === undefined ? {} : { overlay };
  const { carrier } = options;
  const mounter = mounterOf(opened.mount);
  const elsewhere = carrier === undefined ? {} : { elsewhere: { address: carrier.address, imageId: carrier.imageId, store: overlay ?? "" } };
  writeRecord(options.runDirectory, {
    version: 1,
    runId: options.runId,
    workspace,
    inode: inodeOf(workspace),
    ...(profile.repository === undefined ? {} : { repository: { ...profile.repository, inode: inodeOf(profile.repository.path) } }),
    user,
    owner,
    image,
    ...named,
    ...(mounter === undefined ? {} : { mounter }),
    ...elsewhere,
    state: "open",
  });
}
