import type { Ending } from "./endings.ts";

/** What a run has to give by a call of `tool` before it is done: words alone are not enough. */
export type WantedOutput = { readonly tool: string; readonly isGiven: () => boolean };

/** How often a model that is done without it is asked for it. */
export const MAX_OUTPUT_REQUESTS = 2;

/** What the model is told. */
export function outputRequest({ tool }: WantedOutput): string {
  return `[warder] You said that you are done, and the result is missing. Give it now by calling ${tool}: your words alone do not count as the result.`;
}

export function withoutOutput({ tool }: WantedOutput): Ending {
  return {
    end: { kind: "failed", code: "provider-failed" },
    reason: `The model gave no result by ${tool}, though it was asked for it ${MAX_OUTPUT_REQUESTS} times.`,
  };
}
