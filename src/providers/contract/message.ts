import type { Label } from "../../policy/label.ts";
import type { ImageType } from "../../tools/contract/tool.ts";

/**
 * What a provider wants to see again with a part that it made (a signature of its reasoning, an item id). Opaque:
 * kept with the part and handed back unchanged.
 */
export type Carry = { readonly carry?: unknown };

export type TextPart = { readonly kind: "text"; readonly text: string } & Carry;
export type ReasoningPart = { readonly kind: "reasoning"; readonly text: string } & Carry;

export type ToolCallPart = {
  readonly kind: "tool-call";
  readonly callId: string;
  /** As the model wrote it: canonical or alias, or no tool at all. */
  readonly name: string;
  /** The parsed arguments; an empty object when what the model wrote was no JSON. */
  readonly input: unknown;
} & Carry;

/** An image as it is sent. */
export type Image = { readonly mediaType: ImageType; readonly base64: string };

export type ToolResultPart = {
  readonly kind: "tool-result";
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  /** What the model sees beside the text; absent: nothing. */
  readonly images?: readonly Image[];
  /** Where the run keeps the whole of a long text; absent: nowhere. */
  readonly artifact?: string;
  /** Where it came from; absent: it is in Warder's own words. Kept, and never sent. */
  readonly labels?: readonly Label[];
  readonly isError: boolean;
};

export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

/** One message of a conversation: plain data that can be stored and sent to any provider. */
export type Message =
  | { readonly kind: "user"; readonly text: string; readonly images?: readonly Image[] }
  | { readonly kind: "assistant"; readonly parts: readonly AssistantPart[] }
  /** The answers to all calls of the assistant message before it, in the order of the calls. */
  | { readonly kind: "tool"; readonly results: readonly ToolResultPart[] };
