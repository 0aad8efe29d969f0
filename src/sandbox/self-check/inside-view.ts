import { EGRESS_TARGET, MASKED_PATHS, MAX_FILE_BYTES, OPEN_FILES, READ_ONLY_PATHS, SUPERVISOR_TARGET, type Limit } from "../hardening.ts";
import type { PlannedMount, SandboxUser } from "../mounts.ts";
import type { Property, SandboxProfile } from "../runtime.ts";

/** Prints what the kernel tells a command, in parts that begin with `== NAME`. */
export const INSIDE_SCRIPT = `
part() { echo "== $1"; shift; "$@" 2>/dev/null; return 0; }
first() { for file; do [ -r "$file" ] && cat "$file" && return; done; echo none; }
part status cat /proc/self/status
part limits cat /proc/self/limits
part mounts cat /proc/self/mountinfo
part interfaces sh -c 'tail -n +3 /proc/net/dev | cut -d: -f1'
part routes tail -n +2 /proc/net/route
part hostname cat /proc/sys/kernel/hostname
part init cat /proc/1/cmdline
echo
part memory first /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes
part processes first /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max
part paths ls -d ${[...MASKED_PATHS, ...READ_ONLY_PATHS].join(" ")}
part sockets find / -xdev -type s
`;

export type InsideSetting = {
  readonly profile: SandboxProfile;
  readonly user: SandboxUser;
  readonly mounts: readonly PlannedMount[];
  /** As a lane says it. */
  readonly uncounted?: readonly Limit[];
};

// What engines and bubblewrap mount by themselves: pseudo file systems, single devices, and the three files of a container's name.
const OWN_MOUNTS = /^\/(?:$|proc(?:\/|$)|sys(?:\/|$)|dev(?:\/|$)|etc\/(?:hosts|hostname|resolv\.conf)$)/u;
const SUPERVISOR_CAPABILITIES = 0xe0n;

/** Judges the printed view: a pure function of text and profile. A part that is missing counts as not met. */
export function insideProperties(view: string, { profile, user, mounts, uncounted = [] }: InsideSetting): readonly Property[] {
  const parts = new Map(
    view.split(/^== /mu).map((part) => {
      const end = part.indexOf("\n");
      return [part.slice(0, end), part.slice(end + 1).trim()] as const;
    }),
  );
  const part = (name: string): string => parts.get(name) ?? "";
  const status = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, "mu").exec(part("status"))?.[1]?.trim() ?? "not told";
  const limit = (name: string): string => new RegExp(`^${name}\\s+\\S+\\s+(\\S+)`, "mu").exec(part("limits"))?.[1] ?? "not told";
  const equal = (what: string, expected: string, found: string): Property => ({ what, expected, found, isMet: expected === found, seenFrom: "inside" });
  const { settings } = profile;
  const planned = new Set([SUPERVISOR_TARGET, EGRESS_TARGET, ...mounts.map((mount) => mount.target), ...profile.roots.map((root) => root.path)]);
  const table = part("mounts").split("\n").map(mountOf);
  const foreign = table.filter(
    (mount) => !planned.has(mount.target) && !OWN_MOUNTS.test(mount.target) && !isEmptied(mount) && !isSystem(mount.target, settings.runtime),
  );
  // Of those that this kernel has: each is a mount of its own, and what steers the kernel is mounted read-only.
  const open = part("paths")
    .split("\n")
    .filter((path) => !table.some(({ target, options }) => target === path && (!READ_ONLY_PATHS.includes(path) || options.includes("ro"))));
  const writable = table.filter(({ target, options }) => planned.has(target) && !options.includes("ro"));
  const unsafe = writable.filter(({ options }) => !options.includes("nosuid") || !options.includes("nodev"));
  const bounding = /^[0-9a-f]+$/u.test(status("CapBnd")) ? BigInt(`0x${status("CapBnd")}`) : ~0n;
  const isWithoutNetwork = part("interfaces")
    .split("\n")
    .every((name) => /^\s*(?:lo|tunl0|sit0|ip6tnl0|gre0|gretap0|erspan0|ip_vti0|ip6_vti0)?$/u.test(name));
  const properties = [
    equal("user", ids(user.uid), status("Uid").replaceAll(/\s+/gu, " ")),
    equal("group", ids(user.gid), status("Gid").replaceAll(/\s+/gu, " ")),
    ...["CapEff", "CapPrm", "CapInh", "CapAmb"].map((name) => equal(name, "0".repeat(16), status(name))),
    { ...equal("CapBnd", "SETUID, SETGID, KILL at most", status("CapBnd")), isMet: (bounding & ~SUPERVISOR_CAPABILITIES) === 0n },
    equal("NoNewPrivs", "1", status("NoNewPrivs")),
    equal("Seccomp", "2", status("Seccomp")),
    equal("open files", String(OPEN_FILES), limit("Max open files")),
    equal("file size", String(MAX_FILE_BYTES), limit("Max file size")),
    equal("core dumps", "0", limit("Max core file size")),
    { ...equal("interfaces", "lo", part("interfaces").replaceAll(/\s+/gu, " ")), isMet: parts.has("interfaces") && isWithoutNetwork },
    equal("routes", "", part("routes")),
    equal("hostname", "sandbox", part("hostname")),
    { ...equal("PID 1", SUPERVISOR_TARGET, part("init").split("\0")[0] ?? ""), isMet: part("init").startsWith(SUPERVISOR_TARGET) },
    equal("root file system", "ro", table.find(({ target }) => target === "/")?.options.find((option) => option === "ro" || option === "rw") ?? "not told"),
    equal("mounts of the host", "the workspace and the roots alone", foreign.length === 0 ? "the workspace and the roots alone" : namesOf(foreign)),
    equal("writable mounts", "nosuid, nodev", unsafe.length === 0 && writable.length > 0 ? "nosuid, nodev" : `without: ${namesOf(unsafe)}`),
    equal("unix sockets in the file system", "", part("sockets")),
    { ...equal("masked and read-only paths", "all", open.length === 0 ? "all" : `without ${open.join(" ")}`), isMet: parts.has("paths") && open.length === 0 },
    ...(settings.runtime !== "docker"
      ? []
      : uncounted.includes("memory")
        ? [equal("memory of a process", String(settings.memoryBytes), limit("Max data size"))]
        : [equal("memory", String(settings.memoryBytes), part("memory"))]),
    settings.runtime !== "docker" || uncounted.includes("processes")
      ? equal("processes of the user", String(settings.processes), limit("Max processes"))
      : equal("processes", String(settings.processes), part("processes")),
  ];
  return settings.engineRuntime === "runsc" ? properties.map(underGvisor) : properties;
}

/** gVisor's own kernel says nothing of these to a process, or something that means another kernel: what the engine was told holds them, and is compared from outside. */
const UNTOLD_BY_GVISOR: ReadonlySet<string> = new Set([
  "CapAmb",
  "NoNewPrivs",
  "Seccomp",
  "open files",
  "file size",
  "core dumps",
  "writable mounts",
  "memory",
  "processes",
  "masked and read-only paths",
]);

function underGvisor(property: Property): Property {
  return property.isMet === true || !UNTOLD_BY_GVISOR.has(property.what) ? property : { ...property, found: "not told by gVisor", isMet: null };
}

const ids = (id: number): string => Array.from({ length: 4 }, () => String(id)).join(" ");

type Mount = { readonly target: string; readonly options: readonly string[]; readonly type: string };

/** A line of mountinfo (proc(5)): the fifth field is the mount point, blanks in it as octal escapes; the sixth its options; the file system's type follows a dash. */
function mountOf(line: string): Mount {
  const fields = line.split(" ");
  const target = (fields[4] ?? "").replaceAll(/\\(\d{3})/gu, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
  return { target, options: (fields[5] ?? "").split(","), type: fields[fields.indexOf("-") + 1] ?? "" };
}

/** Podman puts a tmpfs over folders of a read-only root; it is told to make them read-only, so that they are empty and stay so. */
const isEmptied = ({ options, type }: Mount): boolean => type === "tmpfs" && options.includes("ro");

const namesOf = (mounts: readonly Mount[]): string => mounts.map(({ target }) => target).join(" ");

/** Below bubblewrap the host's programs are mounted one by one. */
const isSystem = (target: string, runtime: string): boolean => runtime === "bubblewrap" && /^\/(?:usr|bin|sbin|lib\w*|etc)(?:\/|$)/u.test(target);
