import { AgentError } from "../../base/errors.ts";
import { EGRESS_TARGET, SHARED_MEMORY_BYTES, SUPERVISOR_TARGET, supervisorArguments } from "../hardening.ts";
import type { PlannedMount, SandboxUser } from "../mounts.ts";
import type { SandboxProfile } from "../runtime.ts";

/** One directory or link of the host's system that is shown inside. */
export type SystemEntry =
  | { readonly kind: "directory" | "file"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string };

export type BubblewrapPlan = {
  readonly user: SandboxUser;
  readonly mounts: readonly PlannedMount[];
  readonly system: readonly SystemEntry[];
  /** Files of our own that stand in for the host's: path inside, path on the host. */
  readonly files: readonly { readonly target: string; readonly source: string }[];
  /** Paths of /proc that tell of the machine or would steer it, as far as this kernel has them. */
  readonly masked: readonly { readonly kind: "directory" | "file"; readonly path: string }[];
  /** An empty file that stands in their place. */
  readonly maskFile: string;
  readonly supervisorPath: string;
  /** The descriptor from which bubblewrap reads the seccomp filter. */
  readonly seccompFd: number;
  /** The limit of each process's data, or null where a control group counts memory. */
  readonly dataBytes: number | null;
  /** As in a container's plan. */
  readonly egressDirectory?: string | null;
};

/**
 * Everything that bubblewrap is told: a pure function of policy and machine, never of a verdict. All
 * namespaces are new, all capabilities gone, and the root is a read-only tmpfs with the host's programs
 * in it and nothing else of the host.
 */
export function bubblewrapArguments(profile: SandboxProfile, plan: BubblewrapPlan): readonly string[] {
  const isolation = "--unshare-all --unshare-user --disable-userns --cap-drop ALL --new-session --die-with-parent --as-pid-1 --clearenv --hostname sandbox";
  const sharedMemory = `--perms 1777 --size ${String(SHARED_MEMORY_BYTES)} --tmpfs /dev/shm`;
  const skeleton = `--proc /proc --dev /dev ${sharedMemory} --perms 0755 --dir /run --perms 0755 --dir /var`;
  return [
    ...isolation.split(" "),
    "--seccomp",
    String(plan.seccompFd),
    ...plan.system.flatMap((entry) => (entry.kind === "link" ? ["--symlink", entry.target, entry.path] : ["--ro-bind", entry.path, entry.path])),
    ...plan.files.flatMap((file) => ["--ro-bind", file.source, file.target]),
    ...skeleton.split(" "),
    ...plan.masked.flatMap(({ kind, path }) =>
      kind === "file" ? ["--ro-bind", plan.maskFile, path] : `--perms 0555 --size 4096 --tmpfs ${path} --remount-ro ${path}`.split(" "),
    ),
    // The machine's own, whose values are those of the reader's namespaces: nothing inside may write there anyway.
    ..."--ro-bind /proc/sys /proc/sys".split(" "),
    ...plan.mounts.flatMap(mountArguments),
    "--ro-bind",
    plan.supervisorPath,
    SUPERVISOR_TARGET,
    ...(typeof plan.egressDirectory === "string" ? ["--ro-bind", plan.egressDirectory, EGRESS_TARGET] : []),
    ...`--remount-ro /dev --remount-ro / --chdir / -- ${SUPERVISOR_TARGET}`.split(" "),
    ...supervisorArguments(profile, plan),
    // In place of a pid cgroup, where there is none; counted for this user in this user namespace.
    `--nproc=${String(profile.settings.processes)}`,
    ...(plan.dataBytes === null ? [] : [`--data=${String(plan.dataBytes)}`]),
  ];
}

function mountArguments(mount: PlannedMount): readonly string[] {
  if (mount.kind === "scratch") return ["--perms", "0700", "--size", String(mount.maxBytes), "--tmpfs", mount.target];
  if (mount.kind === "overlay" || mount.kind === "volume")
    throw new AgentError("broken-invariant", "bubblewrap is no engine that mounts an overlay or a volume.");
  return [mount.isReadOnly ? "--ro-bind" : "--bind", mount.source, mount.target];
}
