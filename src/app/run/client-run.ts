import { ownWords } from "../../agent/calls/result-text.ts";
import type { Approvals } from "../../approvals/approvals.ts";
import { systemClock } from "../../base/clock.ts";
import { recordMove } from "../../gate/budget-record.ts";
import type { Gate } from "../../gate/create-gate.ts";
import type { RunToolCall } from "../../gate/gate.ts";
import { isStopped } from "../../gate/stop-switch.ts";
import { DELEGATES } from "../../policy/tool-names.ts";
import { gapOf, policyGate, type ToolGate } from "../../tools/availability.ts";
import type { ToolDefinition } from "../../tools/registry.ts";
import { TOOL_SEARCH } from "../../tools/run/tool-search.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import { openRun, type SandboxedRun } from "./open.ts";
import type { SandboxOpening } from "./opening.ts";
import { startTimeLease, type TimeLease } from "./time-budget.ts";

/** A run whose calls somebody else's agent makes. It has no task, no model and no loop of its own; all else holds as in every run. */
export type ClientRun = Pick<Gate, "planCall" | "traitsOf" | "verdictOn"> & {
  readonly id: string;
  readonly approvals: Approvals;
  /** Those that can be called now, as a model is told of them. */
  toolDefinitions(): readonly ToolDefinition[];
  /** A question parks the call: it is made again, by the same id, after the answer. */
  readonly runToolCall: RunToolCall;
  /** Closes the sandbox and records how it ended. Idempotent. */
  end(ending: "done" | "failed", detail?: string): Promise<void>;
};

/** Whoever calls is an agent already, and a sub-agent would need a model of Warder's. */
const NO_SUB_AGENTS: ToolGate = {
  name: "client",
  refuses: (tool) => (DELEGATES.has(tool) ? "A run of another agent's calls has no model, so it has no sub-agents." : null),
};

/** Opens a run for an agent that is not Warder's. Throws as `openRun` does; then nothing is left open. */
export async function openClientRun(context: WorkspaceContext, onOpen: (opening: SandboxOpening) => void): Promise<ClientRun> {
  const run = await openRun(context, {
    task: null,
    model: null,
    isScripted: false,
    canAsk: true,
    answers: "later",
    channels: [],
    gates: [NO_SUB_AGENTS],
    onOpen,
  });
  const { gate, tools, records } = run;
  const gates: readonly ToolGate[] = [
    policyGate(run.policy),
    { name: "run", refuses: (tool) => run.gapOf(tool)?.reason ?? null },
    { name: "stop switch", refuses: (tool) => (isStopped(records.store, { run: run.id, tool }) ? "The stop switch is engaged." : null) },
  ];
  const timed = workingTime(run);
  return {
    id: run.id,
    approvals: records.approvals,
    planCall: gate.planCall,
    traitsOf: gate.traitsOf,
    verdictOn: gate.verdictOn,
    // It is shown all, so there is nothing to search for.
    toolDefinitions: () => tools.toolDefinitions((tool) => tool !== TOOL_SEARCH && gapOf(gates, tool) === null),
    runToolCall: async (call, options) =>
      await timed(async (time) => {
        if (time.signal.aborted) return { kind: "budget", result: ownWords(time.reason()), ruling: null };
        return await gate.runToolCall(call, { ...options, signal: AbortSignal.any([options.signal, time.signal]) });
      }),
    end: (ending, detail) => run.end(ending, detail),
  };
}

/** Counts time as the run's only while it works on a call: between calls it waits for an agent that is not its own. */
function workingTime({ gate, records }: SandboxedRun): <T>(work: (time: TimeLease) => Promise<T>) => Promise<T> {
  let now: { readonly lease: TimeLease; readonly fromMs: number } | null = null;
  let atWork = 0;
  return async (work) => {
    now ??= { lease: startTimeLease(gate.budget, systemClock), fromMs: systemClock.monotonicMs() };
    const { lease, fromMs } = now;
    atWork += 1;
    try {
      return await work(lease);
    } finally {
      atWork -= 1;
      if (atWork === 0) {
        now = null;
        lease.end();
        recordMove(records.audit, gate.budget, null, { minutes: Math.ceil(systemClock.monotonicMs() - fromMs) });
      }
    }
  };
}
