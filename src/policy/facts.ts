import type { Label } from "./label.ts";

/** What a path turned out to be when it was measured. */
export type PathFact = {
  /** As asked for: absolute, lexically normalised. */
  readonly path: string;
  /** With every link resolved; for what does not exist: the real path of the nearest existing ancestor plus the rest. */
  readonly real: string;
  readonly type: "file" | "directory" | "other" | "missing";
  /** Number of hard links of a file. */
  readonly links: number;
  /** Not empty: it could not be measured (law 8: then it is the riskiest class). */
  readonly error?: string;
};

/** Whether anything is known of a path. */
export function isMeasured(fact: PathFact | undefined): fact is PathFact {
  return fact !== undefined && fact.error === undefined;
}

/** What the gate measured for one call. Plain data: the same facts give the same decision. */
export type Facts = {
  /** `session`: by the supervisor, where the overlay exists. `host`: by lstat on the host. */
  readonly measured: "session" | "host";
  /** `profile`: Warder itself runs the call under the policy's profile. `none`: somebody else runs it (hooks, MCP verdicts). */
  readonly containment: "profile" | "none";
  readonly nowMs: number;
  /** The stop switch is engaged, or its state could not be read. */
  readonly isStopped: boolean;
  /** The stop switch is engaged for what goes over the network. */
  readonly isNetworkStopped?: boolean;
  /** False: the engine is missing, so nothing may run. */
  readonly isSandboxReady: boolean;
  /** Actions left in the policy's window; null when the policy sets no limit. */
  readonly actionsLeft: number | null;
  /** Questions left in the policy's window; null when the policy sets no limit. */
  readonly asksLeft: number | null;
  /** How often each rule with a limit was used within it, by its id. Absent: no run counts, so each of them counts as unused. */
  readonly uses?: ReadonlyMap<string, number>;
  /** By the absolute path that was asked for. A path without an entry is unmeasured. */
  readonly paths: ReadonlyMap<string, PathFact>;
  /** By the name of an MCP server: the same of what it touches, measured on this machine below its roots. Absent: it touches nothing. */
  readonly served?: ReadonlyMap<string, ReadonlyMap<string, PathFact>>;
  /** Files that patterns of keys name and that hold nothing but public parts: as they were measured when the sandbox opened. */
  readonly publicOnly?: ReadonlySet<string>;
  /** Those of them that a mount holds as they were measured; what is not among them a run may replace for itself. Absent: all. */
  readonly publicHeld?: ReadonlySet<string>;
  /** What may hold a private key and is hidden in the sandbox until that ends, whatever its name: files, and directories with all that is in them. Absent: nobody knows. */
  readonly privateKeys?: ReadonlySet<string>;
  /** Of all that the model has been given. Absent: nobody knows, so it counts as having seen everything (law 7). */
  readonly labels?: readonly Label[];
  /** What `~` in a policy stands for. */
  readonly home: string;
  /** Warder's state directory, policy files and key folder: never readable, never writable by a call. */
  readonly ownPaths: readonly string[];
};
