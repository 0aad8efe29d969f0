import type { ApprovalChannel } from "../approvals/channel.ts";
import type { AuditLog } from "../audit/log/log.ts";
import type { Clock } from "../base/clock.ts";
import type { Policy } from "../policy/policy.ts";
import type { RunSchedule } from "./schedule-change.ts";
import type { Session } from "../sandbox/runtime.ts";
import type { Store } from "../store/store.ts";
import type { Hook } from "./hooks/hook.ts";
import type { Gap } from "../tools/availability.ts";
import type { SkillText } from "../tools/contract/run-handles.ts";
import type { Tool, ToolSetting } from "../tools/contract/tool.ts";

/** Where tools are found, by canonical name or alias. */
export type ToolSource = { find(name: string): Tool | undefined; near(name: string): readonly string[] };

export type Asking = "wait" | "park" | "deny";

/** Of a run that plans: read-only until a plan is left for its execution. */
export type Planning = {
  readonly isOpen: () => boolean;
  /** Within the transaction that records it. */
  readonly leave: (digest: string) => void;
};

/** What one run's gate is made of. */
export type GateParts = {
  readonly runId: string;
  /** The runs that it is a sub-agent of, the nearest first; absent: none. */
  readonly ancestors?: readonly string[];
  /** What it was told to do, as a sub-agent. */
  readonly task?: string;
  /** The job that the run is of, whose limits hold too; absent for one that a person started. */
  readonly job?: string | null;
  readonly policy: Policy;
  /** Policies that bind each call beside it: those of a sub-agent, or of a run that plans. Read anew for each call; absent: none. */
  readonly narrowing?: () => readonly Policy[];
  readonly tools: ToolSource;
  /** Why a tool is not offered now, by its own name; null: it is. Absent: every tool is. */
  readonly gapOf?: (tool: string) => Gap | null;
  /** Absent: the run does not plan. */
  readonly planning?: Planning;
  /** Of the program that embeds Warder; absent: none. */
  readonly hooks?: readonly Hook[];
  readonly setting: ToolSetting;
  readonly session: Session;
  readonly store: Store;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** The ways to reach a person; all are told of each question. */
  readonly channels: readonly ApprovalChannel[];
  /**
   * What an ask does: `wait` for an answer; `park`, that is store the question, tell the channels, and suspend the run until somebody answers from
   * elsewhere; or `deny`, with a result that says that nobody was asked.
   */
  readonly asking: Asking;
  /** Keeps a message of the run for whoever is told of it elsewhere, within the transaction that records it. Absent: nobody is. */
  readonly keepMessage?: (text: string) => void;
  /** Jobs that run by the clock, as this run sees them. Absent: it proposes none. */
  readonly schedule?: RunSchedule;
  /** Reads what a person installed for runs. Absent: nothing. */
  readonly readSkill?: (name: string, file: string | null) => SkillText;
  /** The tools of MCP servers, which may ask for something while they do a call. Absent: none. */
  readonly ofServers?: ReadonlySet<string>;
  /** How long a question waits. */
  readonly approvalTimeoutMs: number;
  /** Warder's state directory, policy files and key folder: absolute. */
  readonly ownPaths: readonly string[];
};

/** As long as a person may be at lunch and not longer: what was measured grows old. */
export const DEFAULT_APPROVAL_TIMEOUT_MS = 30 * 60 * 1_000;

/** How long a parked question waits: over a week-end and a holiday. What was measured is measured again afterwards. */
export const PARKED_APPROVAL_TIMEOUT_MS = 7 * 24 * 60 * 60 * 1_000;
