import { cutMiddle } from "../base/cut.ts";
import type { Message } from "../providers/message.ts";

/** Characters that an old result keeps. */
export const OLD_RESULT_CHARACTERS = 32_000;

/**
 * The conversation as it is sent: results before the newest batch keep head and tail only. What is stored is not
 * touched, and the same conversation always gives the same bytes.
 */
export function trimHistory(messages: readonly Message[]): readonly Message[] {
  const newest = messages.findLastIndex((message) => message.kind === "tool");
  return messages.map((message, index) => {
    if (message.kind !== "tool" || index === newest) return message;
    if (message.results.every((result) => result.text.length <= OLD_RESULT_CHARACTERS)) return message;
    return { kind: "tool", results: message.results.map((result) => ({ ...result, text: cutMiddle(result.text, OLD_RESULT_CHARACTERS) })) };
  });
}
