import type { Records } from "../../app/records/records.ts";
import { spendCode, type TypedCode } from "../../approvals/one-time-code.ts";
import { confirmAtTerminal, type Confirmation } from "../../approvals/terminal/confirm.ts";
import { personAtTerminal } from "../../approvals/terminal/account.ts";
import { AgentError } from "../../base/errors.ts";

/** What a person confirms: the text that they are shown, the word that they type, and what stays when they do not. */
export type Asked = { readonly text: string; readonly word: string; readonly otherwise: string };

/**
 * Has a person at a terminal confirm something, with a one-time code if anybody is enrolled (which uses it up). Returns who it was. Throws `usage` if
 * nobody did.
 */
export async function confirmedByPerson({ approvals }: Records, { text, word, otherwise }: Asked): Promise<string> {
  const code = codeOf(await confirmAtTerminal(text, word, approvals), otherwise);
  if (code === null) return personAtTerminal();
  const verdict = approvals.store.exclusively(() => spendCode(approvals, code));
  if (verdict.kind === "wrong") throw new AgentError("usage", `The one-time code was not taken: ${verdict.reason}. ${otherwise}`);
  return `${code.person} (one-time code), ${personAtTerminal()}`;
}

/** Has a person at a terminal type a word. Throws `usage` if nobody answers, or with another word; `otherwise` says what stays as it is. */
export async function confirm(text: string, word: string, otherwise: string): Promise<void> {
  codeOf(await confirmAtTerminal(text, word), otherwise);
}

function codeOf(confirmation: Confirmation, otherwise: string): TypedCode | null {
  if (confirmation.kind === "confirmed") return confirmation.code;
  if (confirmation.kind === "declined") throw new AgentError("usage", `${confirmation.reason} ${otherwise}`);
  throw new AgentError("usage", `A person at a terminal has to confirm this, and nobody answered at one. ${otherwise}`, {
    remedy: "Run the same command in a terminal.",
  });
}
