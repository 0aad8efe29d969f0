import type { Stats } from "node:fs";

/**
 * One mount of a sandbox, the same for every runtime. A list of them is ordered: a mount comes after
 * the mount that its target lies in.
 */
export type PlannedMount =
  /** `source` of the host appears at `target`; what is mounted below `source` on the host does not come along. */
  | { readonly kind: "bind"; readonly source: string; readonly target: string; readonly isReadOnly: boolean }
  /** An empty directory in memory that the sandbox's user owns. */
  | { readonly kind: "scratch"; readonly target: string; readonly maxBytes: number }
  /** The engine mounts it: what is written at `target` lies in `upper`. Every lane of a session shares one, by its name, which no other has. */
  | {
      readonly kind: "overlay";
      readonly name: string;
      readonly target: string;
      /** Directories of the host, the uppermost first. */
      readonly lowers: readonly string[];
      readonly upper: string;
      /** Empty, on the file system of `upper`. */
      readonly work: string;
    }
  | VolumeMount;

/** A volume that the engine has, or makes for this run. */
export type VolumeMount = { readonly kind: "volume"; readonly name: string; readonly target: string; readonly isReadOnly: boolean };

export type OverlayMount = Extract<PlannedMount, { readonly kind: "overlay" }>;

/** How an engine mounts overlays for one run. */
export type EngineOverlays = {
  /** Ends what dead sessions of the run left: nothing writes to its layers afterwards. */
  clear(): Promise<void>;
  /** Makes an overlay that lanes can mount, until `release`. Throws `sandbox-unavailable`; then nothing is left. */
  hold(overlay: OverlayMount): Promise<{ /** Idempotent. */ release(): Promise<void> }>;
};

/** What of a run goes to an engine that has not this machine's files. */
export type Cargo = {
  /** No other has it: what is made there is named by it. */
  readonly name: string;
  readonly user: SandboxUser;
  /** The first is the workspace. */
  readonly roots: readonly {
    readonly path: string;
    /** By absolute path, parents first: what may be seen of it. */
    readonly entries: ReadonlyMap<string, Stats>;
  }[];
  /** By path: what is sent in a file's place. */
  readonly copies: ReadonlyMap<string, string>;
  /**
   * The local directories of what the run wrote to the workspace and to its repository, the last of the roots, where that changes with it; they go along if `isContinued`.
   * None: everything is only read.
   */
  readonly uppers: readonly string[];
  /** The local directory of hooks that goes along; null: none. */
  readonly hooks: string | null;
  readonly isContinued: boolean;
};

/** What was carried, until `release`. */
export type Carried = {
  readonly mounts: readonly VolumeMount[];
  /** Brings what the run wrote into the local layers, in place of what is there. */
  fetch(): Promise<void>;
  /** Removes what the engine has. What the last `fetch` failed to bring stays there. Idempotent. */
  release(): Promise<void>;
};

/**
 * Brings back what an earlier session of a run left elsewhere; `keep` is called once that is done, and only then it is removed there. False: the engine has
 * it no more.
 */
export type Settle = (
  left: LeftElsewhere,
  run: { readonly runId: string; readonly user: SandboxUser; /** As a cargo's. */ readonly uppers: readonly string[] },
  keep: () => void,
) => Promise<boolean>;

/** How a run goes to an engine elsewhere, and comes back. Everything here throws `sandbox-unavailable`. */
export type Carrier = {
  /** Of the engine, for a person and the run's record. */
  readonly address: string;
  readonly imageId: string;
  /** Why the engine is taken for one elsewhere. */
  readonly because: string;
  settle: Settle;
  carry(cargo: Cargo): Promise<Carried>;
};

/** Where what a run wrote lies until it is brought back. */
export type LeftElsewhere = { /** The engine. */ readonly address: string; readonly imageId: string; /** The volume. */ readonly store: string };

/** How a session's workspace is shown to it: as it is recorded and told. */
export type WorkspaceMount =
  | "overlay-by-guardian"
  | "overlay-by-engine"
  | "overlay-in-user-namespace"
  | "overlay-elsewhere"
  | "copy-elsewhere"
  | "bind"
  | "none";

/** The processes that see a run's mounts where this one does not: who joins the namespaces of `pid` has its overlay at `view`. */
export type MountNamespace = { readonly pid: number; readonly view: string };

/** The user and group that commands run as; never 0. */
export type SandboxUser = { readonly uid: number; readonly gid: number };

/** Used when the workspace belongs to root: a user that owns nothing on any machine (Debian's `nobody` is 65534, systemd's dynamic users end at 65519). */
export const UNPRIVILEGED_USER: SandboxUser = { uid: 65532, gid: 65532 };

/** Sorts mounts so that parents come before what lies in them; of equal targets the order given stays. */
export function inMountOrder(mounts: readonly PlannedMount[]): readonly PlannedMount[] {
  const depth = (mount: PlannedMount): number => mount.target.split("/").length;
  return mounts.toSorted((one, other) => depth(one) - depth(other));
}
