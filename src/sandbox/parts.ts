import { rmSync } from "node:fs";
import { AgentError } from "../base/errors.ts";
import { openEgress, type SessionTraffic } from "./egress/session.ts";
import type { Egress } from "./egress/start.ts";
import { layTrust } from "./egress/tls/trust.ts";
import { EGRESS_TARGET } from "./hardening.ts";
import type { Lane, OpenLane } from "./lane.ts";
import type { Carrier, EngineOverlays } from "./mounts.ts";
import { MAX_TEXT_BYTES, type OpenOptions, type Property, type Runtime, type SandboxProfile } from "./runtime.ts";
import { probeBoundary, requireBoundary } from "./self-check/probe.ts";
import { layAptSettings, layHomeFiles } from "./registry-clients.ts";
import { isUnchanged } from "./workspace/changes/landed.ts";
import { removeTree } from "./workspace/mounts/directories.ts";
import { type PreparedWorkspace, prepareWorkspace } from "./workspace/prepare.ts";
import { owedFrom, readRecord, withoutDebt, workspacePaths, type WorkspaceRecord, writeRecord } from "./workspace/record.ts";
import { retire } from "./workspace/changes/set-aside.ts";

/** A workspace, the lane that works in it, what was found of its boundary, and its way out where policy gives one. */
export type Opened = {
  readonly workspace: PreparedWorkspace;
  readonly lane: Lane;
  readonly probed: readonly Property[];
  readonly egress: Egress | null;
};

export type SessionPlan = {
  readonly runtime: Runtime["name"];
  readonly profile: SandboxProfile;
  readonly options: OpenOptions;
  readonly isReachable: boolean;
  readonly openLane: OpenLane;
  /** The same in the image that the workspace's profile names, whatever the session's is. Absent: the runtime has no other image. */
  readonly openInImage?: OpenLane;
  /** Where the engine listens on this machine: nothing inside may see it. */
  readonly sockets?: readonly string[];
  /** How the engine mounts the workspace's overlay where this process may not. Absent: it cannot. */
  readonly overlays?: EngineOverlays;
  /** How the run goes to an engine that has not this machine's files. Absent: it has. */
  readonly carrier?: Carrier;
  /** Puts an empty file system for the workspace's layers at a path; false where none is ready. Absent: it is made. */
  readonly takeImage?: (path: string) => boolean;
};

/** Throws what a runtime throws, and `sandbox-unavailable` where `judge` does not take what was found of the boundary; then nothing is left. */
export async function openParts(plan: SessionPlan, traffic: SessionTraffic, judge: (probed: readonly Property[]) => void = requireBoundary): Promise<Opened> {
  const workspace = await prepareWorkspace(plan.profile, {
    ...plan.options,
    isReachable: plan.isReachable,
    ...(plan.carrier === undefined ? {} : { carrier: plan.carrier }),
    ...(plan.overlays === undefined ? {} : { overlays: plan.overlays }),
    ...(plan.takeImage === undefined ? {} : { takeImage: plan.takeImage }),
  });
  let lane: Lane | null = null;
  let egress: Egress | null = null;
  try {
    egress = await openEgress(plan.profile.settings.network, plan.options, {
      directory: `${workspace.directory}/egress`,
      traffic,
      registries: plan.profile.registries,
    });
    lane = await plan.openLane(workspace, {
      egressDirectory: egress?.directory ?? null,
      onLost: () => {
        // A rejection has nobody to go to here; the session's own close meets the same error and reports it.
        lane?.close().catch(() => undefined);
      },
    });
    const probed = await probeBoundary(lane, workspace, plan);
    judge(probed);
    const opened = { workspace, lane, probed, egress };
    if (egress !== null) {
      const read = (path: string): Promise<string | null> => textOf(opened.lane, path);
      await layTrust(egress, EGRESS_TARGET, read);
      const release = /^VERSION_CODENAME=["']?([a-z]+)/mu.exec((await read("/etc/os-release")) ?? "")?.[1] ?? "stable";
      layAptSettings(plan.profile, { directory: egress.directory, home: workspace.home, release });
      await layHomeFiles(plan.profile, { lane, home: workspace.home });
    }
    return opened;
  } catch (error) {
    try {
      await closeParts({ workspace, lane, egress }, plan.options.runDirectory);
    } catch (left) {
      // What failed first is what a person must know. What is left is reaped by the next start.
      if (!(left instanceof AgentError)) throw left;
    }
    throw error;
  }
}

export async function closeParts(
  parts: Pick<Opened, "workspace"> & { readonly lane: Lane | null; readonly egress: Egress | null },
  runDirectory: string,
): Promise<void> {
  try {
    try {
      await parts.lane?.close();
    } finally {
      await parts.egress?.close();
    }
  } finally {
    await closeWorkspace(parts.workspace, runDirectory);
  }
}

/** Unmounts; forgets the run directory's part unless there are changes to review. */
async function closeWorkspace(workspace: PreparedWorkspace, runDirectory: string): Promise<void> {
  const paths = workspacePaths(runDirectory);
  try {
    // What cannot be brought back now stays where it is, and the record says where.
    await workspace.fetch();
    const record = workspace.isTransactional ? broughtBack(runDirectory) : null;
    const isEmpty = record === null || isUnchanged(runDirectory, record);
    await workspace.release();
    if (record === null) return removeTree(paths.base);
    if (isEmpty) retire(runDirectory, record);
    else writeRecord(runDirectory, { ...record, state: "closed" });
    rmSync(paths.owner, { force: true });
  } finally {
    await workspace.release();
  }
}

/** From here on it is this machine that has what the run wrote: whoever looks at it later does not ask an engine. */
function broughtBack(runDirectory: string): WorkspaceRecord | null {
  const record = readRecord(runDirectory);
  if (record === null || owedFrom(record) === null) return record;
  const paid = withoutDebt(record);
  writeRecord(runDirectory, paid);
  return paid;
}

/** A lane of a job's own: the same workspace, the same way out, the same boundary. */
export async function openJobLane(plan: SessionPlan, { workspace, egress }: Opened): Promise<Lane> {
  const lane = await openLaneIn(plan, workspace, egress?.directory ?? null);
  try {
    await layHomeFiles(plan.profile, { lane, home: workspace.home });
    return lane;
  } catch (error) {
    await lane.close();
    throw error;
  }
}

/** A further lane in a prepared workspace, whose boundary was looked at. Throws `sandbox-unavailable`; then nothing is left. */
export async function openLaneIn(
  plan: SessionPlan,
  workspace: PreparedWorkspace,
  egressDirectory: string | null,
  onLost: () => void = () => undefined,
): Promise<Lane> {
  let lane: Lane | null = null;
  lane = await plan.openLane(workspace, {
    egressDirectory,
    onLost: () => {
      lane?.close().catch(() => undefined);
      onLost();
    },
  });
  try {
    requireBoundary(await probeBoundary(lane, workspace, plan));
    return lane;
  } catch (error) {
    await lane.close();
    throw error;
  }
}

export async function bytesOf(lane: Lane, path: string, most: number): Promise<Buffer | null> {
  const reply = await lane.supervisor.read({ path, offset: 0, length: most });
  return reply.kind === "failed" || reply.value.size > most ? null : Buffer.from(reply.value.bytes);
}

export async function textOf(lane: Lane, path: string): Promise<string | null> {
  const bytes = await bytesOf(lane, path, MAX_TEXT_BYTES);
  try {
    return bytes === null ? null : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
