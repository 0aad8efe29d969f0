import { connectGoogle } from "../../../src/providers/vendors/google.ts";
import { inPieces, type Piece, type Wire } from "./wire.ts";

const FINISH = { stop: "STOP", calls: "STOP", length: "MAX_TOKENS", refusal: "SAFETY" } as const;

type Part = {
  text?: string;
  thoughtSignature?: string;
  inlineData?: { data: string };
  functionResponse?: { response: { content?: string; error?: string }; parts?: { inlineData?: { data: string } }[] };
};

/** Gemini's streamGenerateContent: https://ai.google.dev/api/generate-content */
export const gemini: Wire = {
  name: "Google Gemini",
  connect: (url, key, options) => connectGoogle("gemini-3-pro-preview", { GOOGLE_GENERATIVE_AI_API_KEY: key, GOOGLE_BASE_URL: `${url}/v1beta` }, options),
  frames: ({ pieces, ending, usage }) => {
    const usageMetadata = {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      cachedContentTokenCount: usage.cached,
      totalTokenCount: usage.input + usage.output,
    };
    const frame = (candidate: object) =>
      `data: ${JSON.stringify({ candidates: [{ index: 0, ...candidate }], usageMetadata, modelVersion: "gemini-3-pro-preview" })}\n\n`;
    const signature = pieces.find((piece) => piece.kind === "reasoning")?.signature;
    const parts = pieces.flatMap((piece) => partsOf(piece));
    const firstCall = parts.findIndex((part) => "functionCall" in part);
    return [
      ...parts.map((part, index) =>
        frame({ content: { role: "model", parts: [index === firstCall && signature !== undefined ? { ...part, thoughtSignature: signature } : part] } }),
      ),
      frame({ content: { role: "model", parts: [{ text: "" }] }, finishReason: FINISH[ending] }),
    ];
  },
  failure: (status, message) => ({ error: { code: status, message, status: status === 429 ? "RESOURCE_EXHAUSTED" : "UNAVAILABLE" } }),
  overloadedFrame: null,
  brokenFrame: "data: {not json\n\n",
  hasTextArguments: false,
  hasSignedReasoning: true,
  read(body) {
    const { contents, tools, toolConfig } = body as {
      contents: { parts: Part[] }[];
      toolConfig?: { functionCallingConfig: { mode: string; allowedFunctionNames?: string[] } };
      tools?: { functionDeclarations: { parameters?: unknown; parametersJsonSchema?: unknown }[] }[];
    };
    const parts = contents.flatMap(({ parts }) => parts);
    const declared = tools?.[0]?.functionDeclarations[0];
    return {
      results: parts.flatMap(({ functionResponse: given }) =>
        given === undefined
          ? []
          : [{ text: given.response.content ?? given.response.error ?? "", images: (given.parts ?? []).flatMap(({ inlineData }) => inlineData?.data ?? []) }],
      ),
      userImages: parts.flatMap(({ inlineData }) => inlineData?.data ?? []),
      signatures: parts.flatMap(({ thoughtSignature = [] }) => thoughtSignature),
      toolSchema: declared?.parametersJsonSchema ?? declared?.parameters,
      mustCall: toolConfig?.functionCallingConfig.mode === "ANY" ? (toolConfig.functionCallingConfig.allowedFunctionNames?.join(",") ?? null) : null,
      cacheMarks: null,
      isKept: false,
    };
  },
};

// Calls come whole, and reasoning without a signature of its own: it stands with the first call.
function partsOf(piece: Piece): readonly object[] {
  if (piece.kind === "text") return inPieces(piece.text).map((text) => ({ text }));
  if (piece.kind === "reasoning") return inPieces(piece.text).map((text) => ({ text, thought: true }));
  return [{ functionCall: { id: piece.id, name: piece.name, args: JSON.parse(piece.inputText === "" ? "{}" : piece.inputText) as unknown } }];
}
