import type { Approvals } from "../approvals.ts";
import { enrolledPeople, type TypedCode } from "../one-time-code.ts";
import { openTerminal } from "./device.ts";
import { ask, askCode } from "./prompts.ts";

/** How a person confirmed something that no run may do for them. `declined`: with the reason, as a sentence. */
export type Confirmation =
  | { readonly kind: "confirmed"; /** Checked, and not used up yet; null where none is wanted. */ readonly code: TypedCode | null }
  | { readonly kind: "nobody" }
  | { readonly kind: "declined"; readonly reason: string };

/**
 * Shows `text` at the controlling terminal and asks for a word that stands below it; with `approvals`, and where anybody is enrolled, also for the
 * one-time code of one of them. `nobody` without a terminal, or when it closed. Earlier keys do not count.
 */
export async function confirmAtTerminal(text: string, word: string, approvals: Approvals | null = null): Promise<Confirmation> {
  const people = approvals === null ? [] : enrolledPeople(approvals);
  const device = openTerminal();
  if (device === null) return { kind: "nobody" };
  const { signal } = new AbortController();
  try {
    device.write(`${text}\n`);
    device.flushInput();
    const typed = await ask(device, `To confirm, type: ${word}\n> `, signal);
    if (typeof typed !== "string") return { kind: "nobody" };
    if (typed !== word) return { kind: "declined", reason: "Another word was typed." };
    if (approvals === null || people.length === 0) return { kind: "confirmed", code: null };
    const code = await askCode(device, approvals, people, signal);
    return "code" in code ? { kind: "confirmed", code } : { kind: "declined", reason: "No right one-time code was typed." };
  } finally {
    device.close();
  }
}
