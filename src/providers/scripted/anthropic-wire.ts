import type { z } from "zod";
import type { WireMessage } from "./conversation.ts";
import { anthropicRequestSchema } from "./schema.ts";
import { type Answer, type Wire, estimateTokens, outputCharacters, pieces } from "./wire.ts";

/** Anthropic's Messages API, streamed: https://docs.anthropic.com/en/api/messages-streaming */
export const anthropicWire: Wire = {
  path: "/v1/messages",
  credential: (token) => ({ header: "x-api-key", value: token }),
  read(body) {
    const parsed = anthropicRequestSchema.safeParse(body);
    if (!parsed.success) return { kind: "bad", message: parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ") };
    const messages = parsed.data.messages.flatMap(readMessage);
    return { kind: "conversation", conversation: { messages, length: JSON.stringify(body).length }, model: parsed.data.model };
  },
  *write(answer) {
    for (const event of answerEvents(answer)) yield `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  },
  error: (status, message) => ({ type: "error", error: { type: status === 401 ? "authentication_error" : "invalid_request_error", message } }),
};

type AnthropicMessage = z.output<typeof anthropicRequestSchema>["messages"][number];

function readMessage(message: AnthropicMessage): readonly WireMessage[] {
  if (message.role === "user" && typeof message.content === "string") return [{ kind: "user", text: message.content }];
  const blocks = typeof message.content === "string" ? [] : message.content;
  if (message.role === "assistant") return [{ kind: "assistant", callIds: blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])) }];
  const results = blocks.flatMap((block) => (block.type === "tool_result" ? [{ callId: block.tool_use_id, text: readText(block.content) }] : []));
  if (results.length === 0) return [{ kind: "user", text: blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n") }];
  // Results come first in their message; text before them would stand between a call and its answer.
  const isLed = blocks[0]?.type !== "tool_result";
  const isFollowed = blocks.length > results.length && !isLed;
  return [...(isLed ? [{ kind: "user" as const }] : []), { kind: "results", results }, ...(isFollowed ? [{ kind: "user" as const }] : [])];
}

function readText(content: string | readonly ({ readonly type: "text"; readonly text: string } | { readonly type: "image" })[] | undefined): string {
  if (content === undefined) return "";
  return typeof content === "string" ? content : content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function* answerEvents({ turn, index, model, inputTokens }: Answer): Iterable<{ type: string } & Record<string, unknown>> {
  const message = { id: `msg_scripted_${index + 1}`, type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null };
  yield { type: "message_start", message: { ...message, usage: { input_tokens: inputTokens, output_tokens: 1 } } };
  let block = 0;
  if (turn.say !== "") {
    yield { type: "content_block_start", index: block, content_block: { type: "text", text: "" } };
    for (const text of pieces(turn.say)) yield { type: "content_block_delta", index: block, delta: { type: "text_delta", text } };
    yield { type: "content_block_stop", index: block };
    block += 1;
  }
  for (const [call, { tool, inputText }] of turn.calls.entries()) {
    yield { type: "content_block_start", index: block, content_block: { type: "tool_use", id: `toolu_${index + 1}_${call + 1}`, name: tool, input: {} } };
    for (const part of pieces(inputText)) yield { type: "content_block_delta", index: block, delta: { type: "input_json_delta", partial_json: part } };
    yield { type: "content_block_stop", index: block };
    block += 1;
  }
  const stopReason = turn.calls.length > 0 ? "tool_use" : "end_turn";
  yield { type: "message_delta", delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: estimateTokens(outputCharacters(turn)) } };
  yield { type: "message_stop" };
}
