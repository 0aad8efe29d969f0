import type { CommandRule } from "../policy.ts";
import { isOver } from "../text/day.ts";
import { hoursText, isInHours, minuteOfDay } from "../text/hours.ts";

/** What a rule's being in force depends on beside the command. */
export type Moment = {
  readonly nowMs: number;
  /** The minute of the day by the clocks of a zone; null: nobody knows. */
  readonly minuteIn: (zone: string) => number | null;
};

export function momentAt(nowMs: number): Moment {
  return { nowMs, minuteIn: (zone) => minuteOfDay(zone, nowMs) };
}

/** Why a rule that is about a command does not speak now; null: it does. At what is no moment, the stricter holds: an ask or deny speaks, an allow does not. */
export function notInForce({ verdict, expires, between }: Pick<CommandRule, "verdict" | "expires" | "between">, { nowMs, minuteIn }: Moment): string | null {
  if (verdict === "allow" && expires !== undefined && isOver(expires, nowMs)) return `expired after ${expires}`;
  if (between === undefined) return null;
  const minute = minuteIn(between.zone);
  const isIn = minute === null ? verdict !== "allow" : isInHours(between, minute);
  return isIn ? null : `speaks ${hoursText(between)} alone`;
}
