import { makeVisibleLine } from "../../base/text.ts";
import type { CallEnd, DelegatedWork, Refusal } from "../../gate/gate.ts";

const WARN_AT = 3;
const STOP_AT = 5;

/** What changes nothing in the world. */
const LOOKS: ReadonlySet<string> = new Set(["reads", "connects", "messages", "command", "call"]);

/** What a call counts as, kept with its result so that a resumed run counts on. */
export type CallMark =
  | ({ readonly kind: "refused"; readonly isLook: boolean } & Refusal)
  | { readonly kind: "succeeded"; readonly isLook: boolean }
  /** Sub-agents worked: each counts as one that did all that it did. */
  | { readonly kind: "delegated"; readonly works: readonly DelegatedWork[] }
  /** It ran and failed, or it was no call that a policy could decide. */
  | { readonly kind: "other" };

/** Reads how a call ended: whether it was refused and for which reasons, or succeeded. Pure. */
export function markOf({ kind, result, ruling, refusal, exitCode, delegated }: CallEnd): CallMark {
  if (delegated !== undefined) return { kind: "delegated", works: delegated };
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
  const refuse = (refusal: Refusal & { readonly isLook: boolean }): RefusalVerdict => {
    refused += 1;
    ({ rule } = refusal);
    isLook &&= refusal.isLook;
    const most = Math.max(...refusal.reasons.map((reason) => count(times, reason)));
    if (most >= STOP_AT) return { kind: "stop", rule, times: most };
    return most >= WARN_AT ? { kind: "warn", rule, times: most } : { kind: "fine" };
  };
  const take = (mark: CallMark): RefusalVerdict => {
    calls += 1;
    if (mark.kind === "delegated") return takeDelegated(mark.works);
    if (mark.kind === "succeeded") {
      hasLooked = true;
      hasChanged ||= !mark.isLook;
    }
    return mark.kind === "refused" ? refuse(mark) : { kind: "fine" };
  };
  const takeDelegated = (works: readonly DelegatedWork[]): RefusalVerdict => {
    hasLooked ||= works.some((work) => work.hasLooked);
    hasChanged ||= works.some((work) => work.hasChanged);
    const verdicts = works.flatMap(({ refusals }) => refusals).map(refuse);
    return verdicts.reduce<RefusalVerdict>((most, each) => (timesOf(each) > timesOf(most) ? each : most), { kind: "fine" });
  };
  for (const mark of before) take(mark);
  return { take, unsuccessful: () => (refused === 0 || (isLook ? hasLooked : hasChanged) ? null : { rule, refused, calls, isLook }) };
}

/** What the calls of a run came to, as it counts for the run that it is a sub-agent of: each reason once, however often it was refused. */
export function workOf(marks: readonly CallMark[]): DelegatedWork {
  const inner = marks.flatMap((mark) => (mark.kind === "delegated" ? mark.works : []));
  const own = marks.flatMap((mark) => (mark.kind === "refused" ? [{ rule: mark.rule, reasons: mark.reasons, isLook: mark.isLook }] : []));
  const seen = new Set<string>();
  const refusals = [...own, ...inner.flatMap((work) => work.refusals)].flatMap((refusal) => {
    const reasons = refusal.reasons.filter((reason) => !seen.has(reason));
    for (const reason of reasons) seen.add(reason);
    return reasons.length === 0 ? [] : [{ ...refusal, reasons }];
  });
  return {
    refusals,
    hasLooked: marks.some(({ kind }) => kind === "succeeded") || inner.some((work) => work.hasLooked),
    hasChanged: marks.some((mark) => mark.kind === "succeeded" && !mark.isLook) || inner.some((work) => work.hasChanged),
  };
}

const timesOf = (verdict: RefusalVerdict): number => (verdict.kind === "fine" ? 0 : verdict.times);

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
