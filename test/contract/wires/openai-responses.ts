import { connectOpenai } from "../../../src/providers/vendors/openai.ts";
import { inPieces, interleave, sse, type Piece, type Wire } from "./wire.ts";

type Item = { type?: string; encrypted_content?: string; output?: unknown; content?: unknown };
type Part = { type: string; text?: string; image_url?: string };

/** Responses: https://platform.openai.com/docs/api-reference/responses-streaming */
export const responses: Wire = {
  name: "OpenAI responses",
  connect: (url, key, options) => connectOpenai("gpt-5.1", { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` }, options),
  frames: ({ pieces, ending, usage }) => {
    const whole = (status: string, rest: object = {}) => ({ id: "resp_1", object: "response", created_at: 1, model: "gpt-5.1", status, output: [], ...rest });
    const tokens = {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    };
    const items = interleave(pieces.map((piece, index) => itemFrames(ending === "refusal" ? { ...piece, isRefusal: true } : piece, index)));
    const isCut = ending === "length" || ending === "refusal";
    const incomplete = { incomplete_details: { reason: ending === "length" ? "max_output_tokens" : "content_filter" } };
    return [
      { type: "response.created", response: whole("in_progress") },
      { type: "response.in_progress", response: whole("in_progress") },
      ...items,
      isCut
        ? { type: "response.incomplete", response: whole("incomplete", { ...incomplete, usage: tokens }) }
        : { type: "response.completed", response: whole("completed", { usage: tokens }) },
    ].map((event, index) => sse({ ...event, sequence_number: index } as object));
  },
  failure: (_status, message) => ({ error: { message, type: "server_error", param: null, code: null } }),
  overloadedFrame: sse({
    type: "response.failed",
    sequence_number: 0,
    response: { id: "resp_1", object: "response", created_at: 1, status: "failed", error: { code: "server_error", message: "overloaded" }, output: [] },
  } as { type: string }),
  brokenFrame: "event: response.created\ndata: {not json\n\n",
  hasTextArguments: true,
  hasSignedReasoning: true,
  read(body) {
    const {
      input,
      tools,
      store,
      tool_choice: choice,
    } = body as { input: Item[]; tools?: { parameters: unknown }[]; store?: boolean; tool_choice?: string | { type: "function"; name: string } };
    return {
      results: input
        .filter(({ type }) => type === "function_call_output")
        .map(({ output }) => ({
          text: typeof output === "string" ? output : (output as Part[]).flatMap(({ text = [] }) => text).join("\n"),
          images: typeof output === "string" ? [] : imagesOf(output as Part[]),
        })),
      userImages: input.flatMap(({ content }) => (Array.isArray(content) ? imagesOf(content as Part[]) : [])),
      signatures: input.flatMap(({ type, encrypted_content: signature = [] }) => (type === "reasoning" ? signature : [])),
      toolSchema: tools?.[0]?.parameters,
      mustCall: typeof choice === "object" ? choice.name : null,
      cacheMarks: null,
      isKept: store !== false,
    };
  },
};

function imagesOf(parts: readonly Part[]): readonly string[] {
  return parts.flatMap(({ image_url: url }) => (url === undefined ? [] : [url.replace(/^data:image\/png;base64,/u, "")]));
}

function itemFrames(piece: Piece & { readonly isRefusal?: boolean }, index: number): readonly object[] {
  const at = { output_index: index };
  if (piece.kind === "call") {
    const item = { type: "function_call", id: `fc_${index}`, call_id: piece.id, name: piece.name };
    return [
      { type: "response.output_item.added", ...at, item: { ...item, arguments: "", status: "in_progress" } },
      ...inPieces(piece.inputText).map((delta) => ({ type: "response.function_call_arguments.delta", ...at, item_id: item.id, delta })),
      { type: "response.function_call_arguments.done", ...at, item_id: item.id, arguments: piece.inputText },
      { type: "response.output_item.done", ...at, item: { ...item, arguments: piece.inputText, status: "completed" } },
    ];
  }
  if (piece.kind === "reasoning") {
    const id = `rs_${index}`;
    const done = { type: "reasoning", id, summary: [{ type: "summary_text", text: piece.text }], encrypted_content: piece.signature };
    return [
      { type: "response.output_item.added", ...at, item: { type: "reasoning", id, summary: [], encrypted_content: null } },
      { type: "response.reasoning_summary_part.added", ...at, item_id: id, summary_index: 0, part: { type: "summary_text", text: "" } },
      ...inPieces(piece.text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...at, item_id: id, summary_index: 0, delta })),
      { type: "response.reasoning_summary_part.done", ...at, item_id: id, summary_index: 0, part: { type: "summary_text", text: piece.text } },
      { type: "response.output_item.done", ...at, item: done },
    ];
  }
  const id = `msg_${index}`;
  const place = { ...at, item_id: id, content_index: 0 };
  const message = { type: "message", id, role: "assistant" };
  const part = { type: "output_text", text: piece.text, annotations: [] };
  return [
    { type: "response.output_item.added", ...at, item: { ...message, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    ...inPieces(piece.text).map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] })),
    { type: "response.output_text.done", ...place, text: piece.text, logprobs: [] },
    { type: "response.output_item.done", ...at, item: { ...message, status: "completed", content: [part] } },
  ];
}
