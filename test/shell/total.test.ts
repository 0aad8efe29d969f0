import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { LIMITS } from "../../src/shell/limits.ts";
import type { CommandAnalysis } from "../../src/shell/model.ts";

const CONTEXT = { cwd: "/work/project", home: "/home/someone" };

const TOKENS = [
  "ls", "rm", "cd", "x", "f", "eval", "trap", "exec", "command", "declare", "read", "bash", "-c", "-v", "-a", "--", "=", "+=", "x=1", "x=$(id)", "f()", "{", "}", "(", ")", "((", "))",
  "[[", "]]", "[", "]", "if", "then", "else", "elif", "fi", "for", "in", "do", "done", "while", "until", "case", "esac", "select", "coproc", "time", "!", ";", ";;", ";&", "&", "&&", "|",
  "||", "|&", "\n", " ", "\t", "#", "$", "$x", "${x}", "${x:-", "${!x}", "${x@P}", "$(", "$((", "$[", "`", "'", '"', "$'", '$"', "\\", "\\\n", "<", ">", ">>", "<<E", "<<-'E'", "\nE\n",
  "<<<", "<(", ">(", ">&", "<&", "&>", "2>&1", "{x}>", "/dev/tcp/h/1", "*", "?", "~", "{a,b}", "{1..9}", "a[1]", "@(a)", "é", "\u200b", "\ud800", "\0", "\r",
];

const soup = fc.array(fc.constantFrom(...TOKENS), { maxLength: 40 }).map((tokens) => tokens.join(""));
const spaced = fc.array(fc.constantFrom(...TOKENS), { maxLength: 40 }).map((tokens) => tokens.join(" "));

function check(text: string, analysis: CommandAnalysis): void {
  expect(analysis.text).toBe(text);
  for (const effect of analysis.effects) {
    expect(effect.simple).toBeGreaterThanOrEqual(-1);
    expect(effect.simple).toBeLessThan(analysis.simples.length);
    expect(effect.cause).not.toBe("");
  }
  const spans = [...analysis.effects, ...analysis.undecidable, ...analysis.simples].map((part) => part.span);
  for (const span of spans) {
    expect(span.start).toBeGreaterThanOrEqual(0);
    expect(span.end).toBeGreaterThanOrEqual(span.start);
    expect(span.end).toBeLessThanOrEqual(text.length);
  }
  if (analysis.parse === "failed") expect(analysis.undecidable).not.toEqual([]);
}

describe("analyseCommand", () => {
  it.each([
    ["any text", fc.string({ unit: "binary", maxLength: 200 })],
    ["printable text", fc.string({ unit: "grapheme-ascii", maxLength: 200 })],
    ["shell tokens without blanks", soup],
    ["shell tokens with blanks", spaced],
  ])("answers for %s, with every span inside it", (_name, texts) => {
    fc.assert(
      fc.property(texts, (text) => check(text, analyseCommand(text, CONTEXT))),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["a text that is too long", "ls ".repeat(LIMITS.maxCharacters), "too-long"],
    ["too many open parentheses", "$(".repeat(200), "too-deep"],
    ["groups nested too deeply", `${"{ ".repeat(100)}ls; ${"}; ".repeat(100)}`, "too-deep"],
    ["scripts nested too deeply", nest(40), "too-deep"],
    ["loops that repeat too often", `${"for i in a b; do ".repeat(4)}${"ls;".repeat(4000)}${" done;".repeat(4)}`, "too-many-nodes"],
  ])("calls %s undecidable", (_name, text, code) => {
    const analysis = analyseCommand(text, CONTEXT);
    expect(analysis.undecidable.map((entry) => entry.code)).toContain(code);
    check(text, analysis);
  });

  it("reads the longest text that it accepts to its end", () => {
    const text = `${"ls;".repeat(Math.floor(LIMITS.maxCharacters / 3) - 3)}rm f`;
    const analysis = analyseCommand(text, CONTEXT);
    expect(analysis.undecidable).toEqual([]);
    expect(analysis.simples.at(-1)?.program).toBe("rm");
  });

  it("gives the same answer twice", () => {
    const text = "cd sub; x=a; for f in $x b; do cat \"$f\" > out; done";
    expect(analyseCommand(text, CONTEXT)).toEqual(analyseCommand(text, CONTEXT));
  });
});

function nest(depth: number): string {
  let text = "ls";
  for (let level = 0; level < depth; level += 1) text = `if true; then ${text}; fi`;
  return text;
}
