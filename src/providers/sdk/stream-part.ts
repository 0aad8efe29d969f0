import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { FinishReason, ModelEvent, Usage } from "../contract/provider.ts";
import { createCallOrder } from "./call-order.ts";
import { carryOf } from "./carry.ts";

/**
 * Turns the parts of one answer of `model` into events. A reasoning block is collected until its end, where its signature comes; calls are told
 * in the order in which they began, whichever ends first.
 */
export function createPartReader(model: string): (part: LanguageModelV4StreamPart) => readonly ModelEvent[] {
  const reasoning = new Map<string, { text: string; metadata: unknown }>();
  const calls = createCallOrder();
  return (part) => {
    // Of the other kinds (sources, files, raw parts) nothing is wanted here.
    if (part.type === "text-delta") return part.delta === "" ? [] : [{ kind: "text-delta", text: part.delta }];
    if (part.type === "text-end") return part.providerMetadata ? [{ kind: "text-delta", text: "", ...carryOf(model, part.providerMetadata) }] : [];
    if (part.type === "tool-input-start") calls.begin(part.id);
    if (part.type === "tool-call")
      return calls.end({ kind: "tool-call", callId: part.toolCallId, name: part.toolName, inputText: part.input, ...carryOf(model, part.providerMetadata) });
    if (part.type === "finish") return [...calls.rest(), ...toUsage(part.usage), { kind: "finish", reason: toReason(part.finishReason) }];
    if (part.type === "reasoning-start") reasoning.set(part.id, { text: "", metadata: part.providerMetadata });
    if (part.type === "reasoning-delta" || part.type === "reasoning-end") {
      const block = reasoning.get(part.id);
      if (!block) return [];
      if (part.type === "reasoning-delta") block.text += part.delta;
      // The signature comes with a delta (Anthropic) or with the end (OpenAI, Google); the last one holds.
      block.metadata = part.providerMetadata ?? block.metadata;
      if (part.type === "reasoning-end" && reasoning.delete(part.id)) return [{ kind: "reasoning", text: block.text, ...carryOf(model, block.metadata) }];
    }
    return [];
  };
}

/** More tokens than any request or answer has. */
const MOST_TOKENS = 100_000_000;

/** Nothing for numbers that cannot be, as for none: with less than nothing a server could give a budget back what it never had. */
function toUsage(usage: LanguageModelV4Usage): readonly { kind: "usage"; usage: Usage }[] {
  const inputTokens = usage.inputTokens.total;
  const outputTokens = usage.outputTokens.total;
  const cachedInputTokens = usage.inputTokens.cacheRead ?? 0;
  if (!isCount(inputTokens) || !isCount(outputTokens) || !isCount(cachedInputTokens) || cachedInputTokens > inputTokens) return [];
  return [{ kind: "usage", usage: { inputTokens, outputTokens, cachedInputTokens, isEstimated: false } }];
}

function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS;
}

function toReason(reason: LanguageModelV4FinishReason): FinishReason {
  // `error` as a reason comes without an error part: the answer is not whole.
  return reason.unified === "error" ? "interrupted" : reason.unified;
}
