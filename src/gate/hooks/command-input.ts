import { resultText, type ToolResult } from "../../tools/contract/tool.ts";
import type { Ruling } from "../gate.ts";
import type { HookedCall } from "./hook.ts";

/** What a command is told of. `about` says everything that its answer may rest on. */
export type HookInput = { readonly about: Readonly<Record<string, unknown>>; readonly callId?: string };

/** As much as the sandbox takes in one piece, whatever of it needs four bytes. */
export const MAX_INPUT_CHARACTERS = 2 * 1024 ** 2;

export function callInput({ tool, input, callId }: HookedCall): HookInput {
  return { callId, about: { tool, input } };
}

/** Images are only counted. */
export function afterInput(call: HookedCall, result: ToolResult & { readonly outcome: string }): HookInput {
  const images = result.content.filter(({ kind }) => kind === "image").length;
  const { outcome, isError } = result;
  return { callId: call.callId, about: { ...callInput(call).about, result: { outcome, isError, text: resultText(result), images } } };
}

export function askInput(call: HookedCall, { decision }: Ruling): HookInput {
  const { verdict, risk, reason, rules } = decision;
  return {
    callId: call.callId,
    about: { ...callInput(call).about, ruling: { verdict, risk, reason, rules: rules.map(({ id, reason: why }) => ({ id, reason: why })) } },
  };
}
