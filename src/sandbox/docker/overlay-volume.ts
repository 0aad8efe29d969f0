import { chmodSync, rmdirSync, rmSync, statSync } from "node:fs";
import { release as kernelRelease } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { VolumeInspectInfo } from "dockerode";
import { AgentError } from "../../base/errors.ts";
import type { EngineOverlays, OverlayMount } from "../mounts.ts";
import { isOfThisBoot, isOwnerAlive, ownerOf } from "../owner.ts";
import { type Engine, engineError, findImage, isGone, statusOf } from "./engine.ts";
import { type EngineKind, engineKind } from "./engine-kind.ts";
import { type DockerLanePlan, removeByForce } from "./lane.ts";
import { overlayOptions } from "./overlay-options.ts";
import { engineInfo } from "./reach/info.ts";

/** The engine lets go of a volume a moment after its last container. */
const REMOVE_TIMEOUT_MS = 10_000;
const REMEDY = "Run Warder as root, use Docker Engine without user mapping on a newer kernel, or choose a policy with `sandbox.workspace: bind`.";
const WORK_LABEL = "warder.work";

/**
 * Overlays that the engine mounts, as volumes of its local driver: for a process that may not mount. Two sandboxes that have the same volume have
 * one mount, which ends with the last of them.
 */
export function engineOverlays({ engine, profile, options }: DockerLanePlan): EngineOverlays {
  return {
    clear: () => asked(() => clearRun(engine, options.runId)),
    hold: async (overlay) => {
      const kind = await engineKind(engine);
      // Podman is a process of this machine, and is told how users are mapped.
      const fault = mountFault(kind.isPodman ? { KernelVersion: kernelRelease() } : await asked(() => engineInfo<EngineInfo>(engine.docker)));
      if (fault !== null) throw new AgentError("sandbox-unavailable", `${fault} for a user who is not root.`, { remedy: REMEDY });
      await asked(() => createVolume(engine, overlay, { runId: options.runId, kind }));
      let releasing: Promise<void> | null = null;
      const release = async (): Promise<void> => {
        await removeVolume(engine, overlay.name);
        if (!isWorkRemoved(overlay.work)) await removeWork(engine, overlay.work, { image: await findImage(engine, profile), runId: options.runId });
      };
      return { release: () => (releasing ??= asked(release)) };
    },
  };
}

/** Removes volumes whose owner is dead, as `reapContainers` does. Returns a line for each, also for one that stays. */
export async function reapOverlays(engine: Engine, isShared = false): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { Name: name, Labels: labels } of await volumesLabelled(engine, "warder.owner")) {
    const owner = labels["warder.owner"] ?? "";
    if (isOwnerAlive(owner) || (isShared && !isOfThisBoot(owner))) continue;
    const what = `the overlay ${name} of ${labels["warder.run"] ?? "an unknown run"}`;
    try {
      await asked(() => removeVolume(engine, name));
      lines.push(`removed ${what}`);
    } catch (error) {
      // As with a container: one that the engine keeps must not stop every later start.
      lines.push(`could not remove ${what}: ${engineError(error).message}`);
      continue;
    }
    const work = labels[WORK_LABEL];
    if (work !== undefined && !isWorkRemoved(work)) await removeWork(engine, work, { image: await findImage(engine, {}), runId: labels["warder.run"] ?? "" });
  }
  return lines;
}

export type EngineInfo = { readonly SecurityOptions?: readonly string[] | null; readonly KernelVersion?: string };

/** Why an engine that says this of itself cannot mount a workspace for whoever asks it, as the beginning of a sentence; or null. Podman is told how users are mapped. */
export function mountFault({ SecurityOptions: options, KernelVersion: kernel = "" }: EngineInfo): string | null {
  const mapping = options?.find((option) => /^name=(?:rootless|userns)\b/u.test(option));
  // What a command writes would belong to another user, who alone could land it.
  if (mapping !== undefined) return `An engine that maps users (${mapping.slice("name=".length)}) mounts no transactional workspace`;
  const [major = 0, minor = 0] = (/^(\d+)\.(\d+)/u.exec(kernel)?.slice(1) ?? []).map(Number);
  return major < 5 || (major === 5 && minor < 11) ? `Linux ${kernel}, older than 5.11, mounts no transactional workspace` : null;
}

async function createVolume(engine: Engine, overlay: OverlayMount, { runId, kind }: { readonly runId: string; readonly kind: EngineKind }): Promise<void> {
  const owner = ownerOf(process.pid);
  if (owner === null) throw new AgentError("broken-invariant", "This process is not in /proc.");
  await engine.docker.createVolume({
    Name: overlay.name,
    Driver: "local",
    DriverOpts: { type: "overlay", device: "overlay", o: overlayOptions(overlay, kind.isPodman) },
    Labels: { "warder.owner": owner, "warder.run": runId, [WORK_LABEL]: overlay.work },
  });
}

async function clearRun(engine: Engine, runId: string): Promise<void> {
  const label = [`warder.run=${runId}`];
  const containers = await engine.docker.listContainers({ all: true, filters: { label } });
  for (const { Id: id } of containers) await removeByForce(engine.docker.getContainer(id));
  for (const { Name: name } of await volumesLabelled(engine, ...label)) await removeVolume(engine, name);
}

async function volumesLabelled(engine: Engine, ...label: readonly string[]): Promise<readonly VolumeInspectInfo[]> {
  // Null where there are none.
  const found: { readonly Volumes: readonly VolumeInspectInfo[] | null } = await asked(() => engine.docker.listVolumes({ filters: JSON.stringify({ label }) }));
  return found.Volumes ?? [];
}

async function removeVolume(engine: Engine, name: string): Promise<void> {
  for (const deadline = performance.now() + REMOVE_TIMEOUT_MS; ; await sleep(20)) {
    try {
      return void (await engine.docker.getVolume(name).remove());
    } catch (error) {
      if (isGone(error)) return;
      if (statusOf(error) !== 409 || performance.now() > deadline) throw error;
    }
  }
}

/** The kernel keeps what it makes whiteouts of in a directory below `work`, until the next mount: it is whoever's who mounted, and closed to all. */
function isWorkRemoved(work: string): boolean {
  const own = join(work, "work");
  try {
    if (statSync(own).uid !== process.getuid?.()) rmdirSync(own);
    else {
      chmodSync(own, 0o700);
      rmSync(own, { recursive: true });
    }
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return true;
    if (code === "ENOTEMPTY" || code === "EACCES" || code === "EPERM") return false;
    throw error;
  }
}

/** Removes that directory through a container, which sees nothing else of the machine. */
async function removeWork(engine: Engine, work: string, { image, runId }: { readonly image: string; readonly runId: string }): Promise<void> {
  const container = await engine.docker.createContainer({
    Image: image,
    User: "0:0",
    Entrypoint: ["/bin/rm", "-rf", "/mnt/work"],
    Cmd: [],
    Env: [],
    NetworkDisabled: true,
    Labels: { "warder.owner": ownerOf(process.pid) ?? "", "warder.run": runId },
    HostConfig: {
      NetworkMode: "none",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      // What it removes lies in a directory that nobody may enter, below one of the user's.
      CapAdd: ["DAC_OVERRIDE"],
      SecurityOpt: ["no-new-privileges"],
      LogConfig: { Type: "none", Config: {} },
      Mounts: [{ Type: "bind", Source: work, Target: "/mnt", BindOptions: { Propagation: "rprivate" } }],
    },
  });
  try {
    await container.start();
    await container.wait();
  } finally {
    await removeByForce(container);
  }
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw engineError(error);
  }
}
