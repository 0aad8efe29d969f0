import type { Approvals } from "../../approvals/approval.ts";
import type { Budget, Reservation } from "../../budgets/budget.ts";
import type { ToolCall, ToolRequest } from "../../tools/contract/tool.ts";
import type { Emit, Ruling } from "../gate.ts";
import type { GateParts } from "../gate-parts.ts";
import type { Bench, Judgement, Measured } from "./judge.ts";
import type { Lock } from "../mutex.ts";
import type { Binding } from "./ruling.ts";

/** What the gate of one run keeps between calls. */
export type GateState = {
  readonly parts: GateParts;
  readonly bench: Bench;
  readonly approvals: Approvals;
  readonly budget: Budget;
  /** What lasting grants belong to: the policy's name, its file and the workspace. */
  readonly grantKey: string;
  /** Held from measuring again until the action has ended: nothing moves in between. */
  readonly lock: Lock;
  /** sha256 of what the run has read, by path. */
  readonly seen: Map<string, string>;
};

/** A call that was ruled on, on its way to the sandbox. */
export type RuledCall = {
  readonly gate: GateState;
  readonly ruling: Ruling;
  readonly binding: Binding;
  readonly judgement: Judgement;
  /** As the tool stated them; what the handles check each action against. */
  readonly wanted: readonly ToolRequest[];
  /** Digest of what code could load, when an approval is bound to it ({@link boundState}). */
  readonly bound: string | null;
  /** The calls behind it in its turn, as far as they are known. */
  readonly following: readonly ToolCall[];
  readonly signal: AbortSignal;
  readonly emit: Emit;
};

/** What becomes of a call while it is carried out. */
export type Progress = {
  /** What is spent with the first action: the approval that was claimed, the budget that was reserved. */
  readonly approvalId: string | null;
  readonly reservation: Reservation;
  /** Actions that have not ended: a tool may return without waiting for its own. */
  readonly pending: Set<Promise<unknown>>;
  hasBegun: boolean;
  isOver: boolean;
  /** Why the ruling no longer holds; then every further action of the call is refused. */
  voided: string | null;
  /** As the decision left it, and after each write of this call as that write left it. */
  measured: Measured;
  lastOutcome: string;
  /** How the tool itself failed, whatever came of its actions; null for one that ended. */
  toolFault: "failed" | "timed-out" | null;
  exitCode: number | null;
  /** A fault that must end the run, thrown on after the call was settled. */
  fault: unknown;
};
