import type { CommandRule, Policy } from "../policy.ts";
import { type PolicyDiagnostic, warningAt } from "../text/diagnostic.ts";
import { oncePerGroup } from "../matching/rule-words.ts";
import { endOfDayMs, isOver } from "../text/day.ts";

const DAY_MS = 86_400_000;
/** So many days before a rule expires it is told. */
const NOTICE_DAYS = 14;

/** The rules that have expired by a moment, and those that will within two weeks of it. */
export function expiryHints({ commands: { rules } }: Policy, nowMs: number): readonly PolicyDiagnostic[] {
  return oncePerGroup(rules).flatMap((rule) => {
    const { id, verdict, expires, at } = rule;
    if (expires === undefined) return [];
    const remedy = `${verdict === "allow" ? "Take it out, or move its day after a review" : "Take it out, or leave `expires` out"}${askedOf(rule)}.`;
    if (isOver(expires, nowMs)) {
      const effect = verdict === "allow" ? "it no longer speaks" : `it still speaks, because ${verdict === "ask" ? "an ask" : "a deny"} never ends by itself`;
      return [
        warningAt(at, "expired", `The rule \`${id}\` expired after ${expires}: ${effect}.`, { remedy, ...(verdict === "allow" ? { fix: "remove-item" } : {}) }),
      ];
    }
    if (!isOver(expires, nowMs + NOTICE_DAYS * DAY_MS)) return [];
    const days = Math.ceil(((endOfDayMs(expires) ?? nowMs) - nowMs) / DAY_MS);
    return [warningAt(at, "expires-soon", `The rule \`${id}\` expires after ${expires}, in ${days === 1 ? "a day" : `${days} days`}.`, { remedy })];
  });
}

function askedOf({ owner }: CommandRule): string {
  return owner === undefined ? "" : `; ${owner} answers for it`;
}
