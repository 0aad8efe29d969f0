import { randomInt } from "node:crypto";
import { userInfo } from "node:os";
import type { ApprovalAnswer, ApprovalCard, ApprovalChannel } from "./card.ts";
import { readLine } from "./line-input.ts";
import { renderCard } from "./render-card.ts";
import { openTerminal, type TerminalDevice } from "./terminal-device.ts";

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

const NO_TERMINAL: ApprovalAnswer = { kind: "nobody", reason: "there is no terminal (/dev/tty) to ask at, or this process is in its background" };

/**
 * Asks at the controlling terminal, one question at a time. Without a terminal nobody is asked. High risk is
 * granted only by typing the word that is shown on the card.
 */
export function terminalChannel(): ApprovalChannel {
  let before: Promise<unknown> = Promise.resolve();
  return {
    name: "terminal",
    ask: (card, signal) => {
      const answer = before.then(() => askAtTerminal(card, signal));
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

/** Who sits at the terminal, as far as the system knows. */
export function personAtTerminal(): string {
  return `${userInfo().username}@terminal`;
}

async function askAtTerminal(card: ApprovalCard, signal: AbortSignal): Promise<ApprovalAnswer> {
  if (signal.aborted) return { kind: "nobody", reason: "the question was answered elsewhere or cancelled" };
  const device = openTerminal();
  if (device === null) return NO_TERMINAL;
  try {
    // The input is flushed after the card is written and before it is read: no earlier key answers it.
    device.write(`\n${renderCard(card, device.columns)}`);
    device.flushInput();
    return await converse(device, card, signal);
  } finally {
    device.close();
  }
}

async function converse(device: TerminalDevice, card: ApprovalCard, signal: AbortSignal): Promise<ApprovalAnswer> {
  const by = personAtTerminal();
  const choices =
    card.risk === "high"
      ? "[o]nce  [n]o  [N]o for this run  [m]essage: no, and say why"
      : "[o]nce  [r]un: this exact command for the run  [n]o  [N]o for this run  [m]essage: no, and say why";
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
    if (choice === "r" && card.risk !== "high") return { kind: "granted", scope: "this-run", by };
    device.write("That is none of the choices.\n");
  }
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
