import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createProgress } from "../../../../src/cli/view/live/progress.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function stream(isTTY: boolean): NodeJS.WriteStream {
  return Object.assign(new PassThrough().setEncoding("utf8"), { isTTY }) as unknown as NodeJS.WriteStream;
}

test("where no spinner can turn, says each phase, and every ten quiet seconds how long it takes", () => {
  const out = stream(false);
  const progress = createProgress(out);
  progress.phase("Building the image");
  vi.advanceTimersByTime(25_000);
  progress.text("Step 1\nhalf a line");
  vi.advanceTimersByTime(10_000);
  progress.phase("Looking");
  progress.end();
  vi.advanceTimersByTime(60_000);
  expect(out.read()).toBe(
    "Building the image …\n… Building the image, 10 s\n… Building the image, 20 s\nStep 1\nhalf a line\n… Building the image, 35 s\nLooking …\n",
  );
});

test("on a terminal turns a spinner with the time of its phase, and never in the middle of a line", () => {
  const out = stream(true);
  const progress = createProgress(out);
  progress.phase("Building");
  vi.advanceTimersByTime(20_000);
  expect(String(out.read())).toMatch(/Building .*20 s/u);
  progress.text("half");
  out.read();
  vi.advanceTimersByTime(20_000);
  expect(out.read()).toBeNull();
  progress.text(" a line\u001b[2J\n");
  vi.advanceTimersByTime(5_000);
  const shown = String(out.read());
  expect(shown).toContain(" a line\\u{1b}[2J\n");
  expect(shown).toMatch(/Building .*45 s/u);
  progress.end();
  expect(String(out.read()).endsWith("\r\u001b[2K")).toBe(true);
});
