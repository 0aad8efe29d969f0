import type { Reservation } from "../../budgets/budget.ts";
import type { Measured } from "../facts/measure.ts";

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
