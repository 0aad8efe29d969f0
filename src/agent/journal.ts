import type { AssistantPart, Image, Message, ToolResultPart } from "../providers/contract/message.ts";
import type { Usage } from "../providers/contract/provider.ts";
import type { PreparedCall } from "./calls/prepare.ts";
import type { CallMark } from "./calls/refusals.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

/** One step of a run, recorded before the next thing happens. `elapsedMs`: how long the run had been at work by then. */
export type RunStep = { readonly elapsedMs: number } & (
  | {
      readonly kind: "message";
      readonly parts: readonly AssistantPart[];
      readonly text: string;
      readonly usage: Usage;
      /** Calls that are answered without being run, with the answer. */
      readonly problems: Readonly<Record<string, string>>;
    }
  /** `mark`: what the call counts as; absent in steps of an older Warder, and for calls that did not reach the gate. */
  | { readonly kind: "result"; readonly part: ToolResultPart; readonly mark?: CallMark }
  /** Words to the model between its answers: Warder's own, or what a person said on the way. */
  | {
      readonly kind: "note";
      readonly text: string;
      readonly isPersons?: true;
      /** That the model sees with it. */ readonly images?: readonly Image[];
      /** The hook that put off the end of the run with it. */ readonly putOffBy?: string;
      /** It stands in place of all between the task and so many messages at the end. */ readonly keeps?: number;
      /** What it took to make. */ readonly usage?: Usage;
    }
);

/** Where a run's steps are kept, all of them at once or none. `record` throws `store-unavailable`; then the run ends, and nothing further happens. */
export type Journal = { readonly record: (...steps: readonly RunStep[]) => void };

/** A run as its steps left it. */
export type Continuation = {
  readonly messages: readonly Message[];
  /** The calls of the last message, when not all of them were answered; and the answers that there are, in any order. */
  readonly calls: readonly PreparedCall[];
  readonly results: readonly ToolResultPart[];
  readonly turns: number;
  readonly usage: Usage;
  readonly text: string;
  readonly elapsedMs: number;
  /** How often hooks put off its end. */
  readonly putOff: number;
  /** Of every call so far: none may be given again. */
  readonly callIds: ReadonlySet<string>;
  /** What its calls counted as so far. */
  readonly marks: readonly CallMark[];
  /** What the model is told once the open calls are answered; empty for nothing. */
  readonly note: string;
};

/** Reads a run's steps into what it goes on from. Pure. */
export function continuationOf(task: string, steps: readonly RunStep[], note = ""): Continuation {
  const messages: Message[] = [{ kind: "user", text: task }];
  let calls: readonly PreparedCall[] = [];
  let results: ToolResultPart[] = [];
  let turns = 0;
  let usage = NO_USAGE;
  let text = "";
  const marks: CallMark[] = [];
  const callIds = new Set<string>();
  for (const step of steps) {
    if (step.kind === "message") {
      turns += 1;
      usage = addUsage(usage, step.usage);
      if (step.text !== "") text = step.text;
      if (step.parts.length > 0) messages.push({ kind: "assistant", parts: step.parts });
      calls = step.parts.flatMap((part) =>
        part.kind === "tool-call" ? [{ part, problem: Object.hasOwn(step.problems, part.callId) ? (step.problems[part.callId] ?? null) : null }] : [],
      );
      for (const { part } of calls) callIds.add(part.callId);
      results = [];
    } else if (step.kind === "result") {
      results.push(step.part);
      if (step.mark !== undefined) marks.push(step.mark);
      if (results.length === calls.length) {
        messages.push({ kind: "tool", results: inOrder(calls, results) });
        calls = [];
        results = [];
      }
    } else {
      if (step.usage !== undefined) usage = addUsage(usage, step.usage);
      if (step.keeps === undefined) messages.push({ kind: "user", text: step.text, ...(step.images && { images: step.images }) });
      else replaceOld(messages, step.text, step.keeps);
    }
  }
  const putOff = steps.filter((step) => step.kind === "note" && step.putOffBy !== undefined).length;
  return { messages, calls, results, turns, usage, text, elapsedMs: steps.at(-1)?.elapsedMs ?? 0, putOff, marks, callIds, note };
}

/** Puts a text in place of all between the task and so many messages at the end. */
export function replaceOld(messages: Message[], text: string, keeps: number): void {
  messages.splice(1, messages.length - 1 - keeps, { kind: "user", text });
}

/** What the model is told of a message that a hook warned of, behind it. */
export const warningText = (warning: string): string => `[warder] Of the message above: ${warning}`;

/** The answers in the order of their calls. */
export function inOrder(calls: readonly PreparedCall[], results: readonly ToolResultPart[]): readonly ToolResultPart[] {
  const byId = new Map(results.map((result) => [result.callId, result]));
  return calls.flatMap(({ part }) => byId.get(part.callId) ?? []);
}

/** The calls that have no answer yet. */
export function openCalls({ calls, results }: Pick<Continuation, "calls" | "results">): readonly PreparedCall[] {
  const answered = new Set(results.map(({ callId }) => callId));
  return calls.filter(({ part }) => !answered.has(part.callId));
}

/** Whether the run had finished but for its end: the last answer called nothing, so asking again would be a turn too many. */
export function hasAnswered({ messages, calls }: Continuation): boolean {
  return calls.length === 0 && messages.at(-1)?.kind === "assistant";
}
