import { isTimeZone } from "../../base/time-zone.ts";

/** The hours of each day from one time of a zone's clocks to another, over midnight where `to` is not later. In minutes since midnight. */
export type DailyHours = { readonly from: number; readonly to: number; readonly zone: string };

const TIME = String.raw`([01]\d|2[0-3]):([0-5]\d)`;
const HOURS = new RegExp(String.raw`^${TIME}-${TIME} (\S+)$`, "u");

/** Reads `22:00-06:00 Europe/Berlin`. */
export function readHours(text: string): DailyHours | { readonly fault: string; readonly remedy: string } {
  const match = HOURS.exec(text);
  if (match === null) {
    return { fault: "they are no hours of a day", remedy: "Write two times from 00:00 to 23:59 and a time zone, such as `22:00-06:00 Europe/Berlin`." };
  }
  const [, fromHour, fromMinute, toHour, toMinute, zone] = match as unknown as readonly [string, string, string, string, string, string];
  const [from, to] = [Number(fromHour) * 60 + Number(fromMinute), Number(toHour) * 60 + Number(toMinute)];
  if (from === to) return { fault: "they end as they begin", remedy: "Leave `between` out for the whole day." };
  if (!isTimeZone(zone)) return { fault: `${JSON.stringify(zone)} is no time zone`, remedy: "Write a name of the IANA database: UTC, Europe/Berlin." };
  return { from, to, zone };
}

export function hoursText({ from, to, zone }: DailyHours): string {
  return `${timeText(from)}-${timeText(to)} ${zone}`;
}

function timeText(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

/** Whether a minute of the day lies in the hours: the first one does, and the last one no more. */
export function isInHours({ from, to }: DailyHours, minute: number): boolean {
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

/** The latest moment that a calendar has, in both directions. */
const LAST_MS = 8.64e15;

const clocks = new Map<string, Intl.DateTimeFormat>();

/** The minute of the day that the clocks of a zone show. Null for what is no moment. An hour that a change of the clocks repeats is there twice. */
export function minuteOfDay(zone: string, nowMs: number): number | null {
  if (!(Math.abs(nowMs) <= LAST_MS)) return null;
  let clock = clocks.get(zone);
  if (clock === undefined) {
    clock = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    clocks.set(zone, clock);
  }
  const [hour, minute] = clock.format(nowMs).split(":");
  return Number(hour) * 60 + Number(minute);
}
