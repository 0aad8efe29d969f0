import type { Conversation } from "./conversation.ts";
import type { ScriptedTurn } from "./script.ts";

export type Answer = { readonly turn: ScriptedTurn; readonly index: number; readonly model: string; readonly inputTokens: number };

/** One provider's protocol: how a request is read, and how answers and errors are written. */
export type Wire = {
  readonly path: string;
  /** The header that carries the token, and the token as it stands there. */
  readonly credential: (token: string) => { readonly header: string; readonly value: string };
  /** What the request says, or why a real server would refuse it. */
  read(
    body: unknown,
  ): { readonly kind: "conversation"; readonly conversation: Conversation; readonly model: string } | { readonly kind: "bad"; readonly message: string };
  /** The events of one streamed answer, as they go over the wire. */
  write(answer: Answer): Iterable<string>;
  error(status: number, message: string): unknown;
};

/** Text in pieces of a few words, as models send it; a long text in at most some hundred pieces, whole characters each. */
export function pieces(text: string): readonly string[] {
  if (text.length > 4000) return text.match(new RegExp(`[^]{1,${Math.ceil(text.length / 200)}}`, "gu")) ?? [];
  return text.match(/\s*\S+\s*|\s+/gu) ?? [];
}

/** A count that is good enough where no model counts: four characters a token. */
export function estimateTokens(characters: number): number {
  return Math.max(1, Math.ceil(characters / 4));
}

export function outputCharacters(turn: ScriptedTurn): number {
  return turn.say.length + turn.calls.reduce((sum, call) => sum + call.tool.length + call.inputText.length, 0);
}
