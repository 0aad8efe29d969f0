import { isDeepStrictEqual } from "node:util";
import type { ApprovalAnswer } from "../card.ts";
import type { TerminalDevice } from "./device.ts";
import { GONE, interrupted } from "./prompts.ts";

/** As long as nobody has read what was just shown: keys that come meanwhile were meant for something else. */
export const READING_MS = 500;

export type KeyQuestion = {
  readonly prompt: string;
  readonly keys: Iterable<string>;
  /** For which what stands above the prompt was drawn. */
  readonly size: ScreenSize;
  /** How long what stands above the prompt was not there to be read. */
  readonly waitMs: number;
};

type ScreenSize = ReturnType<TerminalDevice["size"]>;

/** `again`: what stands above the question must be shown once more, because of a wrong key or another size of the window. */
export type AskedKey = string | (ApprovalAnswer & { readonly kind: "nobody" });

/**
 * One of the keys, without Enter. No key counts that was typed before the prompt was there, and none of several that come at once:
 * they were pasted, or typed ahead. `again` for another key, and when the window has another size now.
 */
export async function askKey(device: TerminalDevice, { prompt, keys, size, waitMs }: KeyQuestion, signal: AbortSignal): Promise<AskedKey> {
  const early = await discardKeys(device, waitMs, signal);
  if (early !== null) return early;
  device.flushInput();
  const resized = new AbortController();
  const onResize = (): void => resized.abort();
  process.once("SIGWINCH", onResize);
  try {
    // Drawn for another window, it may have lost its first rows.
    if (!isDeepStrictEqual(device.size(), size)) return "again";
    device.write(prompt);
    const typed = await device.nextKeys(AbortSignal.any([signal, resized.signal]));
    if (typed === null) {
      device.write("\n");
      if (resized.signal.aborted && !signal.aborted) return "again";
      device.write("(no longer needed)\n");
      return GONE;
    }
    if (/[\u0003\u0004]/u.test(typed)) return interrupted(device);
    const key = /^(?<key>[^\r\n])[\r\n]?$/u.exec(typed)?.groups?.["key"];
    if (key !== undefined && [...keys].includes(key)) {
      device.write(`${key}\n`);
      return key;
    }
    device.write("\nThat is none of the choices: one key answers.\n");
    return "again";
  } finally {
    process.off("SIGWINCH", onResize);
  }
}

/** Takes what is typed for a while and throws it away. */
async function discardKeys(device: TerminalDevice, waitMs: number, signal: AbortSignal): Promise<(ApprovalAnswer & { readonly kind: "nobody" }) | null> {
  const until = performance.now() + waitMs;
  for (let leftMs = waitMs; leftMs > 0; leftMs = until - performance.now()) {
    const keys = await device.nextKeys(AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(leftMs))]));
    if (keys !== null && /[\u0003\u0004]/u.test(keys)) return interrupted(device);
    if (signal.aborted) return GONE;
  }
  return null;
}

/** The choices, as many in a row as fit. */
export function rowsOfChoices(choices: readonly string[], columns: number): readonly string[] {
  const rows: string[] = [];
  for (const choice of choices) {
    const last = rows.at(-1);
    if (last !== undefined && last.length + 2 + choice.length < columns) rows[rows.length - 1] = `${last}  ${choice}`;
    else rows.push(choice);
  }
  return rows;
}
