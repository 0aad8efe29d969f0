import { cutMiddle } from "../../base/cut.ts";
import type { ToolTraits } from "../../gate/gate.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../../providers/contract/message.ts";

/** Characters of the newest batch, all its results together. */
export const NEWEST_BATCH_CHARACTERS = 400_000;
/** Characters of all results: about 120,000 tokens, which leaves room in a window of 200,000. */
export const ALL_RESULTS_CHARACTERS = 480_000;
/** Characters that a result keeps when all of them together are too many. */
export const FADED_RESULT_CHARACTERS = 2000;
/** Batches fade in groups, so that what a provider has cached stays valid for some turns. */
const FADING_STEP = 8;
/** Characters that an old result keeps where its tool does not say. */
export const OLD_RESULT_CHARACTERS = 32_000;

type Batch = Extract<Message, { kind: "tool" }>;

/** What a tool says of its results, by the name that the model called it by; null: no tool. */
export type HistoryOf = (name: string) => Pick<ToolTraits, "history" | "maxResultChars"> | null;

/**
 * The conversation as it is sent: results before the newest batch keep head and tail only, and when all results
 * together are still too many, the oldest keep little. What is stored is not touched, and the same conversation
 * always gives the same bytes.
 */
export function trimHistory(messages: readonly Message[], historyOf: HistoryOf = () => null): readonly Message[] {
  const newest = messages.findLastIndex((message) => message.kind === "tool");
  const bounded = messages.map((message, index): Message => {
    if (message.kind !== "tool") return message;
    if (index === newest) return shareOut(message, NEWEST_BATCH_CHARACTERS);
    return changeEach(message, (result) => cutResult(result, keptOf(result, historyOf)));
  });
  return fadeOldest(bounded, newest, historyOf);
}

function keptOf({ name }: ToolResultPart, historyOf: HistoryOf): number {
  const traits = historyOf(name);
  if (traits?.history.isCompactable === false) return NEWEST_BATCH_CHARACTERS;
  return Math.min(traits?.maxResultChars ?? OLD_RESULT_CHARACTERS, NEWEST_BATCH_CHARACTERS);
}

function fadeOldest(messages: readonly Message[], newest: number, historyOf: HistoryOf): readonly Message[] {
  const faded = [...messages];
  const old = messages.flatMap((message, index) => (message.kind === "tool" && index !== newest ? [index] : []));
  let count = countCharacters(faded);
  for (let start = 0; start < old.length && count > ALL_RESULTS_CHARACTERS; start += FADING_STEP) {
    const group = old.slice(start, start + FADING_STEP);
    const fade = fading(group, messages, historyOf);
    for (const index of group) {
      const message = faded[index];
      if (message?.kind === "tool") faded[index] = changeEach(message, fade);
    }
    count = countCharacters(faded);
  }
  return faded;
}

/** How the results of one group fade: what a later one of the group replaces keeps a line, the others head and tail below what they were. */
function fading(group: readonly number[], messages: readonly Message[], historyOf: HistoryOf): (result: ToolResultPart) => ToolResultPart {
  const calls = new Map<string, ToolCallPart>();
  const newest = new Map<string, string>();
  const keyOf = ({ name, callId, isError }: ToolResultPart): string | null => {
    const argument = historyOf(name)?.history.dedupArgument;
    const value = argument === undefined || isError ? undefined : argumentOf(calls.get(callId), argument);
    return value === undefined ? null : JSON.stringify([name, value]);
  };
  for (const index of group) {
    const before = messages[index - 1];
    const batch = messages[index];
    for (const part of before?.kind === "assistant" ? before.parts : []) if (part.kind === "tool-call") calls.set(part.callId, part);
    for (const result of batch?.kind === "tool" ? batch.results : []) {
      const key = keyOf(result);
      if (key !== null) newest.set(key, result.callId);
    }
  }
  return (result) => {
    const history = historyOf(result.name)?.history;
    if (history?.isCompactable === false || result.text.length <= FADED_RESULT_CHARACTERS) return result;
    const subject = history?.summaryArgument === undefined ? undefined : argumentOf(calls.get(result.callId), history.summaryArgument);
    const what = subject === undefined ? "" : `[warder: an older result, of ${cutMiddle(subject.replaceAll("\n", " "), 200)}]\n`;
    const key = keyOf(result);
    const [first = ""] = result.text.split("\n", 1);
    if (key !== null && newest.get(key) !== result.callId) return { ...result, text: `${first}\n${what}[warder: a later call gave the same anew]` };
    return cutResult({ ...result, text: result.text.replace("\n", `\n${what}`) }, FADED_RESULT_CHARACTERS);
  };
}

function argumentOf(call: ToolCallPart | undefined, name: string): string | undefined {
  const input = call?.input;
  const value = typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>)[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

function changeEach(batch: Batch, change: (result: ToolResultPart) => ToolResultPart): Batch {
  const results = batch.results.map(change);
  return results.every((result, index) => result === batch.results[index]) ? batch : { kind: "tool", results };
}

// Small results stay whole, and the large ones divide what is left, so that one flood does not drown its neighbours.
function shareOut(batch: Batch, maxCharacters: number): Batch {
  let left = maxCharacters;
  let waiting = batch.results.length;
  const shares = new Map<ToolResultPart, number>();
  for (const result of batch.results.toSorted((one, other) => one.text.length - other.text.length)) {
    const share = Math.max(FADED_RESULT_CHARACTERS, Math.floor(left / waiting));
    shares.set(result, share);
    left -= Math.min(share, result.text.length);
    waiting -= 1;
  }
  return changeEach(batch, (result) => cutResult(result, shares.get(result) ?? 0));
}

/** Where the whole of it lies, the cut says so. */
function cutResult(result: ToolResultPart, maxCharacters: number): ToolResultPart {
  if (result.text.length <= maxCharacters) return result;
  const where = result.artifact === undefined ? "" : `; read_artifact has all of it: ${result.artifact}`;
  return { ...result, text: cutMiddle(result.text, maxCharacters, where) };
}

function countCharacters(messages: readonly Message[]): number {
  let count = 0;
  for (const message of messages) if (message.kind === "tool") for (const result of message.results) count += result.text.length;
  return count;
}
