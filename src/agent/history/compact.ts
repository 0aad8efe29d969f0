import type { TraitsOf } from "../../gate/gate.ts";
import type { Message } from "../../providers/contract/message.ts";
import type { ModelProvider, Usage } from "../../providers/contract/provider.ts";
import type { RunEvent } from "../events.ts";
import { type Journal, replaceOld } from "../journal.ts";
import type { SpendingMeter } from "../spending.ts";
import { addUsage, NO_USAGE } from "../usage.ts";
import { sumUp } from "./sum-up.ts";

/** What of a run its compaction reads and changes. */
type Compacted = {
  readonly messages: Message[];
  readonly stop: AbortSignal;
  readonly emit: (event: RunEvent) => unknown;
  readonly journal: Journal["record"];
  readonly elapsedMs: () => number;
  readonly readTokens: number;
  usage: Usage;
  compactAtTokens: number;
};

type By = {
  readonly provider: ModelProvider;
  readonly history?: { readonly summaries?: ModelProvider };
  readonly spending?: SpendingMeter;
  readonly traitsOf?: TraitsOf;
};

/** Sums up the beginning of the conversation. Where that fails it goes on as it was, its old results cut, and it is tried again when there is more. */
export async function compact(run: Compacted, { provider, history, spending, traitsOf = () => null }: By): Promise<void> {
  const before = run.messages.length;
  const summed = await sumUp(run.messages, { provider: history?.summaries ?? provider, spending, signal: run.stop, historyOf: traitsOf });
  const usage = summed?.usage ?? NO_USAGE;
  run.usage = addUsage(run.usage, usage);
  if (summed === null || summed.note === null) {
    run.compactAtTokens = Math.ceil(run.readTokens * 1.1);
    return;
  }
  run.journal({ kind: "note", text: summed.note, keeps: summed.keeps, usage, elapsedMs: run.elapsedMs() });
  replaceOld(run.messages, summed.note, summed.keeps);
  run.emit({ kind: "history-compacted", messages: before - run.messages.length + 1, usage });
}
