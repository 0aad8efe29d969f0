import { connectAnthropic } from "../../../src/providers/vendors/anthropic.ts";
import { inPieces, interleave, sse, type Piece, type Wire } from "./wire.ts";

const STOP_REASON = { stop: "end_turn", calls: "tool_use", length: "max_tokens", refusal: "refusal" } as const;

type Block = { type: string; text?: string; signature?: string; cache_control?: unknown; content?: unknown; source?: { data: string } };

/** Messages: https://docs.claude.com/en/docs/build-with-claude/streaming */
export const anthropicMessages: Wire = {
  name: "Anthropic messages",
  connect: (url, key, options) => connectAnthropic("claude-sonnet-4-5", { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: `${url}/v1` }, options),
  frames: ({ pieces, ending, usage }) => [
    sse({
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: usage.input - usage.cached,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: usage.cached,
          output_tokens: 1,
        },
      },
    } as { type: string }),
    sse({ type: "ping" }),
    ...pieces.flatMap((piece, index) => (piece.kind === "call" ? [] : blockFrames(piece, index))),
    // Blocks carry an index, so a client must not rely on one ending before the next begins.
    ...interleave(pieces.flatMap((piece, index) => (piece.kind === "call" ? [blockFrames(piece, index)] : []))),
    sse({ type: "message_delta", delta: { stop_reason: STOP_REASON[ending], stop_sequence: null }, usage: { output_tokens: usage.output } } as {
      type: string;
    }),
    sse({ type: "message_stop" }),
  ],
  failure: (status, message) => ({ type: "error", error: { type: status === 529 ? "overloaded_error" : "api_error", message }, request_id: "req_1" }),
  overloadedFrame: sse({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } } as { type: string }),
  brokenFrame: "event: message_start\ndata: {not json\n\n",
  hasTextArguments: true,
  hasSignedReasoning: true,
  read(body) {
    const {
      system,
      messages,
      tools,
      tool_choice: choice,
    } = body as {
      system: Block[];
      messages: { role: string; content: Block[] }[];
      tools?: { input_schema: unknown }[];
      tool_choice?: { type: string; name?: string };
    };
    const blocks = messages.flatMap(({ content }) => content);
    const results = blocks.filter(({ type }) => type === "tool_result");
    return {
      results: results.map(({ content }) => ({
        text: typeof content === "string" ? content : (content as Block[]).flatMap(({ text = [] }) => text).join("\n"),
        images: typeof content === "string" ? [] : imagesOf(content as Block[]),
      })),
      userImages: imagesOf(blocks),
      signatures: blocks.flatMap(({ type, signature = [] }) => (type === "thinking" ? signature : [])),
      toolSchema: tools?.[0]?.input_schema,
      mustCall: choice?.type === "tool" ? (choice.name ?? null) : null,
      cacheMarks: [...system, ...blocks].filter((block) => block.cache_control !== undefined).length,
      isKept: false,
    };
  },
};

function imagesOf(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap(({ type, source }) => (type === "image" && source !== undefined ? [source.data] : []));
}

function blockFrames(piece: Piece, index: number): readonly string[] {
  const [start, deltas] = blockOf(piece);
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ].map(sse);
}

function blockOf(piece: Piece): readonly [object, readonly object[]] {
  if (piece.kind === "text") return [{ type: "text", text: "" }, inPieces(piece.text).map((text) => ({ type: "text_delta", text }))];
  if (piece.kind === "call")
    return [
      { type: "tool_use", id: piece.id, name: piece.name, input: {} },
      // The first piece of a call is always empty.
      ["", ...inPieces(piece.inputText)].map((text) => ({ type: "input_json_delta", partial_json: text })),
    ];
  return [
    { type: "thinking", thinking: "", signature: "" },
    [...inPieces(piece.text).map((thinking) => ({ type: "thinking_delta", thinking })), { type: "signature_delta", signature: piece.signature }],
  ];
}
