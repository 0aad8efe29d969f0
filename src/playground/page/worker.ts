import { evaluate, type PlaygroundInput } from "../evaluate.ts";
import type { Question } from "./question.ts";

// A page's worker: each message is a question, and has one answer.
self.addEventListener("message", ({ data }: MessageEvent<Question>) => {
  const { id, input, shipped } = data;
  self.postMessage({ id, ...answer(input, new Map(Object.entries(shipped))) }, { transfer: [] });
});

function answer(input: PlaygroundInput, shipped: ReadonlyMap<string, string>): { readonly view: unknown } | { readonly fault: string } {
  try {
    return { view: evaluate(input, shipped) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : "unknown fault" };
  }
}
