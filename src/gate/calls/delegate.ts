import type { Label } from "../../policy/label.ts";
import type { Outcome } from "../../sandbox/outcome.ts";
import type { SandboxAction } from "../../sandbox/runtime.ts";
import type { AgentsHandle, Delegation, DelegationEnd, HandedChange } from "../../tools/contract/tool.ts";
import type { ToolTraits } from "../../tools/contract/traits.ts";
import type { RuledCall } from "../ruling/ruled-call.ts";
import { coversDelegation, coversWrite } from "./action-coverage.ts";
import type { Said } from "../gate.ts";
import { type Handed, handedContent, handedTo, textOfContent } from "../kept/handed.ts";
import { refused } from "./perform-action.ts";
import type { Progress } from "./progress.ts";

const NAME = /^[a-z][a-z0-9_-]{0,31}$/u;

const notStarted = (reason: string): DelegationEnd => ({ kind: "not-started", reason: `Not started: ${reason}` });

/**
 * Sub-agents of one call: of tasks that were ruled on, while the call goes on; a few at once, each behind those that it waits for. A fault ends all of them and
 * the run, as one of any action does. Any other end of one is its own.
 */
export function agentsHandle(call: RuledCall, progress: Progress, perform: Perform): AgentsHandle {
  const faulty = new AbortController();
  const signal = AbortSignal.any([call.signal, faulty.signal]);
  const handed = (agent: string): Handed | null => {
    const { store, runId } = call.gate.parts;
    if (progress.isOver) return null;
    const found = handedTo(runId, agent, store);
    progress.labels.push(...(found?.labels ?? []));
    return found;
  };
  const contentOf = (agent: string, path: string): { readonly change: HandedChange; readonly content: Uint8Array } | null => {
    const change = handed(agent)?.changes.find((each) => each.path === path && each.obstacle === null);
    const content = change === undefined ? null : handedContent(call.gate.parts.store.paths.artifacts, agent, change);
    return change === undefined || content === null ? null : { change, content };
  };
  return {
    changes: (agent) => Promise.resolve(handed(asText(agent))?.changes ?? null),
    text: (agent, path) => {
      const found = contentOf(asText(agent), asText(path));
      const text = found === null ? null : textOfContent(found.content);
      // What the session keeps from a model stays kept from it.
      return Promise.resolve(text === null ? null : call.gate.parts.session.redact(text));
    },
    merge: async (agent, path) => {
      const to = asText(path);
      const found = contentOf(asText(agent), to);
      if (found === null) return refused(`the sub-agent has not handed over ${to}`);
      const content = Buffer.from(found.content).toString("base64");
      return await perform(coversWrite(call.wanted, to), { kind: "write-file", path: to, content, encoding: "base64", expected: found.change.before });
    },
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

/** Carries out an action, if the call asked for it. */
type Perform = (isCovered: boolean, action: SandboxAction) => Promise<Outcome>;

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

/** A tool that is gone has no sub-agents. */
function workspaceOf({ gate: { parts }, ruling }: RuledCall): ToolTraits["subAgents"] {
  return parts.tools.find(ruling.tool)?.traits.subAgents ?? "shared";
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
    const { end, work, labels = [] } = await call.delegate(delegation, { callId: call.ruling.callId, index, heard, workspace: workspaceOf(call), signal });
    progress.labels.push(...labels);
    if (work !== null) progress.delegated.push(work);
    if (end.kind === "parked") progress.parkedOn ??= end.approvalId;
    return { end, labels };
  } finally {
    delegations.release();
  }
}
