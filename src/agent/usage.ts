import type { ModelRequest, Usage } from "../providers/contract/provider.ts";
import type { Answer } from "./answer.ts";

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, isEstimated: false };

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
    isEstimated: left.isEstimated || right.isEstimated,
  };
}

/** What an answer used. A provider that does not say is counted high (three characters a token), so that a limit still holds. */
export function usageOf(answer: Answer, request: ModelRequest): Usage {
  if (answer.usage) return answer.usage;
  // A server that refused at once did no work.
  if (answer.ending.kind === "error" && answer.ending.failure.hasBegun !== true) return NO_USAGE;
  const said = answer.parts.reduce((sum, part) => sum + (part.kind === "tool-call" ? 0 : part.text.length), 0);
  const written = said + answer.calls.reduce((sum, call) => sum + call.name.length + call.inputText.length, 0);
  return { inputTokens: Math.ceil(JSON.stringify(request).length / 3), outputTokens: Math.ceil(written / 3), cachedInputTokens: 0, isEstimated: true };
}

/** Tokens that count against a run's limit. */
export function countedTokens(usage: Usage): number {
  return usage.inputTokens - usage.cachedInputTokens + usage.outputTokens;
}
