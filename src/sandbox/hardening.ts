import type { ContainerCreateOptions, MountSettings } from "dockerode";
import type { SandboxSettings } from "../policy/policy.ts";
import { SOCKET_NAME } from "./egress/protocol.ts";
import type { PlannedMount, SandboxUser } from "./mounts.ts";
import type { SandboxProfile } from "./runtime.ts";

type VolumeOptions = NonNullable<MountSettings["VolumeOptions"]>;

/** What the machine adds to a profile: everything that is not policy. */
export type ContainerPlan = {
  /** Content-addressed (`sha256:…`), so that a tag that moved changes nothing. */
  readonly imageId: string;
  /** The supervisor's binary on the host; null: it lies in a volume of `mounts`, at {@link PROGRAMS_TARGET}. */
  readonly supervisorPath: string | null;
  /** What stands for /etc/hosts inside, on the host; null: the engine has not this machine's files, and writes its own. */
  readonly hostsPath: string | null;
  /** The text of the seccomp profile; for Podman the path of its file. */
  readonly seccomp: string;
  /** Podman serves Docker's API and takes fewer options of a tmpfs. Absent: false. */
  readonly isPodman?: boolean;
  /** The engine's containers have a user namespace, in which it is told to leave this one user as it is. Absent: false. */
  readonly isRootless?: boolean;
  /** What no control group holds the container to: each process is held to its part of it, as far as the kernel can. Absent: nothing. */
  readonly uncounted?: readonly Limit[];
  readonly user: SandboxUser;
  readonly mounts: readonly PlannedMount[];
  /** HOME inside. */
  readonly home: string;
  /** Who must end this container: see owner.ts. */
  readonly owner: string;
  /** The label that says so, where it is not the one of this machine's own engine. */
  readonly ownerLabel?: string;
  readonly runId: string;
  /** The folder on the host that holds the egress proxy's socket and nothing else; null or absent: no way out at all. */
  readonly egressDirectory?: string | null;
};

/** What a policy limits for a whole sandbox. */
export type Limit = "memory" | "processes" | "cpus";

/** Where the supervisor lies inside. */
export const SUPERVISOR_TARGET = "/.warder/supervisor";

/** Where a volume with the supervisor is mounted, which has another name there than on the host. */
export const PROGRAMS_TARGET = "/.warder/programs";

/** Where the egress proxy's folder lies inside. */
export const EGRESS_TARGET = "/.warder/egress";

/** Largest file that a command may write: one file cannot fill a disk in one write loop unnoticed, and a build artefact still fits. */
export const MAX_FILE_BYTES = 2 * 1024 ** 3;

/** Where the hooks lie inside that name a run in its commits. */
export const HOOKS_TARGET = "/.warder/hooks";

/** Size of /dev/shm: without one of its own it would grow to half of the machine's memory. */
export const SHARED_MEMORY_BYTES = 64 * 1024 * 1024;

/** Of one user on the whole machine. */
const MAX_USER_PROCESSES = 32_768;

/**
 * A supervisor ends when its owner was silent for this long: an owner that died is noticed at once by the end of the stream, and only one that died
 * together with the engine by its silence. Long, because an owner on an overloaded machine may not come to speak; one that waits for its store does (heartbeat.ts).
 */
const HEARTBEAT_MS = 150_000;

/** Descriptors that a process may have open. */
export const OPEN_FILES = 4096;

// Docker's defaults, stated in full: an engine that changes its defaults does not change a sandbox. /proc/keys, /proc/timer_list
// and the others tell of the host; /sys/firmware and /proc/acpi steer it.
export const MASKED_PATHS = [
  "/proc/asound",
  "/proc/acpi",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/sys/firmware",
  "/sys/devices/virtual/powercap",
];
export const READ_ONLY_PATHS = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];

/**
 * What the machine's control group may count. gVisor is a program with threads of its own and up to eight for a process inside, and ends, with
 * everything in it, when it gets none: measured with 64 processes, runsc of December 2022, `--platform=ptrace`.
 */
function tasksOf({ engineRuntime, processes }: SandboxSettings): number {
  return engineRuntime === "runsc" ? 64 + 8 * processes : processes;
}

/**
 * Everything that Docker is told about a sandbox's container: a pure function of policy and machine,
 * never of a verdict. Golden files in test/golden/ hold its result.
 */
export function hostConfig(profile: SandboxProfile, plan: ContainerPlan): ContainerCreateOptions {
  const { settings } = profile;
  return {
    Image: plan.imageId,
    // PID 1 is the supervisor, as uid 0 without capabilities but those that let it drop to the sandbox's user and end its
    // processes. A command never runs as this user.
    User: "0:0",
    Entrypoint: [plan.supervisorPath === null ? `${PROGRAMS_TARGET}/supervisor` : SUPERVISOR_TARGET],
    Cmd: [...supervisorArguments(profile, plan)],
    // Empties what the image states. The supervisor gives a command its environment, nothing is inherited.
    Env: [],
    WorkingDir: "/",
    Hostname: "sandbox",
    Tty: false,
    // The end of the attached stream is the end of the container, however its owner died.
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    StopTimeout: 1,
    // Where this machine cannot give it one, the engine writes the list of names, which says where `localhost` is: it does if it knows of a network, albeit of none.
    NetworkDisabled: plan.hostsPath !== null,
    Labels: { [plan.ownerLabel ?? "warder.owner"]: plan.owner, "warder.run": plan.runId },
    HostConfig: {
      AutoRemove: true,
      ...(settings.engineRuntime === undefined ? {} : { Runtime: settings.engineRuntime }),
      NetworkMode: "none",
      // The engine's machine and its name servers are nobody's business inside.
      ...(plan.hostsPath === null ? { Dns: ["127.0.0.1"], DnsSearch: ["."] } : {}),
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ["ALL"],
      CapAdd: ["SETUID", "SETGID", "KILL"],
      SecurityOpt: ["no-new-privileges", `seccomp=${plan.seccomp}`],
      PidsLimit: tasksOf(settings),
      Memory: settings.memoryBytes,
      // Equal to Memory: no swap, so that a memory bomb ends at once.
      MemorySwap: settings.memoryBytes,
      NanoCpus: Math.round(settings.cpus * 1e9),
      Ulimits: [
        { Name: "nofile", Soft: OPEN_FILES, Hard: OPEN_FILES },
        { Name: "fsize", Soft: MAX_FILE_BYTES, Hard: MAX_FILE_BYTES },
        { Name: "core", Soft: 0, Hard: 0 },
        // Without one Podman raises it, which it may not where its own root lacks CAP_SYS_RESOURCE. PidsLimit is the limit that counts.
        ...(plan.isPodman === true && plan.isRootless !== true ? [{ Name: "nproc", Soft: MAX_USER_PROCESSES, Hard: MAX_USER_PROCESSES }] : []),
      ],
      // A /dev/shm of its own, which sem_open(3) and so Python's multiprocessing need; it counts as the container's memory.
      IpcMode: "private",
      ShmSize: SHARED_MEMORY_BYTES,
      UTSMode: "",
      // Without it what a command writes would belong to one of the user's subordinate ids, which nobody outside is.
      ...(plan.isRootless === true ? { UsernsMode: `keep-id:uid=${String(plan.user.uid)},gid=${String(plan.user.gid)}` } : {}),
      MaskedPaths: MASKED_PATHS,
      ReadonlyPaths: READ_ONLY_PATHS,
      // Docker's json-file would keep all output of every command on the host's disk.
      LogConfig: { Type: "none", Config: {} },
      RestartPolicy: { Name: "no" },
      Devices: [],
      Init: false,
      Tmpfs: tmpfsOf(plan),
      Mounts: [
        ...(plan.supervisorPath === null
          ? []
          : [{ Type: "bind" as const, Source: plan.supervisorPath, Target: SUPERVISOR_TARGET, ReadOnly: true, BindOptions: BIND_OPTIONS }]),
        // Without a network an engine writes none, and most clients ask it where `localhost` is.
        ...(plan.hostsPath === null
          ? []
          : [{ Type: "bind" as const, Source: plan.hostsPath, Target: "/etc/hosts", ReadOnly: true, BindOptions: BIND_OPTIONS }]),
        ...(hasEgress(plan) ? [{ Type: "bind" as const, Source: plan.egressDirectory, Target: EGRESS_TARGET, ReadOnly: true, BindOptions: BIND_OPTIONS }] : []),
        ...plan.mounts
          .filter((mount) => mount.kind === "bind")
          .map((mount) => ({ Type: "bind" as const, Source: mount.source, Target: mount.target, ReadOnly: mount.isReadOnly, BindOptions: BIND_OPTIONS })),
        // Nothing of the image is copied into it: the workspace alone is to be seen there.
        ...plan.mounts
          .filter((mount) => mount.kind === "overlay" || mount.kind === "volume")
          .map((mount) => ({
            Type: "volume" as const,
            Source: mount.name,
            Target: mount.target,
            ReadOnly: mount.kind === "volume" && mount.isReadOnly,
            VolumeOptions: VOLUME_OPTIONS,
          })),
      ],
    },
  };
}

/** How the supervisor is told whom to run commands as and where file verbs may read and write (sandbox/PROTOCOL.md). */
export function supervisorArguments(
  profile: SandboxProfile,
  plan: Pick<ContainerPlan, "user" | "mounts" | "egressDirectory" | "uncounted">,
): readonly string[] {
  const scratch = plan.mounts.filter((mount) => mount.kind === "scratch");
  const { uncounted = [] } = plan;
  return [
    `--uid=${String(plan.user.uid)}`,
    `--gid=${String(plan.user.gid)}`,
    "--root=ro:/",
    ...scratch.map((mount) => `--root=rw:${mount.target}`),
    ...profile.roots.map((root) => `--root=${root.access === "read" ? "ro" : "rw"}:${root.path}`),
    `--nofile=${String(OPEN_FILES)}`,
    `--fsize=${String(MAX_FILE_BYTES)}`,
    `--heartbeat-ms=${String(HEARTBEAT_MS)}`,
    ...(uncounted.includes("memory") ? [`--data=${String(profile.settings.memoryBytes)}`] : []),
    // Counted for the sandbox's user in the sandbox's user namespace.
    ...(uncounted.includes("processes") ? [`--nproc=${String(profile.settings.processes)}`] : []),
    ...(hasEgress(plan) ? [`--proxy=${EGRESS_TARGET}/${SOCKET_NAME}`] : []),
  ];
}

function hasEgress<Plan extends { readonly egressDirectory?: string | null }>(plan: Plan): plan is Plan & { readonly egressDirectory: string } {
  return typeof plan.egressDirectory === "string";
}

// Not recursive: below a read-only recursive bind, the host's nested mounts would stay writable (Docker 20.10 sets the flag on
// the topmost mount alone), and nobody asked for them.
const BIND_OPTIONS = { Propagation: "rprivate" as const, NonRecursive: true };

// Labels and driver, which the client's types ask for, are for volumes that are not there yet.
const VOLUME_OPTIONS = { NoCopy: true } as VolumeOptions;

function tmpfsOf(plan: ContainerPlan): Record<string, string> {
  // Over a read-only root Podman mounts these writable and without a size of their own, unless it is told otherwise.
  const options: Record<string, string> =
    plan.isPodman === true ? Object.fromEntries(["/run", "/var/tmp"].map((target) => [target, "ro,nosuid,nodev,noexec,size=4096"])) : {};
  for (const mount of plan.mounts) {
    if (mount.kind !== "scratch") continue;
    // Podman knows neither owner nor number of inodes of a tmpfs: sticky and open to all inside, where there is one user.
    const kept = plan.isPodman === true ? "mode=1777" : `nr_inodes=65536,mode=0700,uid=${String(plan.user.uid)},gid=${String(plan.user.gid)}`;
    options[mount.target] = `rw,nosuid,nodev,exec,size=${String(mount.maxBytes)},${kept}`;
  }
  return options;
}
