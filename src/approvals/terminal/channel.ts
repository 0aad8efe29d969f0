import { randomInt } from "node:crypto";
import type { Approvals } from "../approvals.ts";
import type { ApprovalAnswer, ApprovalCard, GrantPeriod } from "../card.ts";
import { MAX_GRANT_DAYS } from "../grant.ts";
import { enrolledPeople } from "../one-time-code.ts";
import { renderCard } from "../render-card.ts";
import { personAtTerminal } from "./account.ts";
import { openTerminal, type TerminalDevice } from "./device.ts";
import { ask, askCode } from "./prompts.ts";

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

const MAX_WORD_TRIES = 3;
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

/** A yes with the word, or a no after three wrong ones: a slip of the fingers is no no. */
async function confirmByWord(device: TerminalDevice, by: string, signal: AbortSignal): Promise<ApprovalAnswer> {
  const word = `${WORDS[randomInt(WORDS.length)] ?? "amber"}-${randomInt(10, 100)}`;
  device.flushInput();
  for (let left = MAX_WORD_TRIES - 1; left >= 0; left -= 1) {
    const typed = await ask(device, `High risk. To allow it once, type this word: ${word}\n> `, signal);
    if (typeof typed !== "string") return typed;
    if (typed === word) return { kind: "granted", scope: "once", by };
    device.write(`That is another word: ${left === 0 ? "refused" : "try again"}.\n`);
  }
  return { kind: "refused", scope: "once", by };
}
