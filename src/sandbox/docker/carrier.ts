import type Docker from "dockerode";
import { Readable } from "node:stream";
import type { Carried, Cargo, Carrier, LeftElsewhere, Settle, VolumeMount } from "../mounts.ts";
import { PROGRAMS_TARGET } from "../hardening.ts";
import { layerOn, packCargo, STORE_PARTS } from "../workspace/transport/cargo.ts";
import { receiveLayer, sendLayer } from "../workspace/transport/layer.ts";
import { labelsOf, ownerLabel } from "./elsewhere/labels.ts";
import { type AskedEngine, createWorker, hasVolume, removeContainer, removeVolume, runWorker, STORE_TARGET } from "./elsewhere/store.ts";
import { type Engine, engineError, findImage, isPodman } from "./engine.ts";
import { engineInfo } from "./reach/info.ts";
import { isRootless, placementOf } from "./elsewhere/placement.ts";
import type { DockerLanePlan } from "./lane.ts";
import { type EngineInfo, mountFault } from "./overlay-volume.ts";
import { AgentError } from "../../base/errors.ts";
import { overlayOptions } from "./overlay-options.ts";

/** On a volume that holds what a run wrote: the directory of the run, which alone it may be brought back to. */
export const STORE_LABEL = "warder.store";

type CarrierPlan = { readonly runId: string; readonly runDirectory: string; readonly because: string };

/**
 * Carries a run to an engine that has not this machine's files. All of it lies in one volume of the engine, and nothing in it is a path of this machine:
 * the programs, the roots, and the layer that the run writes. Other volumes show parts of it.
 */
function carrierOf(engine: AskedEngine, plan: CarrierPlan): Carrier {
  return {
    address: engine.address.name,
    imageId: engine.imageId,
    because: plan.because,
    settle: (left, run, keep) => asked(() => settle(engine, left, run, keep)),
    carry: (cargo) => asked(() => carry(engine, plan, cargo)),
  };
}

/** Null where the engine has this machine's files. Throws `sandbox-unavailable` for one elsewhere that cannot show a copy of them. */
export async function carrierFor({ engine, profile, options }: DockerLanePlan): Promise<Carrier | null> {
  return await asked(async () => {
    const placement = await placementOf({ ...engine, isPodman: () => isPodman(engine), findImage: () => findImage(engine, profile) }, { profile, options });
    if (placement.isHere) return null;
    // A rootless engine maps users, and what is carried belongs to whom it should there.
    const info = await engineInfo<EngineInfo & { readonly Architecture?: string }>(engine.docker);
    const fault = (await isPodman(engine))
      ? "Podman shows no run a copy of a workspace"
      : (mountFault(isRootless(info) ? { ...info, SecurityOptions: [] } : info) ?? architectureFault(info.Architecture));
    if (fault !== null)
      throw new AgentError("sandbox-unavailable", `${fault}, and the engine at ${engine.address.name} has not this machine's files: ${placement.because}.`, {
        remedy: "Use an engine on this machine, or Docker Engine without user mapping there.",
      });
    const { runId, runDirectory } = options;
    return carrierOf({ ...engine, imageId: await findImage(engine, profile) }, { runId, runDirectory, because: placement.because });
  });
}

/** Its own programs go along. */
function architectureFault(architecture: string | undefined): string | null {
  const names: Partial<Record<NodeJS.Architecture, string>> = { x64: "x86_64", arm64: "aarch64" };
  return architecture === names[process.arch] ? null : `Warder's programs for ${process.arch} do not run on ${architecture ?? "an unknown machine"}`;
}

/** For reaping: brings back what runs left on this engine, and refuses what they left on another. */
export function settlerOf(engine: Engine): Settle {
  return (left, run, keep) => {
    if (left.address !== engine.address.name)
      throw new AgentError("sandbox-unavailable", `what it wrote is on the engine at ${left.address}, and this is the one at ${engine.address.name}.`, {
        remedy: "Set DOCKER_HOST to it.",
      });
    return asked(() => settle({ ...engine, imageId: left.imageId }, left, run, keep));
  };
}

async function carry(engine: AskedEngine, plan: CarrierPlan, cargo: Cargo): Promise<Carried> {
  const { docker } = engine;
  const { runId, runDirectory } = plan;
  const store = cargo.name;
  const volumes: string[] = [];
  const packing: Docker.Container[] = [];
  let isOwed = false;
  const remove = async (): Promise<void> => {
    for (const worker of packing) await removeContainer(worker);
    // The volume that the others show parts of goes last.
    for (const name of volumes.toReversed()) if (name !== store || !isOwed) await removeVolume(docker, name);
  };
  try {
    volumes.push(store);
    await docker.createVolume({ Name: store, Driver: "local", Labels: { ...labelsOf(runId), [STORE_LABEL]: runDirectory } });
    const first = await createPacking(engine, { runId, store, at: 0 });
    packing.push(first);
    await first.putArchive(Readable.from(packCargo(cargo)), { path: STORE_TARGET });
    for (const [at, upper] of cargo.uppers.entries()) {
      if (at > 0) packing.push(await createPacking(engine, { runId, store, at }));
      if (cargo.isContinued) await sendUpper(engine, { upper, at }, { runId, store, user: cargo.user });
    }
    const { Mountpoint: place } = await docker.getVolume(store).inspect();
    const mounts: VolumeMount[] = [];
    const show = async (part: string, mount: Pick<VolumeMount, "target" | "isReadOnly">, driver?: Record<string, string>): Promise<void> => {
      const name = `${store}-${part}`;
      volumes.push(name);
      const DriverOpts = driver ?? { type: "none", o: "bind,nosuid,nodev,ro", device: `${place}/${part}` };
      await docker.createVolume({ Name: name, Driver: "local", DriverOpts, Labels: labelsOf(runId) });
      mounts.push({ kind: "volume", name, ...mount });
    };
    await show(STORE_PARTS.programs, { target: PROGRAMS_TARGET, isReadOnly: true });
    for (const [index, { path }] of cargo.roots.entries()) {
      const part = STORE_PARTS.root(index);
      const at = layerOn(cargo, index);
      if (at === null) {
        await show(part, { target: path, isReadOnly: true });
        continue;
      }
      const layers = { lowers: [`${place}/${part}`], upper: `${place}/${STORE_PARTS.upper(at)}`, work: `${place}/${STORE_PARTS.work(at)}` };
      await show(part, { target: path, isReadOnly: false }, { type: "overlay", device: "overlay", o: overlayOptions(layers, false) });
    }
    let releasing: Promise<void> | null = null;
    return {
      mounts,
      fetch: () =>
        asked(async () => {
          if (cargo.uppers.length === 0) return;
          isOwed = true;
          for (const [at, upper] of cargo.uppers.entries()) await receiveFrom(engine, packing[at] ?? first, { upper, user: cargo.user });
          isOwed = false;
        }),
      release: () => (releasing ??= asked(remove)),
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function receiveFrom(
  engine: AskedEngine,
  packing: Docker.Container,
  { upper, user }: { readonly upper: string; readonly user: Cargo["user"] },
): Promise<void> {
  await runWorker(engine, packing, async ({ stdout }) => {
    await receiveLayer(upper, stdout, { user });
  });
}

/** What an earlier session of the run wrote, which lies on this machine. */
async function sendUpper(
  engine: AskedEngine,
  { upper, at }: { readonly upper: string; readonly at: number },
  { runId, store, user }: { readonly runId: string; readonly store: string; readonly user: Cargo["user"] },
): Promise<void> {
  const limits = [String(Number.MAX_SAFE_INTEGER), String(Number.MAX_SAFE_INTEGER), String(user.uid), String(user.gid)];
  const capabilities = ["DAC_OVERRIDE", "CHOWN", "FOWNER", "FSETID"];
  const unpacking = await createWorker(engine, { runId, store, argv: ["unpack", `${STORE_TARGET}/${STORE_PARTS.upper(at)}`, ...limits], capabilities });
  try {
    await runWorker(engine, unpacking, async ({ stdin, stdout }) => {
      stdout.resume();
      await sendLayer(upper, stdin);
      if (!stdout.closed) await new Promise((resolve) => stdout.once("close", resolve));
    });
  } finally {
    await removeContainer(unpacking);
  }
}

/** See `Settle`. */
async function settle(engine: AskedEngine, { store }: LeftElsewhere, { runId, user, uppers }: Parameters<Settle>[1], keep: () => void): Promise<boolean> {
  const { docker } = engine;
  const label = [`warder.run=${runId}`, ownerLabel()];
  for (const { Id: id } of await docker.listContainers({ all: true, filters: { label } })) await removeContainer(docker.getContainer(id));
  const isFound = await hasVolume(docker, store);
  if (isFound) {
    for (const [at, upper] of uppers.entries()) {
      const packing = await createPacking(engine, { runId, store, at });
      try {
        await receiveFrom(engine, packing, { upper, user });
      } finally {
        await removeContainer(packing);
      }
    }
  }
  keep();
  const found: { readonly Volumes: readonly { readonly Name: string }[] | null } = await docker.listVolumes({ filters: JSON.stringify({ label }) });
  const names = (found.Volumes ?? []).map(({ Name: name }) => name);
  for (const name of names.toSorted((one, other) => other.length - one.length)) await removeVolume(docker, name);
  return isFound;
}

async function createPacking(
  engine: AskedEngine,
  { runId, store, at }: { readonly runId: string; readonly store: string; readonly at: number },
): Promise<Docker.Container> {
  return await createWorker(engine, { runId, store, argv: ["pack", `${STORE_TARGET}/${STORE_PARTS.upper(at)}`, "user"], capabilities: ["DAC_OVERRIDE"] });
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw engineError(error);
  }
}
