import { resultText, type ToolResult } from "../../tools/contract/tool.ts";
import type { Ruling } from "../gate.ts";
import type { HookedCall } from "./hook.ts";

/** What a command is told of. `about` says everything that its answer may rest on. */
export type HookInput = { readonly about: Readonly<Record<string, unknown>>; readonly runId: string; readonly callId?: string };

/** As much as the sandbox takes in one piece, whatever of it needs four bytes. */
export const MAX_INPUT_CHARACTERS = 2 * 1024 ** 2;

export function callInput({ runId, tool, input, callId }: HookedCall): HookInput {
  return { runId, callId, about: { tool, input } };
}

/** What concerns a run as a whole, under its name. */
export function runInput(what: string, { runId, ...about }: { readonly runId: string }): HookInput {
  return { runId, about: { [what]: about } };
}

/** Images are only counted. */
export function afterInput(call: HookedCall, result: ToolResult & { readonly outcome: string }): HookInput {
  const images = result.content.filter(({ kind }) => kind === "image").length;
  const { outcome, isError } = result;
  const { about, ...concerns } = callInput(call);
  return { ...concerns, about: { ...about, result: { outcome, isError, text: resultText(result), images } } };
}

export function askInput(call: HookedCall, { decision }: Ruling): HookInput {
  const { verdict, risk, reason, rules } = decision;
  const { about, ...concerns } = callInput(call);
  return {
    ...concerns,
    about: { ...about, ruling: { verdict, risk, reason, rules: rules.map(({ id, reason: why }) => ({ id, reason: why })) } },
  };
}
