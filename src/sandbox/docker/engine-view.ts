import { isDeepStrictEqual } from "node:util";
import type { ContainerCreateOptions } from "dockerode";
import { AgentError } from "../../base/errors.ts";
import type { Limit } from "../hardening.ts";
import { type Engine, engineError } from "./engine.ts";
import type { EngineKind } from "./engine-kind.ts";
import type { Property } from "../runtime.ts";

/** Properties that an engine reports under the same name as it is told them. */
const COMPARED = [
  "NetworkMode",
  "ReadonlyRootfs",
  "Privileged",
  "CapDrop",
  "CapAdd",
  "PidsLimit",
  "Memory",
  "MemorySwap",
  "NanoCpus",
  "Ulimits",
  "IpcMode",
  "ShmSize",
  "UTSMode",
  "MaskedPaths",
  "ReadonlyPaths",
  "LogConfig",
  "RestartPolicy",
  "AutoRemove",
  "Devices",
  "Tmpfs",
] as const;

/** Podman reports the others in words of its own; what they do is judged from inside. */
const COMPARED_WITH_PODMAN: ReadonlySet<string> = new Set([
  "NetworkMode",
  "ReadonlyRootfs",
  "Privileged",
  "PidsLimit",
  "Memory",
  "MemorySwap",
  "NanoCpus",
  "ShmSize",
  "RestartPolicy",
  "AutoRemove",
  "Devices",
  "SecurityOpt",
  "VolumesFrom",
  "Links",
  "ExtraHosts",
  "DeviceRequests",
  "GroupAdd",
  "image",
]);

const SET_FOR: Readonly<Record<Limit, readonly string[]>> = { memory: ["Memory", "MemorySwap"], processes: ["PidsLimit"], cpus: ["NanoCpus"] };

/** Not in what Warder tells an engine: an engine that is set up to add them adds a way out. */
const EMPTY = ["Binds", "VolumesFrom", "Links", "ExtraHosts", "PidMode", "DeviceRequests", "GroupAdd", "CgroupParent"] as const;

type Inspected = { readonly Image: string; readonly AppArmorProfile?: string; readonly HostConfig: Readonly<Record<string, unknown>> };

/** Compares what an engine says of a run's container with what it was told. Throws `sandbox-unavailable` when it cannot be asked. */
export async function containerProperties(
  engine: Engine,
  runId: string,
  { wanted, kind }: { readonly wanted: ContainerCreateOptions; readonly kind: EngineKind },
): Promise<readonly Property[]> {
  let inspected: Inspected;
  let security: readonly string[];
  try {
    const [found] = await engine.docker.listContainers({ filters: { label: [`warder.run=${runId}`] } });
    if (found === undefined) throw new AgentError("sandbox-unavailable", "The engine does not list the container that it started.");
    inspected = (await engine.docker.getContainer(found.Id).inspect()) as unknown as Inspected;
    security = ((await engine.docker.info()) as { SecurityOptions?: readonly string[] }).SecurityOptions ?? [];
  } catch (error) {
    throw engineError(error);
  }
  const compared = compareContainer(inspected, wanted, kind.uncounted).filter(({ what }) => !kind.isPodman || COMPARED_WITH_PODMAN.has(what));
  return [...compared, ...engineProperties(inspected, kind.isRootless ? [...security, "name=rootless"] : security)];
}

/** One property for each setting, and for each that must be empty; what the engine cannot hold a container to is only said. Pure. */
export function compareContainer(inspected: Inspected, wanted: ContainerCreateOptions, uncounted: readonly Limit[] = []): readonly Property[] {
  const told = (wanted.HostConfig ?? {}) as Readonly<Record<string, unknown>>;
  const { HostConfig: found } = inspected;
  const toldOptions = ((told["SecurityOpt"] ?? []) as readonly string[]).map(nameOf);
  const foundOptions = ((found["SecurityOpt"] ?? []) as readonly string[]).map(nameOf);
  return [
    property("image", wanted.Image ?? "", inspected.Image),
    ...(told["Runtime"] === undefined ? [] : [property("Runtime", told["Runtime"], found["Runtime"])]),
    ...COMPARED.map((key) => {
      const compared = property(key, plain(told[key]), plain(found[key]));
      const isHeld = !uncounted.some((limit) => SET_FOR[limit].includes(key));
      return isHeld ? compared : { ...compared, found: "not held: no control group is delegated to this user", isMet: null };
    }),
    // An unconfined filter is a filter's name as well.
    property("SecurityOpt", toldOptions, foundOptions),
    ...EMPTY.map((key) => property(key, null, isEmpty(found[key]) ? null : found[key])),
  ];
}

/** User namespaces are the engine's to have: said, never demanded. Where it has AppArmor, a container has a profile. Pure. */
export function engineProperties(inspected: Pick<Inspected, "AppArmorProfile">, security: readonly string[]): readonly Property[] {
  const has = (name: string): boolean => security.some((option) => option.startsWith(`name=${name}`));
  const profile = inspected.AppArmorProfile ?? "";
  const note = (what: string, found: string): Property => ({ what, expected: "", found, isMet: null, seenFrom: "outside" });
  return [
    note(
      "user namespaces",
      has("rootless")
        ? "yes: the engine is rootless, so that root inside is nobody outside"
        : has("userns")
          ? "yes: the engine maps users, so that root inside is nobody outside"
          : "no: uid 0 inside (the supervisor alone, with three capabilities) is uid 0 outside; `userns-remap` in the engine's configuration adds them",
    ),
    has("apparmor")
      ? { what: "AppArmor", expected: "a profile", found: profile, isMet: profile !== "" && profile !== "unconfined", seenFrom: "outside" }
      : note("AppArmor", "no: the host has none"),
  ];
}

function property(what: string, expected: unknown, found: unknown): Property {
  return { what, expected: textOf(expected), found: textOf(found), isMet: isDeepStrictEqual(expected, found), seenFrom: "outside" };
}

const nameOf = (option: string): string => (option.startsWith("seccomp=") && option !== "seccomp=unconfined" ? "seccomp" : option);

/** What engines change: lists are compared sorted, capabilities without `CAP_`, objects without what says nothing. */
function plain(value: unknown): unknown {
  if (isEmpty(value)) return null;
  if (!Array.isArray(value)) return typeof value === "object" ? Object.fromEntries(Object.entries(value as object).filter(([, item]) => item !== 0)) : value;
  const items: unknown[] = value.map((item: unknown) => (typeof item === "string" ? item.replace(/^CAP_/u, "") : item));
  return items.length === 0 ? null : items.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return Array.isArray(value) ? value.length === 0 : false;
}

function textOf(value: unknown): string {
  if (value === null) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
