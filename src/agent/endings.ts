import type { Clock } from "../base/clock.ts";
import type { HookBlock } from "../gate/hooks/run-hooks.ts";
import type { Usage } from "../providers/contract/provider.ts";
import type { Answer } from "./answer.ts";
import type { Refusals } from "./calls/refusals.ts";
import type { RunEnding, RunLimits } from "./run-end.ts";
import type { TimeMeter } from "./spending.ts";
import { countedTokens } from "./usage.ts";

/** How a run ends, and why, as one sentence for a person. */
export type Ending = { readonly end: RunEnding; readonly reason: string };

/** What decides whether a run may go on. */
export type Standing = {
  readonly options: {
    readonly signal: AbortSignal;
    readonly limits: RunLimits;
    readonly time?: TimeMeter;
    readonly above?: () => Ending | null;
    readonly clock: Clock;
  };
  /** Aborts when the person cancels or the time is over. */
  readonly stop: AbortSignal;
  readonly startedMs: number;
  readonly turns: number;
  readonly usage: Usage;
};

/** The model calls nothing more: it is done, unless it was refused and came to nothing. */
export function answeredEnding(refusals: Refusals): Ending {
  const failure = refusals.unsuccessful();
  if (failure === null) return { end: { kind: "done" }, reason: "" };
  const { rule, refused, calls: all, isLook } = failure;
  const count = `${refused} of ${all} ${all === 1 ? "call was" : "calls were"} refused, the last by rule ${rule}`;
  return { end: { kind: "denied", rule }, reason: `${count}, and no other ${isLook ? "succeeded" : "changed anything"}.` };
}

/** A hook said no; a run that was cancelled meanwhile, or is out of time, ends as that. */
export function blockedEnding(standing: Standing, what: string, { hook, reason }: HookBlock): Ending {
  return reachedEnd(standing) ?? { end: { kind: "denied", rule: `hook-${hook}` }, reason: `${what}: hook ${hook}: ${reason}` };
}

/** Cancelled, or out of its own time or everybody's; null while the run may go on. */
export function reachedEnd({ options, stop, startedMs }: Standing): Ending | null {
  if (options.signal.aborted) return { end: { kind: "cancelled" }, reason: cancelReason(options.signal) };
  const { limits, time } = options;
  if (time?.signal.aborted === true) return { end: { kind: "budget" }, reason: time.reason() };
  const { minutes } = limits;
  const isLate = stop.aborted || options.clock.monotonicMs() - startedMs >= minutes * 60_000;
  return isLate ? { end: { kind: "limit", limit: "minutes" }, reason: `The run reached its limit of ${minutes} minutes.` } : null;
}

/** Who aborts may say why. */
function cancelReason({ reason }: AbortSignal): string {
  return typeof reason === "string" ? reason : "The run was cancelled.";
}

/** The same, and its limits of turns and tokens. */
export function reachedLimit(standing: Standing): Ending | null {
  const { limits, above } = standing.options;
  return reachedEnd(standing) ?? spentLimit(standing, limits) ?? above?.() ?? null;
}

/** Whether so many turns and tokens are all that a run may take. */
export function spentLimit({ turns, usage }: Pick<Standing, "turns" | "usage">, limits: RunLimits): Ending | null {
  if (turns >= limits.turns) return { end: { kind: "limit", limit: "turns" }, reason: `The run reached its limit of ${limits.turns} turns.` };
  if (countedTokens(usage) < limits.tokens) return null;
  return { end: { kind: "limit", limit: "tokens" }, reason: `The run reached its limit of ${limits.tokens} tokens.` };
}

/** Why an answer cannot be used; null when it can. */
export function brokenAnswer(standing: Standing, answer: Answer): Ending | null {
  const failed = (reason: string): Ending => ({ end: { kind: "failed", code: "provider-failed" }, reason });
  if (answer.ending.kind === "error") return { end: { kind: "failed", code: answer.ending.failure.code }, reason: answer.ending.failure.message };
  switch (answer.ending.reason) {
    case "cancelled":
      return reachedEnd(standing) ?? failed("The model's stream was cancelled by nobody.");
    case "interrupted":
      return failed("The model's answer stopped in the middle.");
    case "content-filter":
      return failed("The provider's content filter stopped the answer.");
    case "length":
      return answer.calls.length > 0 ? null : failed("The model's answer was cut at its output limit.");
    case "stop":
    case "tool-calls":
    case "other":
      return null;
  }
}
