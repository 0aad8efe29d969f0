import type { ApprovalAnswer, ApprovalCard } from "../card.ts";
import { cardScreen } from "../card-screen.ts";
import { wholeCard } from "../whole-card.ts";
import { personAtTerminal } from "./account.ts";
import { chooseKey } from "./choose.ts";
import type { TerminalDevice } from "./device.ts";
import { ask } from "./prompts.ts";

/** Asks for words: one of the choices by its number, or a line of the person's own. */
export async function askForWords(
  device: TerminalDevice,
  card: ApprovalCard,
  { choices }: NonNullable<ApprovalCard["question"]>,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const numbers = choices.map((_, index) => String(index + 1));
  const key = await chooseKey(
    device,
    {
      screen: ({ columns, rows }, reserved) => cardScreen(card, { columns, rows, paint: device.paint }, reserved),
      prompt: "Answer? ",
      choices: new Map([...numbers.map((number) => [number, `[${number}]`] as const), ["w", "[w]rite an answer"], ["n", "[n]o answer"], ["v", "[v]iew all"]]),
      afterAll: new Set([...numbers, "w"]),
      pages: { v: (columns) => wholeCard(card, columns, device.paint) },
    },
    signal,
  );
  if (typeof key === "object") return key;
  if (key === "n") return { kind: "refused", scope: "once", by: personAtTerminal(), message: "no answer" };
  const chosen = choices[Number(key) - 1];
  const words = chosen ?? (await ownWords(device, signal));
  return typeof words === "string" ? { kind: "granted", scope: "once", by: personAtTerminal(), words } : words;
}

async function ownWords(device: TerminalDevice, signal: AbortSignal): Promise<string | ApprovalAnswer> {
  for (;;) {
    const typed = await ask(device, "Your answer: ", signal);
    if (typed !== "") return typed;
    device.write("An answer has at least one character.\n");
  }
}
