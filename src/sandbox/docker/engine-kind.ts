import { promisify } from "node:util";
import { AgentError } from "../../base/errors.ts";
import { type Engine, engineError, isPodman } from "./engine.ts";
import { engineInfo } from "./reach/info.ts";
import type { Limit } from "../hardening.ts";

/** How an engine differs from Docker Engine, as far as a sandbox in it must know. */
export type EngineKind = {
  /** Podman serves Docker's API with differences of its own. */
  readonly isPodman: boolean;
  /** Podman of an ordinary user, which is told what becomes of users inside. Of Docker Engine this is not said. */
  readonly isRootless: boolean;
  /** What this engine takes for a container and does not hold it to. */
  readonly uncounted: readonly Limit[];
};

/** Whether a container can be frozen and given other limits: not where nothing holds it to its limits, as in an ordinary user's engine without control groups. */
export function holdsToLimits({ uncounted }: Pick<EngineKind, "uncounted">): boolean {
  return uncounted.length === 0;
}

/** What Podman says of itself in the API of its own, which is served beside Docker's (since Podman 4.0). */
type PodmanInfo = { readonly host?: { readonly cgroupControllers?: readonly string[] | null; readonly security?: { readonly rootless?: boolean } } };

const CONTROLLERS: Readonly<Record<Limit, string>> = { memory: "memory", processes: "pids", cpus: "cpu" };
const LIMITS: readonly Limit[] = ["memory", "processes", "cpus"];

/** Podman asks the packages of the machine to answer, which can take seconds. */
const known = new WeakMap<Engine, Promise<EngineKind>>();

/** Asked once of each engine. Throws as any call of the engine, and `sandbox-unavailable` for root at an engine that is not root's. */
export async function engineKind(engine: Engine): Promise<EngineKind> {
  const before = known.get(engine);
  if (before !== undefined) return await before;
  const found = askedKind(engine);
  known.set(engine, found);
  found.catch(() => known.delete(engine));
  return await found;
}

async function askedKind(engine: Engine): Promise<EngineKind> {
  if (!(await isPodman(engine))) return dockerKind(await dockerInfo(engine));
  return podmanKind(await podmanInfo(engine), process.getuid?.() === 0);
}

/** What Docker Engine says of its control groups. A rootless one has none with version 1, and with version 2 what was delegated to its user. */
type DockerInfo = { readonly MemoryLimit?: boolean; readonly PidsLimit?: boolean; readonly CpuCfsQuota?: boolean };

/** Pure. */
export function dockerKind({ MemoryLimit: memory, PidsLimit: processes, CpuCfsQuota: cpus }: DockerInfo): EngineKind {
  const counts = { memory, processes, cpus };
  return { isPodman: false, isRootless: false, uncounted: LIMITS.filter((limit) => counts[limit] === false) };
}

/** Pure. Throws `sandbox-unavailable` for root at a Podman that is not root's. */
export function podmanKind({ host }: PodmanInfo, isRoot: boolean): EngineKind {
  const isRootless = host?.security?.rootless === true;
  // Its mounts are in a namespace of its user's, where nothing that root mounts is seen.
  if (isRootless && isRoot)
    throw new AgentError("sandbox-unavailable", "This Podman runs as an ordinary user, and Warder as root: it does not see what root mounts.", {
      remedy: "Run Warder as Podman's user, or use an engine of root's.",
    });
  const found = new Set(host?.cgroupControllers);
  // Without root, a group counts what was delegated to the user: with version 1 of control groups nothing.
  const uncounted = isRootless ? LIMITS.filter((limit) => !found.has(CONTROLLERS[limit])) : [];
  return { isPodman: true, isRootless, uncounted };
}

async function dockerInfo({ docker }: Engine): Promise<DockerInfo> {
  try {
    return await engineInfo<DockerInfo>(docker);
  } catch (error) {
    throw engineError(error);
  }
}

async function podmanInfo({ docker }: Engine): Promise<PodmanInfo> {
  const modem = docker.modem as { dial(call: object, done: (error: Error | null, value: unknown) => void): void };
  try {
    return (await promisify(modem.dial.bind(modem))({ path: "/v4.0.0/libpod/info", method: "GET", statusCodes: { 200: true } })) as PodmanInfo;
  } catch (error) {
    throw engineError(error);
  }
}
