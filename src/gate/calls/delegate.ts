import type { Label } from "../../policy/label.ts";
import type { AgentsHandle, Delegation, DelegationEnd } from "../../tools/contract/tool.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import { coversDelegation } from "./action-coverage.ts";
import type { Said } from "../gate.ts";
import type { Progress } from "./progress.ts";

const NAME = /^[a-z][a-z0-9_-]{0,31}$/u;

const notStarted = (reason: string): DelegationEnd => ({ kind: "not-started", reason: `Not started: ${reason}` });

/**
 * Sub-agents of one call: of tasks that were ruled on, while the call goes on; a few at once, each behind those that it waits for. A fault ends all of them and
 * the run, as one of any action does. Any other end of one is its own.
 */
export function agentsHandle(call: RuledCall, progress: Progress): AgentsHandle {
  const faulty = new AbortController();
  const signal = AbortSignal.any([call.signal, faulty.signal]);
  return {
    run: async (given) => {
      const delegation = readOnce(given);
      const { name } = delegation;
      const obstacle = obstacleTo(delegation, call, progress);
      if (obstacle !== null) return notStarted(obstacle);
      const index = progress.delegations;
      progress.delegations += 1;
      const going = carryOut(delegation, { call, progress, index, signal }).catch((error: unknown) => {
        progress.fault ??= error;
        faulty.abort();
        return unlabelled(notStarted("Warder failed while it drove the sub-agent."));
      });
      if (name !== undefined) progress.named.set(name, going);
      progress.pending.add(going);
      const { end } = await going;
      progress.pending.delete(going);
      return end;
    },
  };
}

const asText = (value: unknown): string => String(value);

/** What a tool wants could be another thing each time that it is looked at. */
function readOnce({ task, name, after, tools, isReadOnly }: Delegation): Delegation {
  return {
    task,
    ...(name === undefined ? {} : { name: asText(name) }),
    ...(after === undefined ? {} : { after: Array.from(after, asText) }),
    ...(tools === undefined ? {} : { tools: Array.from(tools, asText) }),
    ...(isReadOnly === undefined ? {} : { isReadOnly }),
  };
}

function obstacleTo({ task, name, after = [] }: Delegation, { wanted, delegate }: RuledCall, { isOver, named }: Progress): string | null {
  if (isOver) return "the call has ended.";
  if (!coversDelegation(wanted, task)) return "the call did not ask for this task.";
  if (delegate === undefined) return "there are no sub-agents here.";
  if (name !== undefined && !NAME.test(name)) return "its name is none: lower-case letters, digits, _ and -, at most 32.";
  if (name !== undefined && named.has(name)) return `another sub-agent of this call is called ${name}.`;
  const unknown = after.find((other) => !named.has(other));
  return unknown === undefined ? null : "it waits for one that this call has not started.";
}

type Going = { readonly call: RuledCall; readonly progress: Progress; readonly index: number; readonly signal: AbortSignal };

type Ended = { readonly end: DelegationEnd; readonly labels: readonly Label[] };

const unlabelled = (end: DelegationEnd): Ended => ({ end, labels: [] });

async function carryOut(delegation: Delegation, { call, progress, index, signal }: Going): Promise<Ended> {
  const heard: Said[] = [];
  for (const name of delegation.after ?? []) {
    const { end, labels = [] } = (await progress.named.get(name)) ?? {};
    if (end?.kind === "parked") return unlabelled(end);
    if (end?.kind !== "ended" || !end.isDone) return unlabelled(notStarted(`it waits for ${name}, which did not end well.`));
    heard.push({ name, text: end.text, labels });
  }
  const { delegations } = call.gate;
  await delegations.take();
  try {
    if (progress.parkedOn !== null) return unlabelled({ kind: "parked", approvalId: progress.parkedOn });
    if (signal.aborted) return unlabelled(notStarted("the call was cancelled."));
    if (call.delegate === undefined) return unlabelled(notStarted("there are no sub-agents here."));
    const { end, work, labels = [] } = await call.delegate(delegation, { callId: call.ruling.callId, index, heard, signal });
    progress.labels.push(...labels);
    if (work !== null) progress.delegated.push(work);
    if (end.kind === "parked") progress.parkedOn ??= end.approvalId;
    return { end, labels };
  } finally {
    delegations.release();
  }
}
