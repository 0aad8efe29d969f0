import { runAgent, type AgentOptions } from "../../src/agent/loop.ts";
import type { AgentEvent } from "../../src/agent/events.ts";
import type { RunStep } from "../../src/agent/journal.ts";
import type { RunReport } from "../../src/agent/run-end.ts";
import { systemClock } from "../../src/base/clock.ts";
import { canonicalJson } from "../../src/base/digest.ts";
import type { CallEnd, PlanCall, RunToolCall } from "../../src/gate/gate.ts";
import type { Hook } from "../../src/gate/hooks/hook.ts";
import { createRunHooks } from "../../src/gate/hooks/run-hooks.ts";
import { DEFAULT_TRAITS, type ToolTraits } from "../../src/tools/contract/traits.ts";
import type { Message } from "../../src/providers/contract/message.ts";
import type { ModelRequest } from "../../src/providers/contract/provider.ts";
import { startScriptedProvider } from "../../src/providers/scripted/provider.ts";
import { script, SHELL } from "./scripted-model.ts";

/** An end of a call with the given words. */
export function callEnd(text: string, kind: CallEnd["kind"] = "executed"): CallEnd {
  return {
    kind,
    ruling: null,
    result: { content: [{ kind: "text", text }], isError: kind !== "executed", label: kind === "executed" ? "untrusted" : "trusted" },
  };
}

export type PlayOptions = Partial<
  Pick<
    AgentOptions,
    "limits" | "signal" | "clock" | "spending" | "time" | "continuation" | "strategy" | "inbox" | "planCall" | "history" | "traitsOf" | "output" | "images"
  >
> & {
  readonly hooks?: readonly Hook[];
  readonly protocol?: "anthropic" | "openai";
  readonly onEvent?: (event: AgentEvent) => unknown;
  /** Called with each step before it counts as kept. */
  readonly onStep?: (step: RunStep) => void;
};

/** Plays a script to the loop over real HTTP; `runToolCall` stands where the gate is. */
export async function play(
  turns: readonly unknown[],
  runToolCall: RunToolCall,
  options: PlayOptions = {},
): Promise<RunReport & { readonly events: readonly AgentEvent[]; readonly steps: readonly RunStep[]; readonly asked: readonly ModelRequest[] }> {
  const provider = await startScriptedProvider(script(options.protocol ?? "anthropic", turns));
  const events: AgentEvent[] = [];
  const steps: RunStep[] = [];
  const asked: ModelRequest[] = [];
  try {
    const report = await runAgent({
      runId: "run-test",
      task: "Go.",
      workspace: "/repo",
      provider: {
        ...provider,
        stream: (request, signal) => {
          asked.push(request);
          return provider.stream(request, signal);
        },
      },
      systemPrompt: "You are a test.",
      tools: () => [SHELL],
      runToolCall,
      planCall: options.planCall ?? planned(),
      ...(options.strategy === undefined ? {} : { strategy: options.strategy }),
      ...(options.images === undefined ? {} : { images: options.images }),
      ...(options.history === undefined ? {} : { history: options.history }),
      ...(options.traitsOf === undefined ? {} : { traitsOf: options.traitsOf }),
      ...(options.output === undefined ? {} : { output: options.output }),
      ...(options.inbox === undefined ? {} : { inbox: options.inbox }),
      hooks: createRunHooks(options.hooks, (did) => void events.push({ runId: "run-test", atMs: 0, kind: "run-hook", ...did })),
      limits: options.limits ?? { turns: 50, tokens: 1_000_000, minutes: 10 },
      signal: options.signal ?? new AbortController().signal,
      emit: (event) => {
        events.push(event);
        return options.onEvent?.(event);
      },
      clock: options.clock ?? systemClock,
      journal: {
        record: (...made) => {
          for (const step of made) {
            options.onStep?.(step);
            steps.push(step);
          }
        },
      },
      ...(options.continuation === undefined ? {} : { continuation: options.continuation }),
      ...(options.spending === undefined ? {} : { spending: options.spending }),
      ...(options.time === undefined ? {} : { time: options.time }),
    });
    return { ...report, events, steps, asked };
  } finally {
    await provider.close();
  }
}

/** What the gate would know of each call: as of a tool with these traits. */
export function planned(traits: Partial<ToolTraits> = {}): PlanCall {
  return ({ name, input }) => ({ tool: name, traits: { ...DEFAULT_TRAITS, ...traits }, reads: [], writes: [], identity: `${name} ${canonicalJson(input)}` });
}

/** Every way in which a conversation breaks the rule "each call answered once, in order, nothing between". */
export function brokenPairs(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message, index) => {
    const before = messages[index - 1];
    const wanted = message.kind === "assistant" ? message.parts.flatMap((part) => (part.kind === "tool-call" ? [part.callId] : [])) : [];
    const after = messages[index + 1];
    const answered = after?.kind === "tool" ? after.results.map((result) => result.callId) : [];
    if (wanted.join() !== answered.join() && message.kind === "assistant") return [`message ${index}: calls ${wanted.join()} answered by ${answered.join()}`];
    return message.kind === "tool" && before?.kind !== "assistant" ? [`message ${index}: results of no calls`] : [];
  });
}

/** The texts of all results, in order. */
export function resultTexts(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => (message.kind === "tool" ? message.results.map((result) => result.text) : []));
}
