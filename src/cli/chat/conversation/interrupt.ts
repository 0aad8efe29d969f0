import type { ChatState } from "./state.ts";

/** What Ctrl-C means now. */
export type Interruption = "clear-input" | "ask-to-leave" | "leave" | "stop-calls" | "stop-run" | "end-process";

/** How long the first Ctrl-C is remembered. */
const TWICE_WITHIN_MS = 3_000;

/** Once for the calls, twice for the run, again for the process. With nothing going on: once for what was typed, twice to leave. Pure. */
export function interruption({ phase, interruptedAtMs }: ChatState, now: { readonly atMs: number; readonly isInputEmpty: boolean }): Interruption {
  const isTwice = interruptedAtMs !== null && now.atMs - interruptedAtMs <= TWICE_WITHIN_MS;
  if (phase === "stopping") return "end-process";
  if (phase === "idle") return !now.isInputEmpty ? "clear-input" : isTwice ? "leave" : "ask-to-leave";
  return isTwice || phase === "opening" ? "stop-run" : "stop-calls";
}
