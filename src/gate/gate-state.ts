import type { Slots } from "../base/slots.ts";
import type { Approvals } from "../approvals/approval.ts";
import type { Budget } from "../budgets/budget.ts";
import type { GateParts } from "./gate-parts.ts";
import type { PermitQueue } from "./permit-queue.ts";
import type { Lock, SharedLock } from "./mutex.ts";
import type { SeenLabels, WrittenLabels } from "./seen-labels.ts";
import type { Hooks } from "./hooks/hook.ts";
import type { RunToolCall } from "./gate.ts";
import type { Bench } from "./ruling/judge.ts";

/** What the gate of one run keeps between calls. */
export type GateState = {
  readonly parts: GateParts;
  readonly bench: Bench;
  /** The run, and those that it is a sub-agent of, the nearest first: what stops one of them stops it. */
  readonly runs: readonly string[];
  readonly hooks: Hooks;
  readonly approvals: Approvals;
  readonly budget: Budget;
  /** What lasting grants belong to: the policy's name, its file and the workspace. */
  readonly grantKey: string;
  /** Held from measuring again until the action has ended: nothing moves in between. Actions that only look may run beside each other. */
  readonly lock: SharedLock;
  /** Puts permits on disk. */
  readonly permits: PermitQueue;
  /** Held while a person is asked: calls that run beside each other ask one after the other. */
  readonly questions: Lock;
  /** For its sub-agents that work side by side. */
  readonly delegations: Slots;
  /** Calls that nobody is to be asked about any more, by id. */
  readonly settled: Set<string>;
  /** Where all that the model was given came from. */
  readonly labels: SeenLabels;
  readonly written: WrittenLabels;
  /** A call that comes of another one, judged and recorded by itself. */
  readonly nested: RunToolCall;
  /** sha256 of what the run has read, by path. */
  readonly seen: Map<string, string>;
};
