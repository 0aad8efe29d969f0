import { expect, test } from "vitest";
import { hoursText, isInHours, minuteOfDay, readHours, type DailyHours } from "../../../src/policy/text/hours.ts";

const hours = (text: string): DailyHours => {
  const read = readHours(text);
  if ("fault" in read) throw new Error(read.fault);
  return read;
};

test("hours are written as they were read", () => {
  for (const text of ["22:00-06:00 Europe/Berlin", "00:00-23:59 UTC", "09:05-17:30 America/Argentina/Buenos_Aires"]) expect(hoursText(hours(text))).toBe(text);
});

test.each([
  "",
  "22-06 UTC",
  "22:00-06:00",
  "22:00 - 06:00 UTC",
  "22:60-06:00 UTC",
  "24:00-06:00 UTC",
  "22:00-06:00 UTC UTC",
  " 22:00-06:00 UTC",
  "22:00-06:00 UTC\n",
  "22:00-06:00 -01:00",
  "22:00-06:00 Mars/Olympus",
  "22:00-06:00 __proto__",
  "06:00-06:00 UTC",
  "２２:00-06:00 UTC",
])("no hours: %j", (text) => {
  expect(readHours(text)).toHaveProperty("fault");
});

test("every minute of a day is in the hours or in those that are left", () => {
  const [night, day] = [hours("22:00-06:00 UTC"), hours("06:00-22:00 UTC")];
  const minutes = Array.from({ length: 1440 }, (_, minute) => minute);
  expect(minutes.filter((minute) => isInHours(night, minute) === isInHours(day, minute))).toEqual([]);
  expect(minutes.filter((minute) => isInHours(night, minute))).toHaveLength(480);
});

test("the minute is the one that the zone's clocks show, over a change of the clocks too", () => {
  const at = (moment: string, zone = "Europe/Berlin"): number | null => minuteOfDay(zone, Date.parse(moment));
  expect([at("2027-03-28T00:59:00Z"), at("2027-03-28T01:00:00Z")]).toEqual([119, 180]);
  expect([at("2027-10-31T00:30:00Z"), at("2027-10-31T01:30:00Z")]).toEqual([150, 150]);
  expect([at("2027-01-01T00:00:00Z", "UTC"), at("2027-01-01T00:00:00Z", "Asia/Kathmandu")]).toEqual([0, 345]);
});

test.each([Number.NaN, Infinity, -Infinity, 9e15, -9e15])("what is no moment has no minute: %d", (ms) => {
  expect(minuteOfDay("UTC", ms)).toBeNull();
});
