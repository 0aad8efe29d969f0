import { readAnswer } from "../../agent/answer.ts";
import type { SpendingMeter } from "../../agent/spending.ts";
import { usageOf } from "../../agent/usage.ts";
import type { Sample } from "../../gate/gate.ts";
import type { ModelProvider, ModelRequest } from "../../providers/contract/provider.ts";

/** Of an answer for a server. */
const MAX_TEXT = 64 * 1024;

/** What a model is told that writes for somebody else's program: nothing of the run. */
const SETTING = "You write a text for a program. What follows is that program's; you have no tools, and know nothing of whoever runs it.";

export type Sampling = {
  readonly provider: ModelProvider;
  /** Of the model that gave the last answer. */
  readonly model: () => string;
  readonly spending: SpendingMeter;
  /** Why nothing more is to be spent, as a clause; null: there is something. */
  readonly isSpent: () => string | null;
};

/** Has a model of the run write for a server. It is paid as each answer of the run is, and takes no turn of it. */
export function sampling({ provider, model, spending, isSpent }: Sampling): Sample {
  return async ({ system, messages, maxTokens }, signal) => {
    const spent = isSpent();
    if (spent !== null) return { problem: spent };
    const request: ModelRequest = {
      system: system === null ? SETTING : `${SETTING}\n\n${system}`,
      messages: messages.map(({ role, text }) => (role === "user" ? { kind: "user", text } : { kind: "assistant", parts: [{ kind: "text", text }] })),
      tools: [],
      maxOutputTokens: maxTokens,
    };
    const allowance = spending.reserve(request);
    if (allowance.kind === "spent") return { problem: allowance.reason };
    const bounded = allowance.maxOutputTokens === null ? request : { ...request, maxOutputTokens: Math.min(maxTokens, allowance.maxOutputTokens) };
    const answer = await readAnswer(provider.stream(bounded, signal), () => undefined);
    allowance.settle(usageOf(answer, bounded));
    if (answer.ending.kind === "error") return { problem: "the model did not answer" };
    const { reason } = answer.ending;
    if (reason !== "stop" && reason !== "length") return { problem: "the model did not come to an end" };
    return { text: answer.text.slice(0, MAX_TEXT), model: model(), isWhole: reason === "stop" && answer.text.length <= MAX_TEXT };
  };
}
