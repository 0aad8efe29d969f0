import type { Message } from "../../src/providers/contract/message.ts";
import type { ModelProvider, ModelRequest } from "../../src/providers/contract/provider.ts";
import { modelInProcess, type SaidCall, type SaidTurn } from "./model-in-process.ts";

/** What each agent says, turn by turn, by the first words of its task. What is behind the last turn is "Done.". */
export type Parts = Readonly<Record<string, readonly SaidTurn[]>>;

export type Heard = { readonly task: string; readonly request: ModelRequest };

/** One model that plays a run and its sub-agents; `heard`: each request, by whose it was. `before`: what an answer waits for. */
export function agentsInProcess(
  parts: Parts,
  before: (task: string) => Promise<unknown> = () => Promise.resolve(),
): { readonly provider: ModelProvider; readonly heard: readonly Heard[] } {
  const heard: Heard[] = [];
  const provider = modelInProcess(
    (request, answers) => {
      const task = taskOf(request.messages);
      heard.push({ task, request });
      const turns = Object.entries(parts).find(([words]) => task.startsWith(words))?.[1] ?? [];
      return turns[answers] ?? { text: "Done." };
    },
    () => undefined,
  );
  const waiting: ModelProvider = {
    ...provider,
    async *stream(request, signal) {
      await before(taskOf(request.messages));
      yield* provider.stream(request, signal);
    },
  };
  return { provider: waiting, heard };
}

/** A call with an id of its own. */
export function called(name: string, input: object, id = `call-${name}`): SaidCall {
  return { callId: id, name, inputText: JSON.stringify(input) };
}

export const delegated = (task: string, more: object = {}, id = "call-agent"): SaidTurn => ({ calls: [called("agent", { task, ...more }, id)] });

/** The texts of the results that an agent was given, in order. */
export function resultsOf(heard: readonly Heard[], task: string): readonly string[] {
  const last = heard.findLast((each) => each.task.startsWith(task));
  return (last?.request.messages ?? []).flatMap((message) => (message.kind === "tool" ? message.results.map(({ text }) => text) : []));
}

function taskOf([first]: readonly Message[]): string {
  return first?.kind === "user" ? first.text : "";
}
