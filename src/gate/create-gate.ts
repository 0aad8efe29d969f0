import { budgetOf, policyAccount } from "../budgets/accounts.ts";
import { left, ruleUses, type Budget } from "../budgets/budget.ts";
import { createSlots } from "../base/slots.ts";
import type { Label } from "../policy/label.ts";
import { readOnly } from "../policy/deciding/narrowing.ts";
import type { Policy } from "../policy/policy.ts";
import type { ToolCall } from "../tools/contract/tool.ts";
import { sessionFacts } from "./facts/fact-source.ts";
import type { PlanCall, RunToolCall, TraitsOf } from "./gate.ts";
import type { GateParts } from "./gate-parts.ts";
import { createHooks } from "./hooks/hook.ts";
import { createSeenLabels, createWrittenLabels } from "./seen-labels.ts";
import type { Bench } from "./ruling/judge.ts";
import { createLock, createSharedLock } from "./mutex.ts";
import type { GateState } from "./gate-state.ts";
import { createPermitQueue } from "./permit-queue.ts";
import { planCall } from "./calls/plan-call.ts";
import { runToolCall } from "./calls/run-tool-call.ts";
import { isStopped } from "./stop-switch.ts";
import { verdictInRun, type VerdictInRun } from "./verdict-in-run.ts";

/** The one door of a run: every call of its model goes through `runToolCall`, and nothing reaches the sandbox otherwise. */
export type Gate = {
  readonly runToolCall: RunToolCall;
  readonly planCall: PlanCall;
  readonly traitsOf: TraitsOf;
  /** What would be decided about a call now. Nothing runs, and nothing is recorded. */
  readonly verdictOn: (call: Pick<ToolCall, "name" | "input">) => Promise<VerdictInRun>;
  /** sha256 of what the run has read, by path: kept with the run, so that it may overwrite what it read after it was resumed. */
  readonly seen: ReadonlyMap<string, string>;
  /** What all that the run spends is counted against. */
  readonly budget: Budget;
  /** Does something while no action of the run goes on in its sandbox. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** The gate of a sub-agent: all that binds this run binds it, and it shares what moves. */
  readonly forChild: (child: ChildParts, before: Before) => Gate;
};

/** What a sub-agent has of its own: no more than its parent. */
export type ChildParts = Pick<GateParts, "runId"> & {
  readonly task: string;
  readonly narrowing: readonly Policy[];
  /** The sandbox that it works in, with hooks that look at that; absent: its parent's. */
  readonly apart?: Pick<GateParts, "session" | "hooks">;
};

/** What a run had been given before it was resumed: sha256 of what it read, by path, and the labels of all that its model was told. */
export type Before = { readonly seen: ReadonlyMap<string, string>; readonly labels: readonly Label[] };

export const NOTHING_BEFORE: Before = { seen: new Map(), labels: [] };

/** `ofFamily`: labels of what its sub-agents were given before. */
export function createGate(parts: GateParts, before: Before = NOTHING_BEFORE, ofFamily: readonly Label[] = []): Gate {
  const { workspace } = parts.setting;
  const budget = budgetOf(parts.policy, { workspace, runId: parts.runId, job: parts.job ?? null }, parts);
  const written = createWrittenLabels([...before.labels, ...ofFamily]);
  return gateOf(parts, before, { budget, lock: createSharedLock(), permits: createPermitQueue(parts.audit), questions: createLock(), written });
}

/** What binds a run beside its policy: as long as it plans, nothing changes anything. */
function narrowingOf({ policy, narrowing = () => [], planning }: GateParts): () => readonly Policy[] {
  if (planning === undefined) return narrowing;
  const looks = readOnly(policy);
  return () => [...(planning.isOpen() ? [looks] : []), ...narrowing()];
}

/** Of one run, its own sub-agents alone: one that waits for its own takes no place from them. */
const SUB_AGENTS_AT_ONCE = 4;

type Shared = Pick<GateState, "budget" | "lock" | "permits" | "questions" | "written">;

function gateOf(parts: GateParts, before: Before, shared: Shared): Gate {
  const { budget } = shared;
  const labels = createSeenLabels(before.labels);
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
    uses: () => ruleUses(budget),
    labels: labels.all,
  };
  const state: GateState = {
    parts,
    bench,
    hooks: createHooks(parts.hooks),
    approvals: { store: parts.store, clock: parts.clock },
    runs,
    ...shared,
    grantKey: policyAccount(parts.policy, parts.setting.workspace),
    delegations: createSlots(SUB_AGENTS_AT_ONCE),
    settled: new Set(),
    labels,
    nested: (call, options) => runToolCall(state, call, options),
    seen: new Map(before.seen),
  };
  return {
    runToolCall: state.nested,
    planCall: (call: ToolCall) => planCall(parts, call),
    traitsOf: (name) => parts.tools.find(name)?.traits ?? null,
    verdictOn: (call) => verdictInRun(state, call),
    seen: state.seen,
    budget,
    alone: (work) => shared.lock.alone(work),
    forChild: ({ runId, task, narrowing, apart }, own) => {
      const above = narrowingOf(parts);
      const { planning: _planning, ...shareable } = parts;
      const child = { ...shareable, ...apart, runId, task, ancestors: runs, narrowing: () => [...above(), ...narrowing] };
      // Its task is the words of a model that was given all this.
      return gateOf(
        child,
        { ...own, labels: [...labels.all(), ...own.labels] },
        {
          ...shared,
          budget: { ...budget, runId },
          ...(apart !== undefined && { lock: createSharedLock() }),
        },
      );
    },
  };
}
