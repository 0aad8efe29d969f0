import type { Message } from "../../providers/contract/message.ts";
import type { ModelProvider, Usage } from "../../providers/contract/provider.ts";
import { readAnswer } from "../answer.ts";
import type { SpendingMeter } from "../spending.ts";
import { usageOf } from "../usage.ts";
import { compactedNote, partsOf, summaryRequest } from "./compaction.ts";
import type { HistoryOf } from "./trim.ts";

/** So many tokens of a conversation are read in one request at most before its beginning is summed up. */
export const COMPACT_AT_TOKENS = 150_000;

export type SummarySetting = {
  readonly provider: ModelProvider;
  readonly spending: SpendingMeter | undefined;
  readonly signal: AbortSignal;
  readonly historyOf: HistoryOf;
};

/** What stands in place of the old part (null: nothing came of it), how many messages behind it stay, and what that took. */
export type Summed = { readonly note: string | null; readonly keeps: number; readonly usage: Usage };

/** Has a model sum up the old part of a conversation. Null: there is too little of it, or nothing left to spend. A model that fails leaves all as it was. */
export async function sumUp(messages: readonly Message[], { provider, spending, signal, historyOf }: SummarySetting): Promise<Summed | null> {
  const parts = partsOf(messages);
  if (parts === null) return null;
  const request = summaryRequest(parts);
  const allowance = spending?.reserve(request) ?? null;
  if (allowance?.kind === "spent") return null;
  const answer = await readAnswer(provider.stream(request, signal), () => undefined);
  const usage = usageOf(answer, request);
  allowance?.settle(usage);
  const isWhole = answer.ending.kind === "finish" && (answer.ending.reason === "stop" || answer.ending.reason === "length");
  const note = isWhole && answer.text.trim() !== "" ? compactedNote(parts, answer.text, historyOf) : null;
  return { note, keeps: parts.tail.length, usage };
}
