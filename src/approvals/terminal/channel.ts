import { randomInt } from "node:crypto";
import { userInfo } from "node:os";
import type { Approvals } from "../approvals.ts";
import type { ApprovalAnswer, ApprovalCard, GrantPeriod } from "../card.ts";
import { MAX_GRANT_DAYS } from "../grant.ts";
import { readLine } from "./read-line.ts";
import { checkCode, enrolledPeople, type TypedCode } from "../one-time-code.ts";
import { renderCard } from "../render-card.ts";
import { openTerminal, type TerminalDevice } from "./device.ts";

// Short, distinct, easily typed. Which one is wanted is random, so nobody can type it before the card is there.
const WORDS = [
  "amber",
  "birch",
  "cobalt",
  "delta",
  "ember",
  "fjord",
  "granite",
  "harbor",
  "indigo",
  "juniper",
  "kelp",
  "lagoon",
  "maple",
  "nectar",
  "onyx",
  "pepper",
  "quartz",
  "raven",
  "saffron",
  "tundra",
];

const MAX_CODE_TRIES = 3;

const NO_TERMINAL: ApprovalAnswer = { kind: "nobody", reason: "there is no terminal (/dev/tty) to ask at, or this process is in its background" };

/**
 * Asks at the controlling terminal, one question at a time. Without a terminal nobody is asked. High risk is
 * granted only by typing the word that is shown on the card, and a one-time code is asked for where the card wants one.
 */
export function terminalChannel(approvals: Approvals): { readonly name: string; ask(card: ApprovalCard, signal: AbortSignal): Promise<ApprovalAnswer> } {
  let before: Promise<unknown> = Promise.resolve();
  return {
    name: "terminal",
    ask: (card, signal) => {
      const answer = before.then(() => askAtTerminal(approvals, card, signal));
      before = answer.catch(() => null);
      return answer;
    },
  };
}

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

/** Writes to the controlling terminal and nowhere else; false when there is none. */
export function showAtTerminal(text: string): boolean {
  const device = openTerminal();
  if (device === null) return false;
  try {
    device.write(text);
    return true;
  } finally {
    device.close();
  }
}

/** Who sits at the terminal, as far as the system knows. */
export function personAtTerminal(): string {
  return `${accountName()}@terminal`;
}

/** The account that this process belongs to: who does what wants no person. A script and a daemon are named so, too. */
export function ownAccount(): string {
  return `${accountName()}@account`;
}

/** A process of a container or of a service may run as a number that no list of accounts has a name for. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SYSTEM_ERROR") throw error;
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}

async function askAtTerminal(approvals: Approvals, card: ApprovalCard, signal: AbortSignal): Promise<ApprovalAnswer> {
  if (signal.aborted) return { kind: "nobody", reason: "the question was answered elsewhere or cancelled" };
  const device = openTerminal();
  if (device === null) return NO_TERMINAL;
  try {
    // The input is flushed after the card is written and before it is read: no earlier key answers it.
    device.write(`\n${renderCard(card, device.columns)}`);
    device.flushInput();
    const answer = await converse(device, card, signal);
    return answer.kind === "granted" && card.needsCode ? await confirmByCode(device, approvals, answer, signal) : answer;
  } finally {
    device.close();
  }
}

async function converse(device: TerminalDevice, card: ApprovalCard, signal: AbortSignal): Promise<ApprovalAnswer> {
  const by = personAtTerminal();
  const isLasting = card.risk !== "high" && !card.needsCode;
  const pattern = isLasting ? card.grant : null;
  const choices = [
    "[o]nce",
    ...(isLasting ? ["[r]un: this exact command for the run"] : []),
    ...(pattern === null ? [] : ["[p]attern: all that it covers"]),
    "[n]o  [N]o for this run  [m]essage: no, and say why",
  ].join("  ");
  for (;;) {
    const choice = await ask(device, `${choices}\nAllow? `, signal);
    if (typeof choice !== "string") return choice;
    if (choice === "n" || choice === "no") return { kind: "refused", scope: "once", by };
    if (choice === "N") return { kind: "refused", scope: "this-run", by };
    if (choice === "m") {
      const message = await ask(device, "Say to the model: ", signal);
      return typeof message === "string" ? { kind: "refused", scope: "once", by, message } : message;
    }
    if (choice === "o" && card.risk === "high") return await confirmByWord(device, by, signal);
    if (choice === "o") return { kind: "granted", scope: "once", by };
    if (choice === "r" && isLasting) return { kind: "granted", scope: "this-run", by };
    if (choice === "p" && pattern !== null) {
      const period = await askPeriod(device, signal);
      return period.kind === "nobody" ? period : { kind: "granted", scope: "pattern", by, period };
    }
    device.write("That is none of the choices.\n");
  }
}

async function askPeriod(device: TerminalDevice, signal: AbortSignal): Promise<GrantPeriod | (ApprovalAnswer & { readonly kind: "nobody" })> {
  for (;;) {
    const typed = await ask(device, `For how long? [r]un, a number of days (1 to ${MAX_GRANT_DAYS}), or [f]orever: `, signal);
    if (typeof typed !== "string") return { kind: "nobody", reason: typed.kind === "nobody" ? typed.reason : "no period was chosen" };
    if (typed === "r") return { kind: "run" };
    if (typed === "f") return { kind: "forever" };
    const days = /^[1-9][0-9]{0,2}$/u.test(typed) ? Number(typed) : null;
    if (days !== null && days <= MAX_GRANT_DAYS) return { kind: "days", days };
    device.write("That is none of the choices.\n");
  }
}

/** A yes with whose code it is, or a no after three wrong ones. */
async function confirmByCode(
  device: TerminalDevice,
  approvals: Approvals,
  answer: ApprovalAnswer & { readonly kind: "granted" },
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const people = enrolledPeople(approvals);
  if (people.length === 0 || answer.scope === "pattern") {
    device.write("It needs a one-time code, and nobody is enrolled: warder approvals enroll NAME\n");
    return { kind: "nobody", reason: "it needs a one-time code, and nobody is enrolled" };
  }
  const code = await askCode(device, approvals, people, signal);
  return "code" in code ? { ...answer, code } : code;
}

/** A code that is right, not used up yet; or that there was none. */
async function askCode(
  device: TerminalDevice,
  approvals: Approvals,
  people: readonly string[],
  signal: AbortSignal,
): Promise<TypedCode | (ApprovalAnswer & { readonly kind: "nobody" })> {
  for (let round = 0; round < MAX_CODE_TRIES; round += 1) {
    const person = people.length === 1 ? people[0] : await ask(device, `Who are you (${people.join(", ")})? `, signal);
    if (typeof person !== "string") break;
    const code = await ask(device, "One-time code: ", signal);
    if (typeof code !== "string") break;
    const verdict = checkCode(approvals, { person, code });
    if (verdict.kind === "right") return { person, code };
    device.write(`Not taken: ${verdict.reason}.\n`);
  }
  return { kind: "nobody", reason: "no right one-time code was typed" };
}

async function confirmByWord(device: TerminalDevice, by: string, signal: AbortSignal): Promise<ApprovalAnswer> {
  const word = `${WORDS[randomInt(WORDS.length)] ?? "amber"}-${randomInt(10, 100)}`;
  device.flushInput();
  const typed = await ask(device, `High risk. To allow it once, type this word: ${word}\n> `, signal);
  if (typeof typed !== "string") return typed;
  if (typed === word) return { kind: "granted", scope: "once", by };
  device.write("That is another word: refused.\n");
  return { kind: "refused", scope: "once", by };
}

/** A trimmed line, or the answer when there will be none. */
async function ask(device: TerminalDevice, prompt: string, signal: AbortSignal): Promise<string | ApprovalAnswer> {
  device.write(prompt);
  const line = await readLine(device, signal);
  if (line.kind === "line") return line.text.trim();
  if (line.kind === "gone") {
    device.write("\n(no longer needed)\n");
    return { kind: "nobody", reason: "the terminal closed, or the question was answered elsewhere" };
  }
  // Raw mode swallowed the interrupt: hand it on, as Ctrl-C means the whole run.
  process.kill(process.pid, "SIGINT");
  return { kind: "nobody", reason: "interrupted at the prompt" };
}
