import { array, assert, constantFrom, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { LIMITS } from "../../src/shell/model/limits.ts";
import type { CommandAnalysis } from "../../src/shell/model/model.ts";

const CONTEXT = { cwd: "/srv/project", home: "/home/someone" };

const TOKENS = [
  "ls",
  "rm",
  "cd",
  "x",
  "f",
  "eval",
  "trap",
  "exec",
  "command",
  "declare",
  "read",
  "bash",
  "-c",
  "-v",
  "-a",
  "--",
  "=",
  "+=",
  "x=1",
  "x=$(id)",
  "f()",
  "{",
  "}",
  "(",
  ")",
  "((",
  "))",
  "[[",
  "]]",
  "[",
  "]",
  "if",
  "then",
  "else",
  "elif",
  "fi",
  "for",
  "in",
  "do",
  "done",
  "while",
  "until",
  "case",
  "esac",
  "select",
  "coproc",
  "time",
  "!",
  ";",
  ";;",
  ";&",
  "&",
  "&&",
  "|",
  "||",
  "|&",
  "\n",
  " ",
  "\t",
  "#",
  "$",
  "$x",
  "${x}",
  "${x:-",
  "${!x}",
  "${x@P}",
  "$(",
  "$((",
  "$[",
  "`",
  "'",
  '"',
  "$'",
  '$"',
  "\\",
  "\\\n",
  "<",
  ">",
  ">>",
  "<<E",
  "<<-'E'",
  "\nE\n",
  "<<<",
  "<(",
  ">(",
  ">&",
  "<&",
  "&>",
  "2>&1",
  "{x}>",
  "/dev/tcp/h/1",
  "*",
  "?",
  "~",
  "{a,b}",
  "{1..9}",
  "a[1]",
  "@(a)",
  "é",
  "\u200b",
  "\ud800",
  "\0",
  "\r",
];

const soup = array(constantFrom(...TOKENS), { maxLength: 40 }).map((tokens) => tokens.join(""));
const spaced = array(constantFrom(...TOKENS), { maxLength: 40 }).map((tokens) => tokens.join(" "));

/** What is wrong with an answer, whatever the text was. */
function faultsOf(text: string, analysis: CommandAnalysis): readonly string[] {
  const faults: string[] = [];
  if (analysis.text !== text) faults.push("another text");
  for (const effect of analysis.effects) {
    if (effect.simple < -1 || effect.simple >= analysis.simples.length) faults.push("an effect of no command");
    if (effect.cause === "") faults.push("an effect without a cause");
  }
  for (const { span } of [...analysis.effects, ...analysis.undecidable, ...analysis.simples]) {
    if (span.start < 0 || span.end < span.start || span.end > text.length) faults.push(`a span ${span.start}-${span.end}`);
  }
  if (analysis.parse === "failed" && analysis.undecidable.length === 0) faults.push("a failure without a reason");
  return faults;
}

describe("analyseCommand", () => {
  it.each([
    ["any text", string({ unit: "binary", maxLength: 200 })],
    ["printable text", string({ unit: "grapheme-ascii", maxLength: 200 })],
    ["shell tokens without blanks", soup],
    ["shell tokens with blanks", spaced],
  ])("answers for %s, with every span inside it", (_name, texts) => {
    expect(() =>
      assert(
        property(texts, (text) => faultsOf(text, analyseCommand(text, CONTEXT)).length === 0),
        { numRuns: 1000 },
      ),
    ).not.toThrow();
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
    expect(faultsOf(text, analysis)).toEqual([]);
  });

  it("reads the longest text that it accepts to its end", () => {
    const text = `${"ls;".repeat(Math.floor(LIMITS.maxCharacters / 3) - 3)}rm f`;
    const analysis = analyseCommand(text, CONTEXT);
    expect(analysis.undecidable).toEqual([]);
    expect(analysis.simples.at(-1)?.program).toBe("rm");
  });

  it.each([
    ["git", `git ${"-Ct ".repeat(3000)}status`],
    ["cd", `${"cd ttt && ".repeat(1400)}cat f`],
    ["tar", `tar -cf /dev/null ${"-C t ".repeat(2500)}f`],
  ])("does not follow %s into ever longer directories", (_name, text) => {
    const paths = analyseCommand(text, CONTEXT).effects.flatMap(({ path }) => (path?.kind === "literal" ? [path.path.length] : []));
    expect(Math.max(...paths)).toBeLessThanOrEqual(LIMITS.maxDirectoryCharacters + 2);
    expect(analyseCommand(text, CONTEXT).effects.some(({ path }) => path?.kind === "dynamic")).toBe(true);
  });

  it("does not follow a value that could fill the memory", () => {
    const words = "a ".repeat(LIMITS.maxValueCharacters);
    const analysis = analyseCommand(`x='${words}'; ls $x $x $x`, CONTEXT);
    expect(
      analysis.simples
        .at(-1)
        ?.argv.slice(1)
        .map((word) => word.kind),
    ).toEqual(["dynamic", "dynamic", "dynamic"]);
  });

  it("gives the same answer twice", () => {
    const text = 'cd sub; x=a; for f in $x b; do cat "$f" > out; done';
    expect(analyseCommand(text, CONTEXT)).toEqual(analyseCommand(text, CONTEXT));
  });
});

function nest(depth: number): string {
  let text = "ls";
  for (let level = 0; level < depth; level += 1) text = `if true; then ${text}; fi`;
  return text;
}
