import type { ApprovalAnswer } from "../card.ts";
import { openTerminal, type TerminalDevice } from "./device.ts";
import { askKey, READING_MS, rowsOfChoices } from "./keys.ts";
import { page } from "./pager.ts";

export type ShownScreen = {
  readonly rows: readonly string[];
  /** False: a part that matters is not among the rows. */
  readonly isWhole: boolean;
};

/** A question on one screen, answered by one key. */
export type Choice = {
  /** What stands above the choices, `reserved` rows of the screen being theirs. */
  readonly screen: (size: { readonly columns: number; readonly rows: number }, reserved: number) => ShownScreen;
  readonly prompt: string;
  /** By key, what is written for it. */
  readonly choices: ReadonlyMap<string, string>;
  /** The keys that count only when everything that matters was on the screen, or was paged through to its end by `v`. */
  readonly afterAll: ReadonlySet<string>;
  /** What is paged through by a key, before the question is asked again; `v` is the whole. */
  readonly pages: Readonly<Record<string, (columns: number) => readonly string[] | Promise<readonly string[]>>>;
};

/** The key that was chosen, or that nobody chose one. The question stands on the screen with its choices, whatever is above it. */
export async function chooseKey(device: TerminalDevice, choice: Choice, signal: AbortSignal): Promise<string | (ApprovalAnswer & { readonly kind: "nobody" })> {
  const { choices, pages } = choice;
  let hasSeenAll = false;
  let waitMs = READING_MS;
  for (;;) {
    const size = device.size();
    const isWhole = show(device, choice, size);
    const key = await askKey(device, { prompt: choice.prompt, keys: choices.keys(), size, waitMs }, signal);
    waitMs = 0;
    if (typeof key === "object") return key;
    const isTooEarly: boolean = choice.afterAll.has(key) && !isWhole && !hasSeenAll;
    if (isTooEarly) device.write("First all of it, because the screen does not hold it; then the question again.\n");
    const pageKey: string = isTooEarly ? "v" : key;
    const pageOf = pages[pageKey];
    if (pageOf === undefined) {
      if (choices.has(key)) return key;
      continue;
    }
    const isAll = await page(device, pageOf, signal);
    hasSeenAll ||= isAll && pageKey === "v";
  }
}

/** Asks at the controlling terminal; null without one. */
export async function chooseAtTerminal(choice: Choice, signal: AbortSignal): Promise<string | null> {
  const device = openTerminal();
  if (device === null) return null;
  try {
    const key = await chooseKey(device, choice, signal);
    return typeof key === "string" ? key : null;
  } finally {
    device.close();
  }
}

function show(device: TerminalDevice, { screen, choices }: Choice, size: ReturnType<TerminalDevice["size"]>): boolean {
  const keys = rowsOfChoices([...choices.values()], size.columns);
  const { rows, isWhole } = screen(size, keys.length + 1);
  device.write(`\n${[...rows, ...keys].join("\n")}\n`);
  return isWhole;
}
