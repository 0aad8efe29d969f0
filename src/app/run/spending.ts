import { countedTokens } from "../../agent/usage.ts";
import type { SpendingMeter } from "../../agent/spending.ts";
import { left, reserve, settle, type Amounts, type Budget } from "../../budgets/budget.ts";
import { costInMicroUsd, ratesFor, type Price } from "../../providers/prices/price.ts";
import type { Message, ToolResultPart } from "../../providers/contract/message.ts";
import type { ModelRequest, Usage } from "../../providers/contract/provider.ts";

/** So many tokens an answer is let write where a limit has to be held, unless its model writes less. A turn of work is far shorter. */
const ANSWER_TOKENS = 16_000;
/** With less than this to write an answer is of no use. */
const LEAST_ANSWER_TOKENS = 256;

/** What the last answer told of how many tokens a text has. */
type Known = { readonly bytes: number; readonly tokens: number };

/** What the models of a run cost. Before an answer nobody knows which of them gives it, so the dearest counts. */
export type Pricing = {
  /** Of all models whose price is known; of each, where a limit counts money. */
  readonly all: readonly Price[];
  /** Of the model that gave the last answer; null: not known. */
  readonly answered: () => Price | null;
};

/**
 * Takes what an answer may cost at most before it is asked for, from every limit at once, and gives back what it did not cost. Where little is left
 * the answer is kept short enough.
 */
export function spendingMeter(budget: Budget, pricing: Pricing): SpendingMeter {
  let known: Known | null = null;
  const mustBound = budget.windows.some(({ meter, isSoft }) => (meter === "tokens" || meter === "cost") && !isSoft);
  return {
    reserve: (request) =>
      budget.store.exclusively(() => {
        const inputTokens = mostInputTokens(request, known);
        const longest = pricing.all.map((price) => Math.min(price.maxOutputTokens ?? ANSWER_TOKENS, room(budget, price, inputTokens)));
        const outputTokens = Math.min(ANSWER_TOKENS, room(budget, null, inputTokens), ...longest);
        const most = { inputTokens, outputTokens: Math.max(outputTokens, LEAST_ANSWER_TOKENS), cachedInputTokens: 0, isEstimated: true };
        const taken = reserve(budget, dearest(most, pricing.all));
        if (taken.kind === "spent") return { kind: "spent", reason: `Not enough is left of ${taken.window.name} for another answer.` };
        return {
          kind: "reserved",
          maxOutputTokens: mustBound ? most.outputTokens : null,
          settle: (usage) => {
            if (!usage.isEstimated) known = { bytes: bytesOf(request), tokens: usage.inputTokens };
            settle(budget, taken, amountsOf(usage, pricing.answered()));
          },
        };
      }),
  };
}

/** A meter that also says what each answer took, when that is known. */
export function recordedSpending(meter: SpendingMeter, record: (usage: Usage) => void): SpendingMeter {
  return {
    reserve: (request) => {
      const allowance = meter.reserve(request);
      if (allowance.kind === "spent") return allowance;
      const settle = (usage: Usage): void => {
        allowance.settle(usage);
        record(usage);
      };
      return { ...allowance, settle };
    },
  };
}

/** What an answer moves, in the units of the ledger. */
export function amountsOf(usage: Usage, price: Price | null): Amounts {
  return { tokens: countedTokens(usage), ...(price === null ? {} : { cost: costInMicroUsd(usage, price) }) };
}

function dearest(usage: Usage, prices: readonly Price[]): Amounts {
  const amounts = prices.map((price) => amountsOf(usage, price));
  return amounts.toSorted((one, other) => (other.cost ?? 0) - (one.cost ?? 0))[0] ?? amountsOf(usage, null);
}

/** How many tokens the limits that must be held leave for the answer itself. */
function room(budget: Budget, price: Price | null, inputTokens: number): number {
  const tokens = left(budget, "tokens", true);
  const cost = left(budget, "cost", true);
  const free = price === null ? 0 : costInMicroUsd({ inputTokens, outputTokens: 0, cachedInputTokens: 0, isEstimated: true }, price);
  const perToken = price === null ? 0 : ratesFor(price, inputTokens).outputUsd;
  return Math.min(
    tokens === null ? Number.POSITIVE_INFINITY : tokens - inputTokens,
    cost === null || perToken === 0 ? Number.POSITIVE_INFINITY : Math.floor((cost - free) / perToken),
  );
}

/**
 * A token stands for at least one byte, so a request never has more tokens than bytes; and since the last answer said how many the conversation
 * had by then, only what was added counts by its bytes.
 */
function mostInputTokens(request: ModelRequest, known: Known | null): number {
  const bytes = bytesOf(request);
  return known === null ? bytes : Math.min(bytes, known.tokens + Math.max(0, bytes - known.bytes));
}

/** More tokens than a provider counts for one image; of its bytes none are read as text. */
const IMAGE_TOKENS = 12_000;

function bytesOf({ messages, ...rest }: ModelRequest): number {
  let images = 0;
  const withoutImages = <T extends Pick<ToolResultPart, "images">>({ images: shown = [], ...part }: T): Omit<T, "images"> => {
    images += shown.length;
    return part;
  };
  const texts = messages.map((message: Message) => {
    if (message.kind === "user") return withoutImages(message);
    return message.kind === "tool" ? { ...message, results: message.results.map(withoutImages) } : message;
  });
  return Buffer.byteLength(JSON.stringify({ ...rest, messages: texts })) + images * IMAGE_TOKENS;
}
