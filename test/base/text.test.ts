import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeVisible, makeVisibleLine, visibleJson } from "../../src/base/text.ts";

test.each([
  ["an escape sequence", "\u001b[2J", "\\u{1b}[2J"],
  ["a carriage return", "\r", "\\u{d}"],
  ["a control of the second kind", "\u009b", "\\u{9b}"],
  ["a right-to-left override", "\u202e", "\\u{202e}"],
  ["an isolate", "\u2066", "\\u{2066}"],
  ["an Arabic letter mark", "\u061c", "\\u{61c}"],
  ["a soft hyphen", "\u00ad", "\\u{ad}"],
  ["a zero-width space", "\u200b", "\\u{200b}"],
  ["a word joiner", "\u2060", "\\u{2060}"],
  ["a byte order mark", "\ufeff", "\\u{feff}"],
  ["a line separator", "\u2028", "\\u{2028}"],
  ["an annotation's anchor", "\ufff9", "\\u{fff9}"],
  ["a combining grapheme joiner", "\u034f", "\\u{34f}"],
  ["a Hangul filler", "\u3164", "\\u{3164}"],
  ["a halfwidth Hangul filler", "\uffa0", "\\u{ffa0}"],
  ["a variation selector", "\ufe0f", "\\u{fe0f}"],
  ["a selector of the supplement, which carries a byte", "\u{e0101}", "\\u{e0101}"],
  ["a tag", "\u{e0041}", "\\u{e0041}"],
])("%s becomes visible", (_name, text, visible) => {
  expect(makeVisible(`a${text}b`)).toBe(`a${visible}b`);
});

test("what is seen stays as it is, and a lone surrogate is replaced", () => {
  const text = "ls\t-l\n# größer, 日本語, العربية, é e\u0301, 😀";
  expect(makeVisible(text)).toBe(text);
  expect(makeVisible("a\ud800b")).toBe("a\ufffdb");
});

test("a line stays one line", () => {
  expect(makeVisibleLine("a\nb\tc")).toBe("a\\nb\\tc");
});

test("JSON for any output holds nothing that a terminal takes for a command, and says the same", () => {
  const value = { "a\u009b2J": ["\u001b[2J", "\u007f", "\u202e", "\u{e0041}", "\u2028", "plain é \u{1f600}"] };
  const text = visibleJson(value);
  expect(makeVisible(text)).toBe(text);
  expect(text).toContain("plain é \u{1f600}");
  expect(JSON.parse(text)).toEqual(value);
  const lines = visibleJson(value, 2);
  expect(lines).toMatch(/^\{\n {2}"a\\u009b2J": \[\n {4}"\\u001b\[2J",\n/u);
  expect(makeVisible(lines)).toBe(lines);
  expect(JSON.parse(lines)).toEqual(value);
});

test("no command prints JSON in another way", () => {
  const folder = join(import.meta.dirname, "..", "..", "src", "cli");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(30);
  const printing = files.filter((name) => /write\([^;]*JSON\.stringify/u.test(readFileSync(join(folder, name), "utf8")));
  expect(printing).toEqual([]);
});
