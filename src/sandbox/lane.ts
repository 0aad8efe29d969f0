import type { Limit } from "./hardening.ts";
import type { PreparedWorkspace } from "./workspace/prepare.ts";
import type { SupervisorClient } from "./supervisor/client.ts";

/** One warm sandbox with its supervisor: what a runtime makes, and all that differs between runtimes. */
export type Lane = {
  readonly supervisor: SupervisorClient;
  readonly imageDigest: string;
  /** Limits that no control group holds the whole lane to, but each of its processes. Absent: none. */
  readonly uncounted?: readonly Limit[];
  /** What a lane needs that works beside others; absent where the runtime has no way to do it. */
  readonly hold?: LaneHold;
  /** Ends every process and removes the sandbox, by force when the supervisor does not answer. Idempotent. */
  close(): Promise<void>;
};

export type LaneHold = {
  /** Stops every process of the lane where it is. */
  freeze(): Promise<void>;
  /** Lets them go on. */
  thaw(): Promise<void>;
  /** Gives it this part (above 0, at most 1) of the policy's memory, processes and CPUs. False, and nothing changed, where it uses more than that. */
  limit(part: number): Promise<boolean>;
};

export type LaneOptions = {
  /** Called once when the sandbox ended by itself; the session then closes the lane. */
  readonly onLost: (reason: string) => void;
  /** The folder with the egress proxy's socket; null where the policy gives no network. */
  readonly egressDirectory: string | null;
};

/** Makes a sandbox for a prepared workspace. Throws `sandbox-unavailable`; then nothing is left. */
export type OpenLane = (workspace: PreparedWorkspace, options: LaneOptions) => Promise<Lane>;

/** How long after a command's own time limit the supervisor may take to clean up before the sandbox is ended from outside. */
export const CLEAN_UP_GRACE_MS = 5000;

/** How long a supervisor may take to start: longer than any start of its own, because a machine that is busy stalls. */
export const HELLO_TIMEOUT_MS = 30_000;
