import type { Approvals } from "../approvals.ts";
import type { ApprovalAnswer, ApprovalCard, GrantPeriod } from "../card.ts";
import { MAX_GRANT_DAYS } from "../grant.ts";
import { enrolledPeople } from "../one-time-code.ts";
import { cardScreen } from "../card-screen.ts";
import { isLasting, yesForRun } from "../card-text.ts";
import { wholeCard } from "../whole-card.ts";
import { personAtTerminal } from "./account.ts";
import { chooseKey } from "./choose.ts";
import { newWord } from "./confirmation-word.ts";
import { openTerminal, type TerminalDevice } from "./device.ts";
import { ask, askCode } from "./prompts.ts";
import { askForWords } from "./words.ts";

const MAX_WORD_TRIES = 3;

/** Lends the terminal to a question: whoever draws on it stops before, and draws again behind it. */
export type LendTerminal = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;
const NO_TERMINAL: ApprovalAnswer = { kind: "nobody", reason: "there is no terminal (/dev/tty) to ask at, or this process is in its background" };

/**
 * Asks at the controlling terminal, one question at a time. Without a terminal nobody is asked. One key
 * answers; what leaves the sandbox or cannot be undone is granted only by typing a word that is shown, and a one-time code is asked for where the card wants one.
 */
export function terminalChannel(
  approvals: Approvals,
  lend: LendTerminal = (asking) => asking(),
): { readonly name: string; ask(card: ApprovalCard, signal: AbortSignal): Promise<ApprovalAnswer> } {
  let before: Promise<unknown> = Promise.resolve();
  return {
    name: "terminal",
    ask: (card, signal) => {
      const answer = before.then(() => lend(() => askAtTerminal(approvals, card, signal)));
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
    const answer = await converse(device, card, signal);
    return answer.kind === "granted" && card.needsCode ? await confirmByCode(device, approvals, answer, signal) : answer;
  } finally {
    device.close();
  }
}

async function converse(device: TerminalDevice, card: ApprovalCard, signal: AbortSignal): Promise<ApprovalAnswer> {
  if (card.question !== undefined) return await askForWords(device, card, card.question, signal);
  const key = await chooseKey(
    device,
    {
      screen: ({ columns, rows }, reserved) => cardScreen(card, { columns, rows, paint: device.paint }, reserved),
      prompt: "Allow? ",
      choices: choicesOf(card),
      afterAll: YES_KEYS,
      pages: { v: (columns) => wholeCard(card, columns, device.paint) },
    },
    signal,
  );
  if (typeof key === "object") return key;
  return (await ANSWERS[key]?.(device, card, signal)) ?? { kind: "nobody", reason: "no choice was made" };
}

type Answer = (device: TerminalDevice, card: ApprovalCard, signal: AbortSignal) => ApprovalAnswer | Promise<ApprovalAnswer>;

const YES_KEYS: ReadonlySet<string> = new Set(["o", "r", "j", "p"]);

function choicesOf(card: ApprovalCard): ReadonlyMap<string, string> {
  const lasts = isLasting(card);
  const forRun = yesForRun(card, personAtTerminal());
  return new Map([
    ["o", "[o]nce"],
    ...(forRun === null ? [] : [["r", `[r]un: ${forRun.what} until the run ends`] as const]),
    ...(lasts && card.job !== undefined ? [["j", `[j]ob: exactly this in each run of ${card.job.name}`] as const] : []),
    ...(lasts && card.grant !== null ? [["p", "[p]attern"] as const] : []),
    ["n", "[n]o"],
    ["N", "[N]o for the run"],
    ["m", "[m]essage: no, and why"],
    ["v", "[v]iew all"],
  ]);
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  o: (device, card, signal) =>
    card.wantsWord ? confirmByWord(device, personAtTerminal(), signal) : { kind: "granted", scope: "once", by: personAtTerminal() },
  r: (_device, card) => yesForRun(card, personAtTerminal())?.answer ?? { kind: "nobody", reason: "it is answered once alone" },
  j: () => ({ kind: "granted", scope: "pattern", by: personAtTerminal(), period: { kind: "job" } }),
  p: async (device, _card, signal) => {
    const period = await askPeriod(device, signal);
    return period.kind === "nobody" ? period : { kind: "granted", scope: "pattern", by: personAtTerminal(), period };
  },
  n: () => ({ kind: "refused", scope: "once", by: personAtTerminal() }),
  N: () => ({ kind: "refused", scope: "this-run", by: personAtTerminal() }),
  m: async (device, _card, signal) => {
    const message = await ask(device, "Say to the model: ", signal);
    return typeof message === "string" ? { kind: "refused", scope: "once", by: personAtTerminal(), message } : message;
  },
};

async function askPeriod(device: TerminalDevice, signal: AbortSignal): Promise<GrantPeriod | (ApprovalAnswer & { readonly kind: "nobody" })> {
  for (;;) {
    const typed = await ask(device, `For how long? [r]un, a number of days (1 to ${MAX_GRANT_DAYS}), or [f]orever, and Enter: `, signal);
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
  const word = newWord();
  device.flushInput();
  for (let left = MAX_WORD_TRIES - 1; left >= 0; left -= 1) {
    const typed = await ask(device, `It leaves the sandbox, or cannot be undone. To allow it once, type this word: ${word}\n> `, signal);
    if (typeof typed !== "string") return typed;
    if (typed === word) return { kind: "granted", scope: "once", by };
    device.write(`That is another word: ${left === 0 ? "refused" : "try again"}.\n`);
  }
  return { kind: "refused", scope: "once", by };
}
