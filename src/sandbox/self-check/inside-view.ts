import { constants } from "node:os";
import { getSystemErrorName } from "node:util";
import { EGRESS_TARGET, MASKED_PATHS, MAX_FILE_BYTES, OPEN_FILES, PROGRAMS_TARGET, READ_ONLY_PATHS, SUPERVISOR_TARGET, type Limit } from "../hardening.ts";
import type { PlannedMount, SandboxUser, WorkspaceMount } from "../mounts.ts";
import type { Property, Runtime, SandboxProfile } from "../runtime.ts";
import { type BoundaryView, type Mount, readView } from "./view.ts";

export type InsideSetting = {
  /** What really opened it. */
  readonly runtime: Runtime["name"];
  readonly profile: SandboxProfile;
  readonly user: SandboxUser;
  readonly mounts: readonly PlannedMount[];
  readonly mount: WorkspaceMount;
  /** Whether this process could take its groups from the sandbox's user. */
  readonly clearsGroups: boolean;
  /** As a lane says it. */
  readonly uncounted: readonly Limit[];
};

/** What was found inside: the text of the supervisor's `probe`, and which paths are there. */
export type Found = {
  readonly view: string;
  /** Of {@link KERNEL_PATHS}. */
  readonly kernelPaths: readonly string[];
  /** Of what must not be visible. */
  readonly visible: readonly string[];
};

/** Paths that tell of the machine or steer it. Which of them there are, the kernel decides. */
export const KERNEL_PATHS: readonly string[] = [...MASKED_PATHS, ...READ_ONLY_PATHS];

/** Where engines listen: whoever can speak to one of them is root on the machine. */
export const ENGINE_SOCKETS: readonly string[] = [
  "/var/run/docker.sock",
  "/run/docker.sock",
  "/run/containerd/containerd.sock",
  "/run/podman/podman.sock",
  "/run/crio/crio.sock",
];

// What engines and bubblewrap mount by themselves: pseudo file systems, single devices, and the three files of a container's name.
const OWN_MOUNTS = /^\/(?:$|proc(?:\/|$)|sys(?:\/|$)|dev(?:\/|$)|etc\/(?:hosts|hostname|resolv\.conf)$)/u;
const HOSTS_MOUNTS = "the workspace and the roots alone";
const SUPERVISOR_CAPABILITIES = 0xe0n;
const OWN_INTERFACES = /^(?:lo|tunl0|sit0|ip6tnl0|gre0|gretap0|erspan0|ip_vti0|ip6_vti0)$/u;

/** Attempts to leave, and the only errors that they may end with; null: any. `write-root` fails with another where the root is merely not the user's. */
const ATTEMPTS: readonly { readonly name: string; readonly what: string; readonly only: readonly number[] | null }[] = [
  { name: "write-root", what: "writing to /", only: [constants.errno.EROFS] },
  { name: "route-ipv4", what: "reaching an address outside", only: null },
  { name: "route-ipv6", what: "reaching an IPv6 address outside", only: null },
  { name: "become-root", what: "becoming root", only: null },
  { name: "user-namespace", what: "making a user namespace", only: null },
  { name: "trace", what: "tracing a process", only: null },
  { name: "vsock", what: "a socket to the hypervisor", only: null },
  { name: "kernel-crypto", what: "a socket of the kernel's cryptography", only: null },
  { name: "device-events", what: "a socket of the kernel's device events", only: null },
  // Where it is not refused, it fails all the same: nothing was given to it.
  { name: "io-uring", what: "io_uring", only: [constants.errno.ENOSYS, constants.errno.EPERM] },
];

/** Judges what was found inside: a pure function of it and of what was ordered. What is missing counts as not met. */
export function insideProperties(found: Found, setting: InsideSetting): readonly Property[] {
  const view = readView(found.view);
  const { settings } = setting.profile;
  const properties = [
    ...identityProperties(view, setting),
    equal("open files", String(OPEN_FILES), view.limit("Max open files")),
    equal("file size", String(MAX_FILE_BYTES), view.limit("Max file size")),
    equal("core dumps", "0", view.limit("Max core file size")),
    ...countedProperties(view, setting),
    { ...equal("interfaces", "lo", view.interfaces?.join(" ") ?? "not told"), isMet: view.interfaces?.every((name) => OWN_INTERFACES.test(name)) === true },
    equal("routes", "", view.routes),
    equal("hostname", "sandbox", view.hostname),
    equal("PID 1", setting.mounts.some(({ target }) => target === PROGRAMS_TARGET) ? `${PROGRAMS_TARGET}/supervisor` : SUPERVISOR_TARGET, view.init),
    ...mountProperties(view, found, setting),
    { ...equal("Warder's state, engines and forbidden paths", "not there", found.visible.join(" ") || "not there"), isMet: found.visible.length === 0 },
    ...ATTEMPTS.map(({ name, what, only }) => attempted(what, view.attempt(name), only)),
  ];
  return settings.engineRuntime === "runsc" ? properties.map(underGvisor) : properties;
}

function identityProperties(view: BoundaryView, { user, clearsGroups }: InsideSetting): readonly Property[] {
  const bounding = /^[0-9a-f]+$/u.test(view.status("CapBnd")) ? BigInt(`0x${view.status("CapBnd")}`) : ~0n;
  return [
    equal("user", ids(user.uid), view.status("Uid").replaceAll(/\s+/gu, " ")),
    equal("group", ids(user.gid), view.status("Gid").replaceAll(/\s+/gu, " ")),
    ...(clearsGroups ? [equal("further groups", "", view.status("Groups"))] : []),
    ...["CapEff", "CapPrm", "CapInh", "CapAmb"].map((name) => equal(name, "0".repeat(16), view.status(name))),
    { ...equal("CapBnd", "SETUID, SETGID, KILL at most", view.status("CapBnd")), isMet: (bounding & ~SUPERVISOR_CAPABILITIES) === 0n },
    equal("NoNewPrivs", "1", view.status("NoNewPrivs")),
    equal("Seccomp", "2", view.status("Seccomp")),
  ];
}

/** What a control group counts for the whole lane, or else a limit of each process. */
function countedProperties(view: BoundaryView, { runtime, profile, uncounted }: InsideSetting): readonly Property[] {
  const { memoryBytes, processes } = profile.settings;
  const memory = uncounted.includes("memory")
    ? equal("memory of a process", String(memoryBytes), view.limit("Max data size"))
    : equal("memory", String(memoryBytes), view.memory);
  return [
    ...(runtime === "docker" ? [memory] : []),
    runtime !== "docker" || uncounted.includes("processes")
      ? equal("processes of the user", String(processes), view.limit("Max processes"))
      : equal("processes", String(processes), view.processes),
  ];
}

function mountProperties({ mounts: table }: BoundaryView, { kernelPaths }: Found, setting: InsideSetting): readonly Property[] {
  const { profile, mounts } = setting;
  const planned = new Set([SUPERVISOR_TARGET, EGRESS_TARGET, ...mounts.map((mount) => mount.target), ...profile.roots.map((root) => root.path)]);
  // The last one at a place is the one that is seen.
  const at = new Map(table.map((mount) => [mount.target, mount]));
  const foreign = table.filter(
    (mount) => !planned.has(mount.target) && !OWN_MOUNTS.test(mount.target) && !isEmptied(mount) && !isSystem(mount.target, setting.runtime),
  );
  const other = mounts.filter((mount) => !isAsPlanned(mount, at.get(mount.target))).map(({ target }) => target);
  // Of those that this kernel has: each is a mount of its own, and what steers the kernel is mounted read-only.
  const open = kernelPaths.filter((path) => !table.some(({ target, options }) => target === path && (!READ_ONLY_PATHS.includes(path) || isReadOnly(options))));
  const unsafe = mounts.flatMap((mount) => {
    const options = at.get(mount.target)?.options ?? [];
    const isSafe = isReadOnly(options) || isHostsOwn(mount, setting) || (options.includes("nosuid") && options.includes("nodev"));
    return isSafe ? [] : [mount.target];
  });
  const root = at.get("/")?.options ?? [];
  return [
    equal("root file system", "ro", root.find((option) => option === "ro" || option === "rw") ?? "not told"),
    {
      ...equal("mounts of the host", HOSTS_MOUNTS, foreign.length === 0 ? HOSTS_MOUNTS : foreign.map(({ target }) => target).join(" ")),
      isMet: table.length > 0 && foreign.length === 0,
    },
    { ...equal("planned mounts", "all", other.length === 0 ? "all" : `other than planned: ${other.join(" ")}`), isMet: table.length > 0 && other.length === 0 },
    {
      ...equal("writable mounts", "nosuid, nodev", unsafe.length === 0 ? "nosuid, nodev" : `without: ${unsafe.join(" ")}`),
      isMet: table.length > 0 && unsafe.length === 0,
    },
    { ...equal("masked and read-only paths", "all", open.length === 0 ? "all" : `without ${open.join(" ")}`), isMet: table.length > 0 && open.length === 0 },
  ];
}

function isAsPlanned(planned: PlannedMount, found: Mount | undefined): boolean {
  if (found === undefined) return false;
  return (planned.kind !== "bind" && planned.kind !== "volume") || !planned.isReadOnly || isReadOnly(found.options);
}

/** A directory of the host's that an engine shows with the options that it has there: what is written there is looked after by the host (judgeBound). */
const isHostsOwn = (mount: PlannedMount, { runtime, profile, mount: workspace }: InsideSetting): boolean =>
  runtime === "docker" && mount.kind === "bind" && (workspace === "bind" || mount.target !== profile.roots[0]?.path);

function attempted(what: string, code: number | null, only: readonly number[] | null): Property {
  const found = code === null ? "not told" : code === 0 ? "it worked" : getSystemErrorName(-code);
  const isRefused = code !== null && code !== 0 && (only === null || only.includes(code));
  return { ...equal(what, only === null ? "refused" : only.map((errno) => getSystemErrorName(-errno)).join(" or "), found), isMet: isRefused };
}

/** gVisor's own kernel says nothing of these to a process, or something that means another kernel: what the engine was told holds them, and is compared from outside. */
const UNTOLD_BY_GVISOR: ReadonlySet<string> = new Set([
  "CapAmb",
  "NoNewPrivs",
  "Seccomp",
  "open files",
  "file size",
  "core dumps",
  "planned mounts",
  "writable mounts",
  "memory",
  "processes",
  "masked and read-only paths",
  "making a user namespace",
  "tracing a process",
  "a socket of the kernel's device events",
]);

function underGvisor(property: Property): Property {
  return property.isMet === true || !UNTOLD_BY_GVISOR.has(property.what) ? property : { ...property, found: "not told by gVisor", isMet: null };
}

const equal = (what: string, expected: string, found: string): Property => ({ what, expected, found, isMet: expected === found, seenFrom: "inside" });

const ids = (id: number): string => Array.from({ length: 4 }, () => String(id)).join(" ");

const isReadOnly = (options: readonly string[]): boolean => options.includes("ro");

/** Podman puts a tmpfs over folders of a read-only root; it is told to make them read-only, so that they are empty and stay so. */
const isEmptied = ({ options, type }: Mount): boolean => type === "tmpfs" && isReadOnly(options);

/** Below bubblewrap the host's programs are mounted one by one. */
const isSystem = (target: string, runtime: Runtime["name"]): boolean => runtime === "bubblewrap" && /^\/(?:usr|bin|sbin|lib\w*|etc)(?:\/|$)/u.test(target);
