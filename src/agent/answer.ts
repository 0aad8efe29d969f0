import type { AssistantPart } from "../providers/contract/message.ts";
import type { FinishReason, ModelEvent, ModelFailure, Usage } from "../providers/contract/provider.ts";

/** A call as the model wrote it. */
export type WantedCall = { readonly callId: string; readonly name: string; readonly inputText: string; readonly carry?: unknown };

/** One whole answer of the model. */
export type Answer = {
  readonly text: string;
  /** Text and reasoning in order; calls are added when they have been parsed. */
  readonly parts: readonly AssistantPart[];
  readonly calls: readonly WantedCall[];
  /** Null when the provider did not say. */
  readonly usage: Usage | null;
  readonly ending: { readonly kind: "finish"; readonly reason: FinishReason } | { readonly kind: "error"; readonly failure: ModelFailure };
};

/** More calls than any turn has: each would be answered one by one. */
const MAX_ANSWER_CALLS = 1_000;

const TOO_MANY_CALLS: ModelFailure = {
  code: "provider-failed",
  message: `The model asked for more than ${MAX_ANSWER_CALLS} calls in one answer, so none of them was looked at.`,
  isRetryable: false,
  hasBegun: true,
};

/** Collects the events of one answer; `onText` gets each piece of text as it arrives, and `onStart` is called before the first thing that does. An answer with more than 1,000 calls is dropped, calls and all. */
export async function readAnswer(events: AsyncIterable<ModelEvent>, onText: (text: string) => void, onStart: () => void = () => undefined): Promise<Answer> {
  const parts: AssistantPart[] = [];
  const calls: WantedCall[] = [];
  let text = "";
  let usage: Usage | null = null;
  let hasBegun = false;
  for await (const event of events) {
    if (!hasBegun) onStart();
    hasBegun = true;
    switch (event.kind) {
      case "text-delta":
        text += event.text;
        appendText(parts, event);
        if (event.text !== "") onText(event.text);
        break;
      case "reasoning":
        parts.push(event);
        break;
      case "tool-call":
        if (calls.length === MAX_ANSWER_CALLS) return { text, parts, calls: [], usage, ending: { kind: "error", failure: TOO_MANY_CALLS } };
        calls.push({ callId: event.callId, name: event.name, inputText: event.inputText, ...(event.carry === undefined ? {} : { carry: event.carry }) });
        break;
      case "usage":
        usage = event.usage;
        break;
      case "finish":
      case "error":
        return { text, parts, calls, usage, ending: event };
    }
  }
  return { text, parts, calls, usage, ending: { kind: "finish", reason: "interrupted" } };
}

function appendText(parts: AssistantPart[], event: { readonly text: string; readonly carry?: unknown }): void {
  const last = parts.at(-1);
  const carry = event.carry === undefined ? {} : { carry: event.carry };
  if (last?.kind === "text" && last.carry === undefined) parts[parts.length - 1] = { kind: "text", text: last.text + event.text, ...carry };
  else if (event.text !== "") parts.push({ kind: "text", text: event.text, ...carry });
}
