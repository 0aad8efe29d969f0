import type { Approvals } from "../approvals.ts";
import { enrolledPeople, type TypedCode } from "../one-time-code.ts";
import { openTerminal } from "./device.ts";
import { ask, askCode } from "./prompts.ts";

/**
 * Shows `text` at the controlling terminal and asks for a word that stands below it. Null without a terminal, or when it closed:
 * nobody was asked. Earlier keys do not count.
 */
export async function confirmAtTerminal(text: string, word: string): Promise<boolean | null> {
  const device = openTerminal();
  if (device === null) return null;
  try {
    device.write(`${text}\n`);
    device.flushInput();
    const typed = await ask(device, `To confirm, type: ${word}\n> `, new AbortController().signal);
    return typeof typed === "string" ? typed === word : null;
  } finally {
    device.close();
  }
}

/** How a person confirmed something that no run may do for them. `declined`: with the reason, as a sentence. */
export type Confirmation =
  | { readonly kind: "confirmed"; /** Checked, and not used up yet; null where nobody is enrolled. */ readonly code: TypedCode | null }
  | { readonly kind: "nobody" }
  | { readonly kind: "declined"; readonly reason: string };

/** The same as {@link confirmAtTerminal}, and where anybody is enrolled the one-time code of one of them, too. */
export async function confirmByPerson(approvals: Approvals, text: string, word: string): Promise<Confirmation> {
  const people = enrolledPeople(approvals);
  const device = openTerminal();
  if (device === null) return { kind: "nobody" };
  const { signal } = new AbortController();
  try {
    device.write(`${text}\n`);
    device.flushInput();
    const typed = await ask(device, `To confirm, type: ${word}\n> `, signal);
    if (typeof typed !== "string") return { kind: "nobody" };
    if (typed !== word) return { kind: "declined", reason: "Another word was typed." };
    if (people.length === 0) return { kind: "confirmed", code: null };
    const code = await askCode(device, approvals, people, signal);
    if ("code" in code) return { kind: "confirmed", code };
    return { kind: "declined", reason: "No right one-time code was typed." };
  } finally {
    device.close();
  }
}
