/** What a request says of the conversation so far, whatever the protocol. */
export type WireMessage =
  | { readonly kind: "user"; readonly text?: string }
  | { readonly kind: "assistant"; readonly callIds: readonly string[] }
  | { readonly kind: "results"; readonly results: readonly { readonly callId: string; readonly text: string }[] };

export type Conversation = { readonly messages: readonly WireMessage[]; /** Characters of the whole request. */ readonly length: number };

/**
 * What a real server would refuse, or null: each message with calls is followed at once by exactly one result for
 * each call, in their order, and there is no result without a call.
 */
export function findPairingError(messages: readonly WireMessage[]): string | null {
  const used = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    if (message.kind === "results") {
      if (before?.kind !== "assistant" || before.callIds.length === 0) return `messages.${index}: tool results without tool calls before them`;
      continue;
    }
    if (message.kind !== "assistant" || message.callIds.length === 0) continue;
    for (const callId of message.callIds) {
      if (used.has(callId)) return `messages.${index}: the call id ${callId} is used twice`;
      used.add(callId);
    }
    const after = messages[index + 1];
    const answered = after?.kind === "results" ? after.results.map((result) => result.callId) : [];
    if (answered.join("\n") !== message.callIds.join("\n"))
      return `messages.${index}: tool calls [${message.callIds.join(", ")}] were answered by [${answered.join(", ")}]`;
  }
  return null;
}

/** What the conversation begins with. */
export function taskOf(messages: readonly WireMessage[]): string {
  const [first] = messages;
  return first?.kind === "user" ? (first.text ?? "") : "";
}

/** Answers so far: the number of the turn that comes next, counted from 0. A request that is sent again gets the same turn. */
export function countAnswers(messages: readonly WireMessage[]): number {
  return messages.filter((message) => message.kind === "assistant").length;
}

/** The texts of the last batch of results; null when the last message is none. */
export function lastResults(messages: readonly WireMessage[]): string | null {
  const last = messages.findLast((message) => message.kind !== "user");
  return last?.kind === "results" ? last.results.map((result) => result.text).join("\n") : null;
}
