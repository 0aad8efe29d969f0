import { type WireMessage, countAnswers, lastResults, taskOf } from "./conversation.ts";
import type { Script, ScriptedTurn } from "./script.ts";

const MAX_SHOWN_CHARACTERS = 2000;

export type TurnChoice =
  | { readonly kind: "turn"; readonly turn: ScriptedTurn; readonly index: number }
  | { readonly kind: "mismatch"; readonly message: string };

/** The turn that answers a conversation, or what was expected and what came instead. */
export function chooseTurn(script: Script, messages: readonly WireMessage[]): TurnChoice {
  const index = countAnswers(messages);
  const task = taskOf(messages);
  const { turns } = script.agents.find((agent) => task.includes(agent.task)) ?? script;
  const turn = turns[index];
  if (!turn) return mismatch(`${script.file}: the script has ${turns.length} turns, but turn ${index + 1} was asked for.`);
  if (turn.contains.length === 0 && turn.excludes.length === 0) return { kind: "turn", turn, index };
  const got = lastResults(messages);
  if (got === null) return mismatch(`${turn.place}: expected a tool result, but no tool was called before.`);
  const missing = turn.contains.find((text) => !got.includes(text));
  if (missing !== undefined) return mismatch(`${turn.place}: expected a result that contains ${JSON.stringify(missing)}, but got:\n${show(got)}`);
  const unwanted = turn.excludes.find((text) => got.includes(text));
  if (unwanted !== undefined) return mismatch(`${turn.place}: expected no result that contains ${JSON.stringify(unwanted)}, but got:\n${show(got)}`);
  return { kind: "turn", turn, index };
}

function mismatch(message: string): TurnChoice {
  return { kind: "mismatch", message };
}

function show(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}\n[… ${text.length - MAX_SHOWN_CHARACTERS} more characters]` : text;
}
