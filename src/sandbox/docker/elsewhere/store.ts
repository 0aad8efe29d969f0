import type Docker from "dockerode";
import type { ContainerCreateOptions, MountSettings } from "dockerode";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentError } from "../../../base/errors.ts";
import { type AttachedStreams, attachContainer } from "../reach/attach.ts";
import type { EngineAddress } from "../reach/address.ts";
import type { CallLimit } from "../reach/call-timeout.ts";
import { labelsOf } from "./labels.ts";

/** An engine, and an image that it has. */
export type AskedEngine = {
  readonly docker: Docker;
  readonly address: EngineAddress;
  readonly limit: CallLimit;
  readonly imageId: string;
};

/** The engine lets go of a volume a moment after its last container. */
const REMOVE_TIMEOUT_MS = 10_000;

/** Where a run's volume is mounted in a container that works with it. No command of the run ever runs there. */
export const STORE_TARGET = "/store";

const statusOf = (error: unknown): number | undefined => (error as { readonly statusCode?: number }).statusCode;

export function volumeMount(name: string, target: string, isReadOnly: boolean): MountSettings {
  // Labels and driver, which the client's types ask for, are for volumes that are not there yet. Nothing of the image is copied into it.
  return { Type: "volume", Source: name, Target: target, ReadOnly: isReadOnly, VolumeOptions: { NoCopy: true } as NonNullable<MountSettings["VolumeOptions"]> };
}

/** A container over a run's volume for `warder-host`, which lies in it; it can do what its capabilities say, and reaches nothing. */
export async function createWorker(
  { docker, imageId }: AskedEngine,
  worker: { readonly runId: string; readonly store: string; readonly argv: readonly string[]; readonly capabilities: readonly string[] },
): Promise<Docker.Container> {
  const options: ContainerCreateOptions = {
    Image: imageId,
    User: "0:0",
    Entrypoint: [`${STORE_TARGET}/programs/host`, ...worker.argv],
    Cmd: [],
    Env: [],
    WorkingDir: "/",
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    NetworkDisabled: true,
    Labels: labelsOf(worker.runId),
    HostConfig: {
      NetworkMode: "none",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      CapAdd: [...worker.capabilities],
      SecurityOpt: ["no-new-privileges"],
      LogConfig: { Type: "none", Config: {} },
      Mounts: [volumeMount(worker.store, STORE_TARGET, false)],
    },
  };
  return await docker.createContainer(options);
}

/** Starts it, lets `pass` do with its streams, and waits for its end. Throws `sandbox-unavailable` when it failed. */
export async function runWorker(
  { address, limit }: AskedEngine,
  container: Docker.Container,
  pass: (streams: AttachedStreams) => Promise<void>,
): Promise<void> {
  const streams = await attachContainer(address, container.id, limit);
  try {
    await container.start();
    await pass(streams);
    const { StatusCode: status } = (await container.wait()) as { readonly StatusCode: number };
    if (status !== 0) throw new AgentError("sandbox-unavailable", streams.complaint() || `warder-host ended with ${String(status)} on the engine`);
  } catch (error) {
    const complaint = streams.complaint();
    if (complaint === "" || (error instanceof AgentError && error.problem.includes(complaint))) throw error;
    throw new AgentError("sandbox-unavailable", `On the engine: ${complaint}`, { cause: error });
  } finally {
    streams.destroy();
  }
}

export async function removeContainer(container: Docker.Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    // Gone, or on its way.
    if (![404, 409].includes(statusOf(error) ?? 0)) throw error;
  }
}

/** Waits until nothing has it mounted any more. */
export async function removeVolume(docker: Docker, name: string): Promise<void> {
  for (const deadline = performance.now() + REMOVE_TIMEOUT_MS; ; await sleep(20)) {
    try {
      return void (await docker.getVolume(name).remove());
    } catch (error) {
      if (statusOf(error) === 404) return;
      if (statusOf(error) !== 409 || performance.now() > deadline) throw error;
    }
  }
}

export async function hasVolume(docker: Docker, name: string): Promise<boolean> {
  try {
    await docker.getVolume(name).inspect();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}
