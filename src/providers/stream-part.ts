import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { FinishReason, ModelEvent, Usage } from "./provider.ts";

/** Turns the parts of one answer into events; a reasoning block is collected until its end, where its signature comes. */
export function createPartReader(): (part: LanguageModelV4StreamPart) => readonly ModelEvent[] {
  const reasoning = new Map<string, string>();
  return (part) => {
    switch (part.type) {
      case "text-delta":
        return part.delta === "" ? [] : [{ kind: "text-delta", text: part.delta }];
      case "text-end":
        return part.providerMetadata ? [{ kind: "text-delta", text: "", carry: part.providerMetadata }] : [];
      case "reasoning-start":
        reasoning.set(part.id, "");
        return [];
      case "reasoning-delta":
        reasoning.set(part.id, (reasoning.get(part.id) ?? "") + part.delta);
        // Anthropic sends the signature as a delta without text.
        return part.delta === "" && part.providerMetadata ? endReasoning(reasoning, part.id, part.providerMetadata) : [];
      case "reasoning-end":
        return endReasoning(reasoning, part.id, part.providerMetadata);
      case "tool-call":
        return [{ kind: "tool-call", callId: part.toolCallId, name: part.toolName, inputText: part.input, ...withCarry(part.providerMetadata) }];
      case "finish":
        return [...toUsage(part.usage), { kind: "finish", reason: toReason(part.finishReason) }];
      default:
        return [];
    }
  };
}

function endReasoning(reasoning: Map<string, string>, id: string, metadata: unknown): readonly ModelEvent[] {
  const text = reasoning.get(id);
  if (text === undefined) return [];
  reasoning.delete(id);
  return [{ kind: "reasoning", text, ...withCarry(metadata) }];
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
