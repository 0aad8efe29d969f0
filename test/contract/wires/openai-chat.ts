import { connectOpenaiCompatible } from "../../../src/providers/vendors/openai-compatible.ts";
import { connectOllama } from "../../../src/providers/vendors/openai-compatible.ts";
import { inPieces, interleave, type Piece, type Wire } from "./wire.ts";

const FINISH = { stop: "stop", calls: "tool_calls", length: "length", refusal: "content_filter" } as const;

type Part = { type: string; text?: string; image_url?: { url: string } };
type Message = { role: string; content?: string | Part[] | null };

/** Chat Completions: https://platform.openai.com/docs/api-reference/chat-streaming, as vLLM, llama.cpp, Ollama and others speak it. */
export const chatCompletions: Wire = {
  name: "OpenAI chat completions (compatible)",
  connect: (url, key, options) => connectOpenaiCompatible("local", { WARDER_BASE_URL: `${url}/v1`, WARDER_API_KEY: key }, options),
  frames: ({ pieces, ending, usage }) => {
    const frame = (rest: object) => `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "local", ...rest })}\n\n`;
    const chunk = (delta: object, finish: string | null = null) => frame({ choices: [{ index: 0, delta, finish_reason: finish }] });
    const calls = pieces.filter((piece) => piece.kind === "call");
    return [
      chunk({ role: "assistant", content: "" }),
      ...pieces.flatMap((piece) => (piece.kind === "text" ? inPieces(piece.text).map((content) => chunk({ content })) : [])),
      ...interleave(calls.map((call, index) => callDeltas(call, index).map((delta) => chunk(delta)))),
      chunk({}, FINISH[ending]),
      frame({
        choices: [],
        usage: {
          prompt_tokens: usage.input,
          completion_tokens: usage.output,
          total_tokens: usage.input + usage.output,
          prompt_tokens_details: { cached_tokens: usage.cached },
        },
      }),
      "data: [DONE]\n\n",
    ];
  },
  failure: (status, message) => ({ error: { message, type: status === 429 ? "rate_limit_exceeded" : "server_error", param: null, code: null } }),
  overloadedFrame: `data: ${JSON.stringify({ error: { message: "overloaded", type: "server_error", param: null, code: 503 } })}\n\n`,
  brokenFrame: "data: {not json\n\n",
  hasTextArguments: true,
  hasSignedReasoning: false,
  read(body) {
    const {
      messages,
      tools,
      tool_choice: choice,
    } = body as {
      messages: Message[];
      tools?: { function: { parameters: unknown } }[];
      tool_choice?: string | { type: "function"; function: { name: string } };
    };
    const parts = (message: Message): Part[] => (typeof message.content === "string" ? [{ type: "text", text: message.content }] : (message.content ?? []));
    const afterResults = messages.flatMap((message, index) =>
      message.role === "user" && messages[index - 1]?.role === "tool" ? imagesOf(parts(message)) : [],
    );
    const results = messages.filter(({ role }) => role === "tool");
    return {
      // The images of all results follow them; here they are counted to the last.
      results: results.map((message, index) => ({
        text: parts(message)
          .map(({ text = "" }) => text)
          .join("\n"),
        images: index === results.length - 1 ? afterResults : [],
      })),
      userImages: messages.filter(({ role }) => role === "user").flatMap((message) => imagesOf(parts(message))),
      signatures: [],
      toolSchema: tools?.[0]?.function.parameters,
      mustCall: typeof choice === "object" ? choice.function.name : null,
      cacheMarks: null,
      isKept: false,
    };
  },
};

/** Ollama's own server, by the same protocol. */
export const ollama: Wire = {
  ...chatCompletions,
  name: "Ollama",
  connect: (url, key, options) => connectOllama("qwen3:8b", { WARDER_BASE_URL: `${url}/v1`, WARDER_API_KEY: key }, options),
};

function imagesOf(parts: readonly Part[]): readonly string[] {
  return parts.flatMap(({ image_url: image }) => (image === undefined ? [] : [image.url.replace(/^data:image\/png;base64,/u, "")]));
}

function callDeltas({ id, name, inputText }: Extract<Piece, { kind: "call" }>, index: number): readonly object[] {
  return [
    { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
    ...inPieces(inputText).map((text) => ({ tool_calls: [{ index, function: { arguments: text } }] })),
  ];
}
