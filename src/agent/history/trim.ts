import { cutMiddle } from "../../base/cut.ts";
import type { Message, ToolResultPart } from "../../providers/contract/message.ts";

/** Characters that an old result keeps. */
export const OLD_RESULT_CHARACTERS = 32_000;
/** Characters of the newest batch, all its results together. */
export const NEWEST_BATCH_CHARACTERS = 400_000;
/** Characters of all results: about 120,000 tokens, which leaves room in a window of 200,000. */
export const ALL_RESULTS_CHARACTERS = 480_000;
/** Characters that a result keeps when all of them together are too many. */
export const FADED_RESULT_CHARACTERS = 2000;
/** Batches fade in groups, so that what a provider has cached stays valid for some turns. */
const FADING_STEP = 8;

type Batch = Extract<Message, { kind: "tool" }>;

/**
 * The conversation as it is sent: results before the newest batch keep head and tail only, and when all results
 * together are still too many, the oldest keep little. What is stored is not touched, and the same conversation
 * always gives the same bytes.
 */
export function trimHistory(messages: readonly Message[]): readonly Message[] {
  const newest = messages.findLastIndex((message) => message.kind === "tool");
  const bounded = messages.map((message, index): Message => {
    if (message.kind !== "tool") return message;
    return index === newest ? shareOut(message, NEWEST_BATCH_CHARACTERS) : cutEach(message, OLD_RESULT_CHARACTERS);
  });
  return fadeOldest(bounded, newest);
}

function fadeOldest(messages: readonly Message[], newest: number): readonly Message[] {
  const faded = [...messages];
  const old = messages.flatMap((message, index) => (message.kind === "tool" && index !== newest ? [index] : []));
  for (let start = 0; start < old.length && countCharacters(faded) > ALL_RESULTS_CHARACTERS; start += FADING_STEP) {
    for (const index of old.slice(start, start + FADING_STEP)) {
      const message = faded[index];
      if (message?.kind === "tool") faded[index] = cutEach(message, FADED_RESULT_CHARACTERS);
    }
  }
  return faded;
}

function cutEach(batch: Batch, maxCharacters: number): Batch {
  if (batch.results.every((result) => result.text.length <= maxCharacters)) return batch;
  return { kind: "tool", results: batch.results.map((result) => cutResult(result, maxCharacters)) };
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
  if (batch.results.every((result) => result.text.length <= (shares.get(result) ?? 0))) return batch;
  return { kind: "tool", results: batch.results.map((result) => cutResult(result, shares.get(result) ?? 0)) };
}

function cutResult(result: ToolResultPart, maxCharacters: number): ToolResultPart {
  return { ...result, text: cutMiddle(result.text, maxCharacters) };
}

function countCharacters(messages: readonly Message[]): number {
  let count = 0;
  for (const message of messages) if (message.kind === "tool") for (const result of message.results) count += result.text.length;
  return count;
}
