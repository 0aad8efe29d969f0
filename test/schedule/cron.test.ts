import { readFileSync } from "node:fs";
import { Cron as Croner } from "croner";
import { describe, expect, test } from "vitest";
import { readCron } from "../../src/schedule/cron.ts";
import { whatIsDue } from "../../src/schedule/due.ts";
import { isWhole, sliceOf } from "../support/extent.ts";

type HardCase = { readonly name: string; readonly cron: string; readonly zone: string; readonly after: string; readonly due: readonly string[] };

const HARD_CASES = JSON.parse(readFileSync(new URL("../vectors/schedule/hard-cases.json", import.meta.url), "utf8")) as readonly HardCase[];

describe("what a person expects of clocks that change", () => {
  test.each(HARD_CASES)("$name", ({ cron, zone, after, due }) => {
    const read = readCron(cron, zone);
    const found: string[] = [];
    for (let at: number | null = Date.parse(after); found.length < due.length; found.push(new Date(at).toISOString().replace(":00.000Z", "Z"))) {
      at = read.next(at);
      if (at === null) break;
    }
    expect(found).toEqual(due);
  });

  test("there are enough of them", () => {
    expect(HARD_CASES.length).toBeGreaterThanOrEqual(30);
  });
});

describe("what is no job's time", () => {
  test.each([
    ["", "0 fields"],
    ["* * * *", "4 fields"],
    ["* * * * * *", "6 fields"],
    ["60 * * * *", "minute"],
    ["* 24 * * *", "hour"],
    ["* * 0 * *", "day"],
    ["* * * 13 *", "month"],
    ["* * * * 8", "day"],
    ["a * * * *", "no cron expression"],
    ["*/0 * * * *", ""],
    ["0 0 30 2 *", "never due"],
    ["@reboot", "1 fields"],
    ["0 0 * * *\n* * * * *", "10 fields"],
  ])("%j", (expression, why) => {
    expect(() => readCron(expression, "UTC")).toThrow(expect.objectContaining({ code: "usage", message: expect.stringContaining(why) }));
  });

  test.each(["Mars/Olympus", "", "+02:00", "Europe/Berlin; x"])("no time zone: %j", (zone) => {
    expect(() => readCron("0 0 * * *", zone)).toThrow(expect.objectContaining({ code: "usage", message: expect.stringContaining("time zone") }));
  });
});

const START_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

/** The moments that a schedule runs for when it is asked every `stepMs`, over a year. */
function simulatedYear(expression: string, zone: string, stepMs: number): readonly number[] {
  const cron = readCron(expression, zone);
  const ran: number[] = [];
  let afterMs = START_MS;
  for (let step = 1; afterMs < START_MS + YEAR_MS && (step - 1) * stepMs < YEAR_MS; step += 1) {
    const nowMs = Math.min(START_MS + step * stepMs, START_MS + YEAR_MS);
    const { at, missed } = whatIsDue({ cron, name: "job", catchUp: "once", jitterMs: 0, afterMs, nowMs });
    expect(missed).toBeNull();
    if (at === null) continue;
    ran.push(at);
    afterMs = at;
  }
  return ran;
}

function expectedYear(expression: string, timezone: string): readonly number[] {
  const cron = new Croner(expression, { timezone, mode: "5-part", paused: true });
  const moments: number[] = [];
  for (let at = cron.nextRun(new Date(START_MS)); at !== null && at.getTime() <= START_MS + YEAR_MS; at = cron.nextRun(at)) moments.push(at.getTime());
  return moments;
}

/** How far a zone's clocks are from UTC in each hour of the year: all that a schedule knows of a zone. */
function hoursOf(timeZone: string): string {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  const offsets: string[] = [];
  for (let atMs = START_MS; atMs < START_MS + YEAR_MS; atMs += HOUR_MS) {
    const offset = format.format(atMs).split(" ").at(-1) ?? "";
    if (offset !== offsets.at(-1)?.split("@")[0]) offsets.push(`${offset}@${atMs}`);
  }
  return offsets.join(" ");
}

describe("a simulated year", () => {
  const zones = sliceOf(Intl.supportedValuesOf("timeZone"), 40);

  test("in every time zone runs at each moment of the clock library, and at no other", { timeout: 900_000 }, () => {
    expect(zones.length).toBeGreaterThan(isWhole ? 300 : 9);
    for (const zone of zones) expect(simulatedYear("30 2 * * 0", zone, 6 * 86_400_000), zone).toEqual(expectedYear("30 2 * * 0", zone));
  });

  test("on every day of it in every time zone, each among those whose clocks show the same in each hour of the year", { timeout: 1_800_000 }, () => {
    const alike = Map.groupBy(zones, hoursOf);
    expect([...alike.values()].flat()).toHaveLength(zones.length);
    expect(alike.size).toBeGreaterThan(isWhole ? 50 : 7);
    for (const [zone = ""] of alike.values()) expect(simulatedYear("30 2 * * *", zone, 12 * HOUR_MS), zone).toEqual(expectedYear("30 2 * * *", zone));
  });

  test.each(["0 0 1,15 * *", "0 12 29 2 *", "@monthly"])("of %s where clocks change in many ways", (expression) => {
    for (const zone of ["Europe/Berlin", "Australia/Lord_Howe", "Africa/Cairo", "America/Santiago"])
      expect(simulatedYear(expression, zone, 10 * 86_400_000), zone).toEqual(expectedYear(expression, zone));
  });
});
