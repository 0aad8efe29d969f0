import type { ModelEvent, ModelProvider, ModelRequest } from "../../src/providers/contract/provider.ts";

export type SaidCall = { readonly callId: string; readonly name: string; readonly inputText: string };
export type SaidTurn = {
  readonly text?: string;
  readonly calls?: readonly SaidCall[];
  readonly usage?: Partial<{ inputTokens: number; outputTokens: number }>;
};

/** A model without a network: what it says follows from the request alone. `onRequest` sees each request first. */
export function modelInProcess(
  say: (request: ModelRequest, answers: number) => SaidTurn,
  onRequest: (request: ModelRequest) => void = () => undefined,
): ModelProvider {
  return {
    id: "test:in-process",
    isScripted: true,
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      if (signal.aborted) {
        yield { kind: "finish", reason: "cancelled" };
        return;
      }
      onRequest(request);
      const answers = request.messages.filter(({ kind }) => kind === "assistant").length;
      const { text = "", calls = [], usage } = say(request, answers);
      if (text !== "") yield { kind: "text-delta", text };
      for (const call of calls) yield { kind: "tool-call", ...call };
      yield { kind: "usage", usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, isEstimated: false, ...usage } };
      yield { kind: "finish", reason: calls.length > 0 ? "tool-calls" : "stop" };
    },
    close: () => Promise.resolve(),
  };
}
