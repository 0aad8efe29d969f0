import type { BudgetWindow } from "../../budgets/budget.ts";
import type { Label } from "../../policy/label.ts";
import type { DelegationEnd } from "../../tools/contract/tool.ts";
import type { DelegatedWork } from "../gate.ts";
import type { Measured } from "../facts/measure.ts";

/** A call as it arrived. `full`: once its arrival is on disk, the limit of calls that others used up meanwhile. */
export type Arrival = { full: BudgetWindow | null };

/** What becomes of a call while it is carried out. */
export type Progress = {
  readonly arrival: Arrival;
  /** Spent with the first action: the approval that was claimed, and one of the limit of actions. */
  readonly approvalId: string | null;
  readonly isCounted: boolean;
  /** Actions that have not ended: a tool may return without waiting for its own. */
  readonly pending: Set<Promise<unknown>>;
  /** A permit is on disk. */
  hasBegun: boolean;
  /** Something was sent to the sandbox to be carried out. */
  hasActed: boolean;
  isOver: boolean;
  /** The limit that others used up between the ruling and the first action. */
  full: BudgetWindow | null;
  /** Why the ruling no longer holds; then every further action of the call is refused. */
  voided: string | null;
  /** As the decision left it, and after each write of this call as that write left it. */
  measured: Measured;
  lastOutcome: string;
  /** How the tool itself failed, whatever came of its actions; null for one that ended. */
  toolFault: "failed" | "timed-out" | "cancelled" | null;
  exitCode: number | null;
  /** Of what its sub-agents and artifacts brought. */
  readonly labels: Label[];
  /** What its sub-agents did that have ended, how many it started, those that have names, and the question that one of them waits for. */
  readonly delegated: DelegatedWork[];
  delegations: number;
  readonly named: Map<string, Promise<{ readonly end: DelegationEnd; readonly labels: readonly Label[] }>>;
  parkedOn: string | null;
  /** A fault that must end the run, thrown on after the call was settled. */
  fault: unknown;
};
