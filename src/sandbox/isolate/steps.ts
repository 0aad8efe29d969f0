import { StringDecoder } from "node:string_decoder";
import type { IsolateEnd, IsolateMessage } from "./protocol.ts";

export type WantedCall = { readonly call: number; readonly name: string; readonly input: string };

/** What a script did until it waits: calls that it makes; or its end. */
export type IsolateStep = { readonly calls: readonly WantedCall[]; readonly printed: string; readonly end: IsolateEnd | null };

/** Longer than the longest line that an honest process writes: all calls of a script come in one step, but each in a line of its own. */
const MAX_LINE = 8 * 1024 * 1024;
/** Of one step. */
const MAX_STEP = 64 * 1024 * 1024;

/**
 * Collects lines until the script waits or ends. `maxCalls`: of the script as a whole. Null, from then on: what came is nothing that an isolate says, or came
 * when nobody had asked. No more is read then, so what is still said blocks its process.
 */
export function stepReader(stream: NodeJS.ReadableStream, maxCalls: number): () => Promise<IsolateStep | null> {
  const decoder = new StringDecoder("utf8");
  let buffered = "";
  let size = 0;
  let made = 0;
  let calls: WantedCall[] = [];
  let asked: PromiseWithResolvers<IsolateStep | null> | null = null;
  let isSound = true;
  const answer = (step: IsolateStep | null): void => {
    asked?.resolve(step);
    asked = null;
    calls = [];
    size = 0;
  };
  const take = (line: string): boolean => {
    const message = asked === null ? null : messageIn(line);
    if (message === null) return false;
    if (message.kind === "call") {
      calls.push({ call: message.call, name: message.name, input: message.input });
      made += 1;
      return made <= maxCalls;
    }
    const end = message.kind === "end" ? { value: message.value, problem: message.problem, printed: message.printed } : null;
    answer({ calls, printed: message.printed, end });
    return true;
  };
  stream.on("data", (data: Buffer) => {
    if (!isSound) return;
    buffered += decoder.write(data);
    size += data.length;
    isSound = size <= MAX_STEP;
    for (let at = buffered.indexOf("\n"); isSound && at !== -1; at = buffered.indexOf("\n")) {
      isSound = take(buffered.slice(0, at));
      buffered = buffered.slice(at + 1);
    }
    isSound &&= buffered.length <= MAX_LINE;
    if (isSound) return;
    buffered = "";
    stream.pause();
    answer(null);
  });
  return () => {
    if (!isSound) return Promise.resolve(null);
    asked = Promise.withResolvers();
    return asked.promise;
  };
}

function messageIn(line: string): IsolateMessage | null {
  let message: Partial<Record<string, unknown>>;
  try {
    message = JSON.parse(line) as Partial<Record<string, unknown>>;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof message !== "object" || message === null) return null;
  const { kind, call, name, input, printed, value, problem } = message;
  const isText = (given: unknown): given is string | null => given === null || typeof given === "string";
  if (kind === "call")
    return Number.isSafeInteger(call) && typeof name === "string" && typeof input === "string" ? { kind, call: call as number, name, input } : null;
  if (typeof printed !== "string") return null;
  if (kind === "idle") return { kind, printed };
  return kind === "end" && isText(value) && isText(problem) ? { kind, value, problem, printed } : null;
}
