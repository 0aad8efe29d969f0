import type { Records } from "../../app/records/records.ts";
import { spendCode } from "../../approvals/one-time-code.ts";
import { confirmByPerson, personAtTerminal } from "../../approvals/terminal/channel.ts";
import { AgentError } from "../../base/errors.ts";

/** What a person confirms: the text that they are shown, the word that they type, and what stays when they do not. */
export type Asked = { readonly text: string; readonly word: string; readonly otherwise: string };

/**
 * Has a person at a terminal confirm something, with a one-time code where anybody is enrolled, which is used up by it. Gives who it was. Throws
 * `usage` when nobody did.
 */
export async function confirmedByPerson({ approvals }: Records, { text, word, otherwise }: Asked): Promise<string> {
  const confirmation = await confirmByPerson(approvals, text, word);
  if (confirmation.kind === "nobody") throw new AgentError("usage", `This wants a person at a terminal, and nobody answered at one. ${otherwise}`);
  if (confirmation.kind === "declined") throw new AgentError("usage", `${confirmation.reason} ${otherwise}`);
  const { code } = confirmation;
  if (code === null) return personAtTerminal();
  const verdict = approvals.store.exclusively(() => spendCode(approvals, code));
  if (verdict.kind === "wrong") throw new AgentError("usage", `The one-time code was not taken: ${verdict.reason}. ${otherwise}`);
  return `${code.person} (one-time code), ${personAtTerminal()}`;
}
