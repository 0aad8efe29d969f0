import * as fc from "fast-check";
import { runAgent } from "../../src/agent/loop.ts";
import { createInbox } from "../../src/agent/inbox.ts";
import { continuationOf, openCalls, type RunStep } from "../../src/agent/journal.ts";
import type { RunReport } from "../../src/agent/run-end.ts";
import type { Strategy } from "../../src/agent/calls/schedule.ts";
import { systemClock } from "../../src/base/clock.ts";
import { AgentError } from "../../src/base/errors.ts";
import type { CallPlan, PathScope, PlanCall, RunToolCall } from "../../src/gate/gate.ts";
import type { Hook } from "../../src/gate/hooks/hook.ts";
import { createRunHooks } from "../../src/gate/hooks/run-hooks.ts";
import type { ModelRequest } from "../../src/providers/contract/provider.ts";
import { DEFAULT_TRAITS } from "../../src/tools/contract/traits.ts";
import { brokenPairs, callEnd } from "./agent-run.ts";
import { modelInProcess } from "./model-in-process.ts";

const BEHAVIOURS = [
  "executed",
  "executed",
  "executed",
  "fails",
  "votes",
  "denied",
  "refused",
  "invalid",
  "budget",
  "cancelled",
  "fault",
  "throws",
  "aborts-the-run",
  "parks",
  "steers",
] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

export type GeneratedCall = {
  readonly behaviour: Behaviour;
  /** Turns of the event loop that it takes. */
  readonly ticks: number;
  readonly raw: string;
  readonly isUnknown: boolean;
  readonly traits: {
    readonly exclusiveSandbox: boolean;
    readonly parallelSafe: boolean;
    readonly abortsSiblingsOnError: boolean;
    readonly countsTowardTermination: boolean;
  };
  readonly isReader: boolean;
  readonly path: string;
};

export type GeneratedConversation = {
  readonly turns: readonly (readonly GeneratedCall[])[];
  readonly strategy: Strategy;
  /** The steps at which the process dies. */
  readonly crashes: readonly number[];
  readonly hooks: readonly (keyof typeof RUN_HOOKS)[];
};

const throws = (): never => {
  throw new Error("a hook's own");
};
const hangs = (): Promise<never> => new Promise(() => undefined);
const onTheWay = (source: string, answer: () => { readonly block: string } | Promise<never>) => (source === "task" ? undefined : answer());

/** Hooks at the turning points of a run: each says no, goes on, fails or hangs. */
const RUN_HOOKS = {
  "blocks-resumed": { onRunStart: ({ isResumed }) => (isResumed ? { block: "no" } : undefined) },
  "throws-when-resumed": { onRunStart: ({ isResumed }) => (isResumed ? throws() : undefined) },
  "blocks-words": { onPrompt: ({ source }) => onTheWay(source, () => ({ block: "no" })) },
  "warns-of-words": { onPrompt: () => ({ warn: "careful" }) },
  "throws-at-words": { onPrompt: ({ source }) => onTheWay(source, throws) },
  "hangs-at-words": { onPrompt: ({ source }) => onTheWay(source, hangs) },
  "goes-on": { onStop: () => ({ continue: "there is more" }) },
  "throws-at-stop": { onStop: throws },
  "hangs-at-stop": { onStop: hangs },
  "throws-at-parking": { onPark: throws },
} as const satisfies Record<string, Omit<Hook, "name">>;

const mostly = (value: boolean, weight: number): fc.Arbitrary<boolean> =>
  fc.oneof({ arbitrary: fc.constant(value), weight }, { arbitrary: fc.constant(!value), weight: 1 });

const call: fc.Arbitrary<GeneratedCall> = fc.record({
  behaviour: fc.constantFrom(...BEHAVIOURS),
  ticks: fc.nat(4),
  raw: fc.oneof({ arbitrary: fc.constant("{}"), weight: 9 }, fc.constantFrom("", "{", "null", '"\\ud800"')),
  isUnknown: mostly(false, 9),
  traits: fc.record({
    exclusiveSandbox: mostly(false, 9),
    parallelSafe: mostly(true, 5),
    abortsSiblingsOnError: mostly(false, 5),
    countsTowardTermination: mostly(true, 2),
  }),
  isReader: fc.boolean(),
  path: fc.constantFrom("/w/a", "/w/b", "/w/c", "/w/sub/d"),
});

/** Conversations with everything that can happen to a call, for every strategy. */
export const conversations: fc.Arbitrary<GeneratedConversation> = fc.record({
  turns: fc.array(fc.array(call, { minLength: 1, maxLength: 7 }), { minLength: 1, maxLength: 4 }),
  strategy: fc.oneof(
    fc.constant({ kind: "sequential" } as const),
    fc.record({ kind: fc.constant("parallel" as const), atOnce: fc.integer({ min: 1, max: 8 }) }),
    fc.record({ kind: fc.constant("batched" as const), size: fc.integer({ min: 1, max: 4 }) }),
  ),
  crashes: fc.array(fc.nat(12), { maxLength: 2 }),
  hooks: fc.uniqueArray(fc.constantFrom(...(Object.keys(RUN_HOOKS) as (keyof typeof RUN_HOOKS)[])), { maxLength: 3 }),
});

class Crash extends Error {}

/** Plays a conversation to its end over every crash and park, and gives all that was wrong with it: nothing, when all is well. */
export async function faultsOf(conversation: GeneratedConversation): Promise<readonly string[]> {
  const scene = new Scene(conversation);
  const steps: RunStep[] = [];
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const played = await scene.play(attempt === 0 ? null : steps, attempt);
    steps.push(...played.steps);
    if (played.report !== null && played.report.end.kind !== "parked") {
      const broken = brokenPairs(played.report.messages);
      const putOff = played.report.messages.filter((message) => message.kind === "user" && message.text.includes("there is more")).length;
      return [...scene.faults, ...broken, ...(putOff > 3 ? [`hooks put off the end ${putOff} times`] : [])];
    }
    steps.push(...scene.begunIn(steps));
  }
  return [...scene.faults, "it never ended"];
}

class Scene {
  readonly faults: string[] = [];
  readonly #conversation: GeneratedConversation;
  readonly #calls = new Map<string, GeneratedCall>();
  /** How often each call ran to an end. */
  readonly #ran = new Map<string, number>();
  readonly #parked = new Set<string>();
  readonly #running = new Set<string>();

  constructor(conversation: GeneratedConversation) {
    this.#conversation = conversation;
    for (const [turn, calls] of conversation.turns.entries()) for (const [index, each] of calls.entries()) this.#calls.set(`c${turn}_${index}`, each);
  }

  async play(before: readonly RunStep[] | null, attempt: number): Promise<{ readonly report: RunReport | null; readonly steps: readonly RunStep[] }> {
    const { turns, strategy, crashes, hooks } = this.#conversation;
    const steps: RunStep[] = [];
    const stop = new AbortController();
    const inbox = createInbox();
    this.#running.clear();
    const provider = modelInProcess(
      (_request, answers) => {
        const calls = turns[answers];
        if (calls === undefined) return { text: "Done." };
        return { calls: calls.map(({ raw }, index) => ({ callId: `c${answers}_${index}`, name: `tool_${answers}_${index}`, inputText: raw })) };
      },
      (request) => this.#look(request),
    );
    const crashAt = crashes[attempt];
    try {
      const report = await runAgent({
        runId: "run-test",
        task: "Go.",
        workspace: "/w",
        provider,
        systemPrompt: "",
        tools: () => [],
        runToolCall: this.#gate(stop, inbox.steer),
        planCall: this.#plan,
        strategy,
        inbox,
        hooks: createRunHooks(hooks.map((name) => ({ name, timeoutMs: 2, ...RUN_HOOKS[name] }))),
        limits: { turns: 50, tokens: 1e9, minutes: 10 },
        signal: stop.signal,
        emit: () => undefined,
        clock: systemClock,
        journal: {
          record: (...made) => {
            // All of them are kept, or none.
            if (crashAt !== undefined && steps.length <= crashAt && steps.length + made.length > crashAt) throw new Crash();
            steps.push(...made);
          },
        },
        ...(before === null ? {} : { continuation: continuationOf("Go.", before) }),
      });
      return { report, steps };
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      return { report: null, steps };
    }
  }

  /** What a resumed run answers for calls that had run when their process ended. */
  begunIn(steps: readonly RunStep[]): readonly RunStep[] {
    return openCalls(continuationOf("Go.", steps)).flatMap(({ part }): readonly RunStep[] =>
      (this.#ran.get(part.callId) ?? 0) > 0
        ? [{ kind: "result", part: { kind: "tool-result", callId: part.callId, name: part.name, text: "Interrupted.", isError: true }, elapsedMs: 0 }]
        : [],
    );
  }

  readonly #plan: PlanCall = ({ id, name }): CallPlan | null => {
    const found = this.#calls.get(id);
    if (found === undefined || found.isUnknown) return null;
    const scope: readonly PathScope[] = [{ path: found.path, isRecursive: false }];
    const traits = { ...DEFAULT_TRAITS, ...found.traits, tier: found.isReader ? ("read-only" as const) : ("workspace-write" as const) };
    return { tool: name, traits, reads: scope, writes: found.isReader ? [] : scope, identity: id };
  };

  #gate(stop: AbortController, steer: (text: string) => void): RunToolCall {
    return async ({ id }, { signal }) => {
      const found = this.#calls.get(id);
      if (found === undefined) throw new Error(`nobody asked for ${id}`);
      this.#begin(id, found);
      for (let tick = 0; tick < found.ticks && !signal.aborted; tick += 1) await new Promise((resolve) => void setImmediate(resolve));
      this.#running.delete(id);
      if (found.behaviour === "parks" && !this.#parked.has(id)) {
        this.#parked.add(id);
        return { ...callEnd("waiting", "parked"), approvalId: `approval-${id}` };
      }
      this.#ran.set(id, (this.#ran.get(id) ?? 0) + 1);
      if ((this.#ran.get(id) ?? 0) > 1) this.faults.push(`${id} ran twice`);
      if (signal.aborted) return callEnd("stopped", "cancelled");
      return this.#end(id, found, stop, steer);
    };
  }

  #end(id: string, { behaviour, isUnknown }: GeneratedCall, stop: AbortController, steer: (text: string) => void) {
    if (isUnknown) return callEnd(id, "unknown-tool");
    switch (behaviour) {
      case "throws":
        throw new AgentError("store-unavailable", "No store.");
      case "aborts-the-run":
        stop.abort();
        return callEnd(id, "cancelled");
      case "steers":
        steer(`about ${id}`);
        return callEnd(id);
      case "fails":
        return { ...callEnd(id), result: { ...callEnd(id).result, isError: true } };
      case "votes":
        return { ...callEnd(id), result: { ...callEnd(id).result, terminate: true } };
      case "parks":
        return callEnd(id);
      case "executed":
      case "denied":
      case "refused":
      case "invalid":
      case "budget":
      case "cancelled":
      case "fault":
        return callEnd(id, behaviour);
    }
  }

  #begin(id: string, found: GeneratedCall): void {
    const { strategy } = this.#conversation;
    this.#running.add(id);
    const most = strategy.kind === "sequential" ? 1 : strategy.kind === "parallel" ? strategy.atOnce : strategy.size;
    if (this.#running.size > most) this.faults.push(`${this.#running.size} calls at once, at most ${most}`);
    for (const other of this.#running) {
      const beside = this.#calls.get(other);
      if (other === id || beside === undefined || beside.isUnknown || found.isUnknown) continue;
      if (found.traits.exclusiveSandbox || beside.traits.exclusiveSandbox) this.faults.push(`${id} beside ${other}, and one is exclusive`);
      if (!found.traits.parallelSafe || !beside.traits.parallelSafe) this.faults.push(`${id} beside ${other}, and one is not parallel-safe`);
      if (found.path === beside.path && !(found.isReader && beside.isReader)) this.faults.push(`${id} and ${other} at once in ${found.path}`);
    }
  }

  /** What goes to a provider is whole at each moment. */
  #look({ messages }: ModelRequest): void {
    this.faults.push(...brokenPairs(messages).map((fault) => `sent: ${fault}`));
  }
}
