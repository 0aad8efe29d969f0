import { AgentError } from "../base/errors.ts";
import type { ApprovalAnswer, ApprovalCard, GrantPeriod } from "./card.ts";
import type { ApprovalChannel, ChannelEnd } from "./channel.ts";
import { MAX_GRANT_DAYS } from "./grant.ts";

const MAX_NAME_CHARACTERS = 200;
const MAX_MESSAGE_CHARACTERS = 2_000;

/** Shows a question to a person, and gives their answer. The signal fires when it is no longer needed. */
export type AskPerson = (card: ApprovalCard, signal: AbortSignal) => ChannelEnd | Promise<ChannelEnd>;

/**
 * A channel made of one function of an embedding program. It gets the card, shows it to a person and returns their answer, or `{ kind: "told" }` if the
 * answer comes another way. The signal fires when the answer is no longer needed. The returned value is validated: anything but an exact answer
 * (`true`, a yes without a name) throws `usage`, and the channel counts as having reached nobody.
 */
export function callbackChannel(name: string, ask: AskPerson): ApprovalChannel {
  return { name, ask: async (card, signal) => checkedEnd(await ask(card, signal)) };
}

function checkedEnd(end: unknown): ChannelEnd {
  if (typeof end !== "object" || end === null) throw notAnAnswer("it is no object");
  const { kind, scope, by, period, reason, message, words, code } = end as Readonly<Record<string, unknown>>;
  if (kind === "told") return { kind };
  if (kind === "nobody") return { kind, reason: typeof reason === "string" ? reason : "the program gave no reason" };
  if (typeof by !== "string" || by.trim() === "" || by.length > MAX_NAME_CHARACTERS)
    throw notAnAnswer(`\`by\` names who answered, in at most ${MAX_NAME_CHARACTERS} characters`);
  if (kind === "refused") return refusal(by, scope, message);
  if (kind !== "granted") throw notAnAnswer("`kind` is granted, refused, nobody or told");
  if (scope === "pattern") return { kind, scope, by, period: checkedPeriod(period) };
  if (scope !== "once" && scope !== "this-run") throw notAnAnswer("`scope` is once, this-run or pattern");
  const said = typeof words === "string" ? { words } : {};
  return { kind, scope, by, ...said, ...(code === undefined ? {} : { code: checkedCode(code) }) };
}

function refusal(by: string, scope: unknown, message: unknown): ApprovalAnswer {
  // A no in any form is a no.
  const answer = { kind: "refused", scope: scope === "this-run" ? "this-run" : "once", by } as const;
  return typeof message === "string" ? { ...answer, message: message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed() } : answer;
}

function checkedPeriod(period: unknown): GrantPeriod {
  const { kind, days } = (typeof period === "object" && period !== null ? period : {}) as Readonly<Record<string, unknown>>;
  if (kind === "run" || kind === "forever") return { kind };
  if (kind === "days" && typeof days === "number" && Number.isInteger(days) && days >= 1 && days <= MAX_GRANT_DAYS) return { kind, days };
  throw notAnAnswer(`\`period\` is run, forever, or days from 1 to ${MAX_GRANT_DAYS}`);
}

function checkedCode(code: unknown): { readonly person: string; readonly code: string } {
  const typed = (typeof code === "object" && code !== null ? code : {}) as Readonly<Record<string, unknown>>;
  if (typeof typed["person"] === "string" && typeof typed["code"] === "string") return { person: typed["person"], code: typed["code"] };
  throw notAnAnswer("`code` has a person and a code");
}

function notAnAnswer(why: string): AgentError {
  return new AgentError("usage", `what it gave is no answer: ${why}`);
}
