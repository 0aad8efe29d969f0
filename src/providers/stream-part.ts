import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { FinishReason, ModelEvent, Usage } from "./provider.ts";

/** Turns the parts of one answer into events; a reasoning block is collected until its end, where its signature comes. */
export function createPartReader(): (part: LanguageModelV4StreamPart) => readonly ModelEvent[] {
  const reasoning = new Map<string, { text: string; metadata: unknown }>();
  return (part) => {
    // Of the other kinds (sources, files, raw parts) nothing is wanted here.
    if (part.type === "text-delta") return part.delta === "" ? [] : [{ kind: "text-delta", text: part.delta }];
    if (part.type === "text-end") return part.providerMetadata ? [{ kind: "text-delta", text: "", carry: part.providerMetadata }] : [];
    if (part.type === "tool-call")
      return [{ kind: "tool-call", callId: part.toolCallId, name: part.toolName, inputText: part.input, ...withCarry(part.providerMetadata) }];
    if (part.type === "finish") return [...toUsage(part.usage), { kind: "finish", reason: toReason(part.finishReason) }];
    if (part.type === "reasoning-start") reasoning.set(part.id, { text: "", metadata: part.providerMetadata });
    if (part.type === "reasoning-delta" || part.type === "reasoning-end") {
      const block = reasoning.get(part.id);
      if (!block) return [];
      if (part.type === "reasoning-delta") block.text += part.delta;
      // The signature comes with a delta (Anthropic) or with the end (OpenAI, Google); the last one holds.
      block.metadata = part.providerMetadata ?? block.metadata;
      if (part.type === "reasoning-end" && reasoning.delete(part.id)) return [{ kind: "reasoning", text: block.text, ...withCarry(block.metadata) }];
    }
    return [];
  };
}

function withCarry(metadata: unknown): { carry?: unknown } {
  return metadata === undefined ? {} : { carry: metadata };
}

function toUsage(usage: LanguageModelV4Usage): readonly { kind: "usage"; usage: Usage }[] {
  const inputTokens = usage.inputTokens.total;
  const outputTokens = usage.outputTokens.total;
  if (inputTokens === undefined || outputTokens === undefined) return [];
  return [{ kind: "usage", usage: { inputTokens, outputTokens, cachedInputTokens: usage.inputTokens.cacheRead ?? 0, isEstimated: false } }];
}

function toReason(reason: LanguageModelV4FinishReason): FinishReason {
  // `error` as a reason comes without an error part: the answer is not whole.
  return reason.unified === "error" ? "interrupted" : reason.unified;
}
