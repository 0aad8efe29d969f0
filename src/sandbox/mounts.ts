/**
 * One mount of a sandbox, the same for every runtime. A list of them is ordered: a mount comes after
 * the mount that its target lies in.
 */
export type PlannedMount =
  /** `source` of the host appears at `target`; what is mounted below `source` on the host does not come along. */
  | { readonly kind: "bind"; readonly source: string; readonly target: string; readonly isReadOnly: boolean }
  /** An empty directory in memory that the sandbox's user owns. */
  | { readonly kind: "scratch"; readonly target: string; readonly maxBytes: number };

/** The user and group that commands run as; never 0. */
export type SandboxUser = { readonly uid: number; readonly gid: number };

/** Used when the workspace belongs to root: a user that owns nothing on any machine (Debian's `nobody` is 65534, systemd's dynamic users end at 65519). */
export const UNPRIVILEGED_USER: SandboxUser = { uid: 65532, gid: 65532 };

/** Sorts mounts so that parents come before what lies in them; of equal targets the order given stays. */
export function inMountOrder(mounts: readonly PlannedMount[]): readonly PlannedMount[] {
  const depth = (mount: PlannedMount): number => mount.target.split("/").length;
  return mounts.toSorted((one, other) => depth(one) - depth(other));
}
