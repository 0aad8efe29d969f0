import type { Policy } from "../policy.ts";
import type { Moment } from "./rule-in-force.ts";
import { endOfDayMs } from "../text/day.ts";
import { minuteOfDay } from "../text/hours.ts";

/** Of the hours that rules name in several time zones, each with each, no more are told apart. */
const MAX_MOMENTS = 200;
const DAY_MINUTES = 1440;
const MINUTE_MS = 60_000;

/** Now, and the first moment after each rule's last day that is still to come. */
export function daysOf(policies: readonly Policy[], nowMs: number): readonly number[] {
  const days = new Set(policies.flatMap(({ commands }) => commands.rules.flatMap(({ expires }) => expires ?? [])));
  const ends = [...days].map((day) => endOfDayMs(day) ?? 0).filter((end) => end > nowMs);
  return [nowMs, ...ends.toSorted((one, other) => one - other)];
}

/** Every moment that the rules tell apart: the days, each with every hour of each time zone at which a rule begins or ceases to speak. Null: they are too many. */
export function momentsOf(policies: readonly Policy[], days: readonly number[]): readonly Moment[] | null {
  let clocks: readonly ReadonlyMap<string, number>[] = [new Map()];
  for (const [zone, minutes] of turnsOf(policies)) {
    clocks = clocks.flatMap((clock) => minutes.map((minute) => new Map([...clock, [zone, minute]])));
    if (clocks.length * days.length > MAX_MOMENTS) return null;
  }
  return days.flatMap((nowMs) => clocks.map((clock): Moment => ({ nowMs, minuteIn: (zone) => clock.get(zone) ?? null })));
}

/** The next moment of each hour at which a rule begins or ceases to speak. */
export function hoursFrom(policies: readonly Policy[], nowMs: number): readonly number[] {
  const startMs = Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS;
  const found = [...turnsOf(policies)].flatMap(([zone, minutes]) => {
    const now = minuteOfDay(zone, startMs);
    return now === null ? [] : minutes.map((minute) => startMs + ((minute - now + DAY_MINUTES) % DAY_MINUTES) * MINUTE_MS);
  });
  return [...new Set(found)].toSorted((one, other) => one - other).slice(0, MAX_MOMENTS);
}

/** By time zone: the minutes of the day at which a rule begins or ceases to speak. */
function turnsOf(policies: readonly Policy[]): ReadonlyMap<string, readonly number[]> {
  const hours = policies.flatMap(({ commands }) => commands.rules.flatMap(({ between }) => between ?? []));
  const zones = Map.groupBy(hours, ({ zone }) => zone);
  return new Map([...zones].map(([zone, all]) => [zone, [...new Set(all.flatMap(({ from, to }) => [from, to]))].toSorted((one, other) => one - other)]));
}
