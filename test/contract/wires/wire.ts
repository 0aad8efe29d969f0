import type { ModelProvider } from "../../../src/providers/contract/provider.ts";
import type { ConnectOptions } from "../../../src/providers/vendors/connection.ts";

/** What a model says in one answer, whatever the protocol. `signature`: what the server wants to see again. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string; readonly signature: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly inputText: string };

export type WireAnswer = {
  readonly pieces: readonly Piece[];
  readonly ending: "stop" | "calls" | "length" | "refusal";
  /** `input` includes `cached`. */
  readonly usage: { readonly input: number; readonly cached: number; readonly output: number };
};

/** What a request says, as the server reads it. */
export type WireRequest = {
  readonly results: readonly { readonly text: string; readonly images: readonly string[] }[];
  readonly userImages: readonly string[];
  /** What came back of signed reasoning, as it stands there. */
  readonly signatures: readonly string[];
  readonly toolSchema: unknown;
  /** The tool that the answer has to call, as the protocol says it; null: the model chooses. */
  readonly mustCall: string | null;
  /** Marks for a cache, counted; null: this protocol has none. */
  readonly cacheMarks: number | null;
  /** Whether the server is asked to keep the conversation. */
  readonly isKept: boolean;
};

/** One protocol as its public documentation has it: how a server writes an answer, and what it reads in a request. */
export type Wire = {
  readonly name: string;
  connect(url: string, key: string, options: ConnectOptions): ModelProvider;
  /** Events of the stream, each a chunk of its own. */
  frames(answer: WireAnswer): readonly string[];
  /** The body of an error answer. */
  failure(status: number, message: string): unknown;
  /** An overload that is told within a stream that has begun as HTTP and said nothing; null: the protocol has none. */
  readonly overloadedFrame: string | null;
  /** Text of no JSON where an answer stands. */
  readonly brokenFrame: string;
  /** Whether arguments travel as text, which may be no JSON. */
  readonly hasTextArguments: boolean;
  readonly hasSignedReasoning: boolean;
  read(body: unknown): WireRequest;
};

/** A text in pieces of some characters, whole characters each. */
export function inPieces(text: string, size = 7): readonly string[] {
  return text.match(new RegExp(`[^]{1,${String(size)}}`, "gu")) ?? [];
}

/** Several lists taken in turns: how a server may send what belongs to several calls. */
export function interleave<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_unused, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

export const sse = (data: { readonly type?: string } & object): string =>
  `${data.type === undefined ? "" : `event: ${data.type}\n`}data: ${JSON.stringify(data)}\n\n`;
