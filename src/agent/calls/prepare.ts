import { newId } from "../../base/ids.ts";
import type { ToolCallPart } from "../../providers/contract/message.ts";
import type { WantedCall } from "../answer.ts";
import { parseArguments } from "./arguments.ts";

/** One call of an answer, its arguments parsed as far as they go. */
export type PreparedCall = { readonly part: ToolCallPart; readonly problem: string | null };

/**
 * Parses the calls of an answer. Each gets an id that is unique in the run: the provider's own, unless it is missing,
 * odd or used before (`usedIds` is added to).
 */
export function prepareCalls(calls: readonly WantedCall[], options: { readonly usedIds: Set<string>; readonly isCut: boolean }): readonly PreparedCall[] {
  return calls.map((call, index) => {
    const isOwn = /^[A-Za-z0-9_-]{1,64}$/u.test(call.callId) && !options.usedIds.has(call.callId);
    const callId = isOwn ? call.callId : newId("call");
    options.usedIds.add(callId);
    const parsed = parseArguments(call.inputText);
    const carry = call.carry === undefined ? {} : { carry: call.carry };
    const part = { kind: "tool-call" as const, callId, name: call.name, input: parsed.kind === "parsed" ? parsed.input : {}, ...carry };
    if (parsed.kind === "malformed") return { part, problem: parsed.message };
    const isLast = index === calls.length - 1;
    return {
      part,
      problem:
        options.isCut && isLast
          ? "Your answer was cut at its output limit, so this call may be incomplete. Nothing was run; send it again, in smaller pieces."
          : null,
    };
  });
}
