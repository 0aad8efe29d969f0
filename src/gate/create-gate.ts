import { budgetOf, policyAccount } from "../budgets/accounts.ts";
import { left, type Budget } from "../budgets/budget.ts";
import { readOnly } from "../policy/deciding/narrowing.ts";
import type { Policy } from "../policy/policy.ts";
import type { ToolCall } from "../tools/contract/tool.ts";
import { sessionFacts } from "./facts/fact-source.ts";
import type { PlanCall, RunToolCall, TraitsOf } from "./gate.ts";
import type { GateParts } from "./gate-parts.ts";
import { createHooks } from "./hooks/hook.ts";
import type { Bench } from "./ruling/judge.ts";
import { createLock, createSharedLock } from "./mutex.ts";
import type { GateState } from "./gate-state.ts";
import { createPermitQueue } from "./permit-queue.ts";
import { planCall } from "./calls/plan-call.ts";
import { runToolCall } from "./calls/run-tool-call.ts";
import { isStopped } from "./stop-switch.ts";

/** The one door of a run: every call of its model goes through `runToolCall`, and nothing reaches the sandbox otherwise. */
export type Gate = {
  readonly runToolCall: RunToolCall;
  readonly planCall: PlanCall;
  readonly traitsOf: TraitsOf;
  /** sha256 of what the run has read, by path: kept with the run, so that it may overwrite what it read after it was resumed. */
  readonly seen: ReadonlyMap<string, string>;
  /** What all that the run spends is counted against. */
  readonly budget: Budget;
  /** The gate of a sub-agent: all that binds this run binds it, and it shares what moves. */
  readonly forChild: (child: ChildParts, seen: ReadonlyMap<string, string>) => Gate;
};

/** What a sub-agent has of its own: no more than its parent. */
export type ChildParts = Pick<GateParts, "runId"> & {
  readonly task: string;
  readonly narrowing: readonly Policy[];
};

/** `seen`: what the run had read before it was resumed. */
export function createGate(parts: GateParts, seen: ReadonlyMap<string, string> = new Map()): Gate {
  const { workspace } = parts.setting;
  const budget = budgetOf(parts.policy, { workspace, runId: parts.runId, job: parts.job ?? null }, parts);
  return gateOf(parts, seen, { budget, lock: createSharedLock(), permits: createPermitQueue(parts.audit), questions: createLock() });
}

/** What binds a run beside its policy: as long as it plans, nothing changes anything. */
function narrowingOf({ policy, narrowing = () => [], planning }: GateParts): () => readonly Policy[] {
  if (planning === undefined) return narrowing;
  const looks = readOnly(policy);
  return () => [...(planning.isOpen() ? [looks] : []), ...narrowing()];
}

type Shared = Pick<GateState, "budget" | "lock" | "permits" | "questions">;

function gateOf(parts: GateParts, seen: ReadonlyMap<string, string>, shared: Shared): Gate {
  const { budget } = shared;
  const runs = [parts.runId, ...(parts.ancestors ?? [])];
  const bench: Bench = {
    policy: parts.policy,
    narrowing: narrowingOf(parts),
    setting: parts.setting,
    source: sessionFacts(parts.session),
    containment: "profile",
    isSandboxReady: true,
    ownPaths: parts.ownPaths,
    clock: parts.clock,
    isStopped: (tool) => isStopped(parts.store, { run: runs, tool }),
    isNetworkStopped: () => isStopped(parts.store, { isNetwork: true }),
    actionsLeft: () => left(budget, "actions"),
    asksLeft: () => left(budget, "asks"),
  };
  const state: GateState = {
    parts,
    bench,
    hooks: createHooks(parts.hooks),
    approvals: { store: parts.store, clock: parts.clock },
    runs,
    ...shared,
    grantKey: policyAccount(parts.policy, parts.setting.workspace),
    settled: new Set(),
    seen: new Map(seen),
  };
  return {
    runToolCall: (call: ToolCall, options) => runToolCall(state, call, options),
    planCall: (call: ToolCall) => planCall(parts, call),
    traitsOf: (name) => parts.tools.find(name)?.traits ?? null,
    seen: state.seen,
    budget,
    forChild: ({ runId, task, narrowing }, read) => {
      const above = narrowingOf(parts);
      const { planning: _planning, ...shareable } = parts;
      const child = { ...shareable, runId, task, ancestors: runs, narrowing: () => [...above(), ...narrowing] };
      return gateOf(child, read, { ...shared, budget: { ...budget, runId } });
    },
  };
}
