import { makeVisibleLine } from "../../base/text.ts";
import type { CallEnd, Refusal } from "../../gate/gate.ts";

const WARN_AT = 3;
const STOP_AT = 5;

/** What changes nothing in the world. */
const LOOKS: ReadonlySet<string> = new Set(["reads", "connects", "messages", "command", "call"]);

/** What a call counts as, kept with its result so that a resumed run counts on. */
export type CallMark =
  | ({ readonly kind: "refused"; readonly isLook: boolean } & Refusal)
  | { readonly kind: "succeeded"; readonly isLook: boolean }
  /** It ran and failed, or it was no call that a policy could decide. */
  | { readonly kind: "other" };

/** Reads how a call ended: whether it was refused and for which reasons, or succeeded. Pure. */
export function markOf({ kind, result, ruling, refusal, exitCode }: CallEnd): CallMark {
  const isLook = ruling?.decision.units.every(({ unit }) => LOOKS.has(unit.kind)) === true;
  if (refusal !== undefined) return { kind: "refused", ...refusal, isLook };
  return kind === "executed" && !result.isError && (exitCode ?? 0) === 0 ? { kind: "succeeded", isLook } : { kind: "other" };
}

export type RefusalVerdict =
  | { readonly kind: "fine" }
  | { readonly kind: "warn"; readonly rule: string; readonly times: number }
  | { readonly kind: "stop"; readonly rule: string; readonly times: number };

export type Refusals = {
  /** Counts one call, and says how often its reason was refused by now. */
  take(mark: CallMark): RefusalVerdict;
  /**
   * What a run that ended now would have come to nothing for: it was refused something, and nothing of that weight succeeded. Refused looks are made
   * good by any success, refused changes by a change alone. `rule`: of the last refusal.
   */
  unsuccessful(): { readonly rule: string; readonly refused: number; readonly calls: number; readonly isLook: boolean } | null;
};

/** Counts the refusals of a run from its first call on; `before`: what was kept of its calls so far. */
export function countRefusals(before: readonly CallMark[] = []): Refusals {
  const times = new Map<string, number>();
  let calls = 0;
  let refused = 0;
  let rule = "";
  let isLook = true;
  let hasLooked = false;
  let hasChanged = false;
  const take = (mark: CallMark): RefusalVerdict => {
    calls += 1;
    if (mark.kind === "succeeded") {
      hasLooked = true;
      hasChanged ||= !mark.isLook;
    }
    if (mark.kind !== "refused") return { kind: "fine" };
    refused += 1;
    ({ rule } = mark);
    isLook &&= mark.isLook;
    const most = Math.max(...mark.reasons.map((reason) => count(times, reason)));
    if (most >= STOP_AT) return { kind: "stop", rule, times: most };
    return most >= WARN_AT ? { kind: "warn", rule, times: most } : { kind: "fine" };
  };
  for (const mark of before) take(mark);
  return { take, unsuccessful: () => (refused === 0 || (isLook ? hasLooked : hasChanged) ? null : { rule, refused, calls, isLook }) };
}

function count(times: Map<string, number>, reason: string): number {
  const now = (times.get(reason) ?? 0) + 1;
  times.set(reason, now);
  return now;
}

/** What the model is told in the first line of a result, in Warder's own words alone. `instead`: what the ruling says would be allowed. */
export function refusalWarning({ rule, times }: { readonly rule: string; readonly times: number }, instead?: string): string {
  const allowed = instead === undefined ? "do something else" : `what would be allowed: ${makeVisibleLine(instead)}; do that`;
  return `refused ${times} times for the same reason (rule ${rule}); no other form of it will be allowed, and after ${STOP_AT} times the run ends; ${allowed}, or stop and say what is missing`;
}
