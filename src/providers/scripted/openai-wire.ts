import type { z } from "zod";
import type { WireMessage } from "./conversation.ts";
import { openaiRequestSchema } from "./schema.ts";
import { type Answer, type Wire, estimateTokens, outputCharacters, pieces } from "./wire.ts";

/** OpenAI's Chat Completions API, streamed: https://platform.openai.com/docs/api-reference/chat-streaming */
export const openaiWire: Wire = {
  path: "/v1/chat/completions",
  credential: (token) => ({ header: "authorization", value: `Bearer ${token}` }),
  read(body) {
    const parsed = openaiRequestSchema.safeParse(body);
    if (!parsed.success) return { kind: "bad", message: parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ") };
    return {
      kind: "conversation",
      conversation: { messages: readMessages(parsed.data.messages), length: JSON.stringify(body).length },
      model: parsed.data.model,
    };
  },
  *write(answer) {
    for (const chunk of answerChunks(answer)) yield `data: ${JSON.stringify(chunk)}\n\n`;
    yield "data: [DONE]\n\n";
  },
  error: (status, message) => ({ error: { message, type: status === 401 ? "authentication_error" : "invalid_request_error", param: null, code: null } }),
};

type OpenaiMessage = z.output<typeof openaiRequestSchema>["messages"][number];

// Each result is a message of its own here; a batch of them is one.
function readMessages(messages: readonly OpenaiMessage[]): readonly WireMessage[] {
  const read: WireMessage[] = [];
  for (const message of messages) {
    const last = read.at(-1);
    if (message.role === "tool") {
      const result = { callId: message.tool_call_id, text: readText(message.content) };
      if (last?.kind === "results") read[read.length - 1] = { kind: "results", results: [...last.results, result] };
      else read.push({ kind: "results", results: [result] });
    } else if (message.role === "assistant") read.push({ kind: "assistant", callIds: (message.tool_calls ?? []).map((call) => call.id) });
    else if (message.role === "user") read.push({ kind: "user", text: readText(message.content) });
  }
  return read;
}

function readText(content: string | readonly { readonly text: string }[]): string {
  return typeof content === "string" ? content : content.map((part) => part.text).join("");
}

function* answerChunks({ turn, index, model, inputTokens }: Answer): Iterable<Record<string, unknown>> {
  const frame = { id: `chatcmpl-scripted-${index + 1}`, object: "chat.completion.chunk", created: 0, model };
  const chunk = (delta: Record<string, unknown>, finishReason: string | null = null) => ({
    ...frame,
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
  yield chunk({ role: "assistant", content: "" });
  for (const content of pieces(turn.say)) yield chunk({ content });
  for (const [call, { tool, inputText }] of turn.calls.entries()) {
    yield chunk({ tool_calls: [{ index: call, id: `call_${index + 1}_${call + 1}`, type: "function", function: { name: tool, arguments: "" } }] });
    for (const part of pieces(inputText)) yield chunk({ tool_calls: [{ index: call, function: { arguments: part } }] });
  }
  yield chunk({}, turn.calls.length > 0 ? "tool_calls" : "stop");
  const outputTokens = estimateTokens(outputCharacters(turn));
  yield { ...frame, choices: [], usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens } };
}
