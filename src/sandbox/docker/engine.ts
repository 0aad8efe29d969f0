import type Docker from "dockerode";
import type { ImageInspectInfo } from "dockerode";
import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { callbackify, promisify } from "node:util";
import { digestOf } from "../../base/digest.ts";
import { AgentError } from "../../base/errors.ts";
import { type EngineAddress, engineAddress, type EnginePlace } from "./reach/address.ts";
import { type CallLimit, callLimit } from "./reach/call-timeout.ts";
import { DockerClient } from "./reach/client.ts";
import { engineInfo } from "./reach/info.ts";
import { tlsFault } from "./reach/tls.ts";
import { isImageDigest } from "../../policy/language/image-name.ts";
import { imageRecordDirectory } from "../shipped-files.ts";
import type { SandboxProfile } from "../runtime.ts";

export type Engine = {
  readonly docker: Docker;
  readonly address: EngineAddress;
  readonly limit: CallLimit;
  /** Where the name of Warder's own image on this engine is written. */
  readonly imageRecord: string;
  /** Where it is written for the engine of this machine: an engine elsewhere may have been given that very image. */
  readonly machineImageRecord: string;
};

export type EngineOptions = EnginePlace & {
  /** How long a call may take on a machine that keeps up with its work. Default: twenty seconds. */
  readonly callTimeoutMs?: number | undefined;
  /** Where an installed Warder keeps the name of its image. Default: there is a checkout, which has a place of its own. */
  readonly stateDirectory?: string;
};

/** How long the engine may be silent while it builds or removes an image, which takes as long as it takes. */
const SILENCE_TIMEOUT_MS = 180_000;
const REMEDY = "Start it (as root: systemctl start docker). If there is none (Debian: apt-get install docker.io), install it, then run: warder setup";
const NO_IMAGE_REMEDY = "Make or load it: warder setup";

/** The engine at DOCKER_HOST, or at Docker's own socket where it is empty or not set. Throws `bad-configuration` as `engineAddress` does. */
export function openEngine({ callTimeoutMs, stateDirectory, ...place }: EngineOptions): Engine {
  const address = engineAddress(place);
  const limit = callLimit(address.name, callTimeoutMs);
  // What is not said here the client looks up in the environment.
  const docker = new DockerClient({ protocol: "http", timeout: SILENCE_TIMEOUT_MS, host: undefined, ...address.request } as Docker.DockerOptions);
  limitCalls(docker, limit);
  const machineImageRecord = imageRecordDirectory(stateDirectory ?? null);
  // Made anew, an image has another digest on each engine.
  const isReachedBySocket = address.request.socketPath !== undefined;
  const imageRecord = isReachedBySocket ? machineImageRecord : join(machineImageRecord, "engines", digestOf(address.name).slice(-16));
  return { docker, address, limit, imageRecord, machineImageRecord };
}

/** A call of the client's own transport (docker-modem), as far as it matters here. */
type Dialled = { readonly path: string; readonly method: string; readonly isStream?: boolean; readonly abortSignal?: AbortSignal };
type Transport = { dial(call: Dialled, done: (error: Error | null, value: unknown) => void): void };

/** Every call of the client goes through one function of its transport: there each gets its limit. */
function limitCalls(docker: Docker, limit: CallLimit): void {
  const transport = docker.modem as Transport;
  const dial = transport.dial.bind(transport);
  const answerTo = promisify(dial);
  const bounded = callbackify(async (call: Dialled) => {
    const name = `${call.method} ${call.path.replace(/\?.*$/u, "").replace(/[0-9a-f]{64}/u, (id) => id.slice(0, 12))}`;
    const limited = (signal: AbortSignal): AbortSignal => (call.abortSignal === undefined ? signal : AbortSignal.any([signal, call.abortSignal]));
    return await limit.bound(name, (signal) => answerTo({ ...call, abortSignal: limited(signal) }));
  });
  transport.dial = (call, done) => {
    const isLong = call.isStream === true || (call.method === "DELETE" && call.path.startsWith("/images/"));
    if (isLong) dial(call, done);
    else bounded(call, done);
  };
}

/** Warder's own image is not on this machine: `warder setup` makes it. */
export class MissingImageError extends AgentError {
  constructor(problem: string, options: { readonly cause?: unknown } = {}) {
    super("sandbox-unavailable", problem, { ...options, remedy: NO_IMAGE_REMEDY });
  }
}

/** The content digest of the image that setup made. Throws {@link MissingImageError} when there is none. */
export function ownImage({ imageRecord, machineImageRecord }: Pick<Engine, "imageRecord" | "machineImageRecord">): string {
  const path = [imageRecord, machineImageRecord].map((record) => join(record, "image-id")).find((record) => existsSync(record));
  if (path === undefined) throw new MissingImageError("Warder's sandbox image is not on this machine yet.");
  const image = readFileSync(path, "utf8").trim();
  if (isImageDigest(image)) return image;
  throw new MissingImageError(`${path} names no image.`);
}

/**
 * The content digest of the image that a profile wants: its own, or the one that setup made. Throws `sandbox-unavailable` when it is
 * not there or would loosen the sandbox, or the engine does not answer.
 */
export async function findImage(
  engine: Engine,
  profile: Pick<SandboxProfile, "image"> & { readonly settings?: Pick<SandboxProfile["settings"], "image"> },
): Promise<string> {
  const { image } = profile;
  if (image === undefined && profile.settings?.image !== undefined)
    throw new AgentError("broken-invariant", `Nobody looked up what the image ${profile.settings.image} is.`);
  const wanted = image ?? ownImage(engine);
  const remedy = image === undefined ? NO_IMAGE_REMEDY : "Prepare it anew: warder image remove NAME, warder image add NAME.";
  let found: ImageInspectInfo;
  try {
    found = await engine.docker.getImage(wanted).inspect();
  } catch (error) {
    if (statusOf(error) === 404 && image === undefined)
      throw new MissingImageError(`The engine does not have Warder's sandbox image (${wanted.slice(0, 19)}).`, { cause: error });
    if (statusOf(error) === 404) throw new AgentError("sandbox-unavailable", `The sandbox image ${wanted} is not there.`, { cause: error, remedy });
    throw engineError(error);
  }
  // Podman leaves the prefix out.
  const id = found.Id.startsWith("sha256:") ? found.Id : `sha256:${found.Id}`;
  if (id !== wanted) throw new AgentError("sandbox-unavailable", `The engine knows ${wanted} as another image, ${id}.`, { remedy });
  const fault = imageSettingFault(found);
  if (fault !== null) throw new AgentError("sandbox-unavailable", `The image ${wanted} ${fault}.`);
  return found.Id;
}

/** What an image asks of the engine besides its files, and gets unless it is refused: a writable volume of any size, or commands as root beside the supervisor. */
export function imageSettingFault({ Config: config }: Pick<ImageInspectInfo, "Config">): string | null {
  const { Volumes: volumes, Healthcheck: healthcheck } = config as { Volumes?: object | null; Healthcheck?: { Test?: readonly string[] } | null };
  if (Object.keys(volumes ?? {}).length > 0) return `declares volumes (${Object.keys(volumes ?? {}).join(", ")}), which would be writable and without a size`;
  if (healthcheck?.Test !== undefined && healthcheck.Test[0] !== "NONE") return "declares a health check, which the engine would run as root inside";
  return null;
}

/** Throws `sandbox-unavailable` when the engine does not have the runtime that a profile wants. */
export async function requireEngineRuntime(engine: Engine, { settings }: Pick<SandboxProfile, "settings">): Promise<void> {
  const wanted = settings.engineRuntime;
  if (wanted === undefined) return;
  let known: readonly string[];
  try {
    known = engineRuntimes(await engineInfo(engine.docker));
  } catch (error) {
    throw engineError(error);
  }
  if (known.includes(wanted)) return;
  throw new AgentError(
    "sandbox-unavailable",
    `The policy wants \`sandbox.engine-runtime: ${wanted}\`, and the engine has ${known.join(", ") || "none to choose from"}. Install it (Debian: apt-get install ${wanted}), name it below "runtimes" in /etc/docker/daemon.json and restart the engine.`,
  );
}

/** The names of what an engine can start containers with, from its answer to `info`. */
export function engineRuntimes(info: unknown): readonly string[] {
  return Object.keys((info as { Runtimes?: Record<string, unknown> | null }).Runtimes ?? {});
}

const podmans = new WeakMap<Docker, boolean>();

/** Podman says so in the answer to a ping; to say its version, it asks the packages of the machine, which can take seconds. */
export function noteAnswer({ docker }: Pick<Engine, "docker">, { headers }: Pick<IncomingMessage, "headers">): void {
  podmans.set(docker, headers["libpod-api-version"] !== undefined);
}

/** Podman serves Docker's API with differences of its own. Asked once of each client. Throws as any call of the engine. */
export async function isPodman({ docker, limit }: Pick<Engine, "docker" | "limit">): Promise<boolean> {
  const known = podmans.get(docker);
  if (known !== undefined) return known;
  const dial = promisify((docker.modem as Transport).dial.bind(docker.modem));
  const ping = { path: "/_ping", method: "GET", isStream: true, statusCodes: { 200: true } };
  try {
    const answer = (await limit.bound("GET /_ping", (abortSignal) => dial({ ...ping, abortSignal }))) as IncomingMessage;
    answer.resume();
    noteAnswer({ docker }, answer);
    return await isPodman({ docker, limit });
  } catch (error) {
    throw engineError(error);
  }
}

const UNREACHABLE: ReadonlySet<string> = new Set(["ENOENT", "ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"]);

/** What a failed call of the engine means for a person. */
export function engineError(error: unknown): AgentError {
  if (error instanceof AgentError) return error;
  const { code, message, address } = error as NodeJS.ErrnoException & { readonly address?: string };
  if (code !== undefined && UNREACHABLE.has(code))
    return new AgentError("sandbox-unavailable", `Docker Engine does not answer${address === undefined ? "" : ` at ${address}`}.`, {
      cause: error,
      remedy: REMEDY,
    });
  if (code === "EACCES")
    return new AgentError("sandbox-unavailable", "This user may not use Docker's socket.", {
      cause: error,
      remedy: "Join the group `docker` (as root: usermod -aG docker USER), then log in again.",
    });
  if (/no space left on device|disk quota exceeded/iu.test(message))
    return new AgentError("sandbox-unavailable", `Docker Engine has no space left where it keeps its data: ${message}`, {
      cause: error,
      remedy: "Free some: docker system df says what takes it.",
    });
  return tlsFault(error as Error) ?? new AgentError("sandbox-unavailable", `Docker Engine failed: ${message}`, { cause: error });
}

/** Whether a failed call says that the container is gone. Podman says it with status 500 while it removes one. */
export function isGone(error: unknown): boolean {
  return statusOf(error) === 404 || causeOf(error) === "no such container";
}

/** Whether a failed call says that the engine is removing the container already. */
export function isBeingRemoved(error: unknown): boolean {
  return statusOf(error) === 409 || causeOf(error) === "container state improper";
}

/**
 * Whether Podman failed because the container was just ending: a process ended while it looked at it, or the container that it was to resume, being removed
 * by force, had been thawed and ended by then. Asked again it answers.
 */
export function isEnding(error: unknown): boolean {
  const cause = causeOf(error);
  return typeof cause === "string" && /^(?:no such process$|`\S+ resume [0-9a-f]{64}` failed: )/u.test(cause);
}

const causeOf = (error: unknown): unknown => (error as { json?: { cause?: unknown } }).json?.cause;

/** The HTTP status of a failed call; undefined when there was none. */
export function statusOf(error: unknown): number | undefined {
  return (error as { statusCode?: number }).statusCode;
}
