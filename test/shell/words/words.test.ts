import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { analyseCommand } from "../../../src/shell/analyse.ts";

// An empty directory: a pattern in it matches nothing.
const directory = realpathSync(mkdtempSync(join(tmpdir(), "words-")));
afterAll(() => rmSync(directory, { recursive: true }));
const HOME = "/home/someone";

/** The words that bash makes of the arguments, after `setup` ran. */
function wordsOfBash(setup: string, text: string): readonly string[] {
  const script = `${setup}\nprintf '%s\\0' . ${text}`;
  const printed = execFileSync("/bin/bash", ["--norc", "--noprofile", "-c", script], {
    cwd: directory,
    env: { HOME, PATH: "/usr/bin:/bin" },
    encoding: "utf8",
  });
  return printed.split("\0").slice(1, -1);
}

function wordsOfAnalysis(setup: string, text: string): readonly (string | null)[] {
  const analysis = analyseCommand(`${setup}\nprintf '%s\\0' . ${text}`, { cwd: directory, home: HOME });
  expect(analysis.undecidable).toEqual([]);
  const argv = analysis.simples.at(-1)?.argv.slice(3) ?? [];
  return argv.map((word) => (word.kind === "literal" ? word.value : null));
}

const SETUP = "one=a two='b c' none= path=src/lib/name.test.ts n=7 lines=$'x\\ny'";

describe("the words of a command", () => {
  it.each([
    "plain 'single quoted' \"double quoted\" mixed'a b'\"c d\"e",
    "'' \"\" x''y ''\"\"",
    '\\a \\\\ a\\ b "\\a" "\\$x" "\\\\" "\\`" \'\\a\'',
    "$'a\\tb' $'it\\'s' $'\\x41\\u0042\\103' $'\\\\'",
    '$one "$one" ${one} "${one}x" x$one\'$one\'',
    '$two "$two" x$two x"$two"y',
    "$none \"$none\" x$none ''$none $none$none",
    '$lines "$lines"',
    "~ ~/x ~/'a b' a~ a/~ \\~ '~' \"~\" x=~ x=~/y:~/z x:~ --x=~/y",
    '$HOME "$HOME/x" $PWD "${PWD}" ~+ ~+/x',
    "{a,b} x{a,b}y {a,b}{c,d} {a,{b,c}} {a,'b c'} {,x} {a} {} a{b {1..3} {3..1} {a..c} x{1..2}y",
    "'{a,b}' \"{a,b}\" \\{a,b} $one{a,b}",
    '${one:-x} ${none:-x} ${none-x} ${one:+x} "${none:+x}" ${none:+x}',
    "${path##*/} ${path#*/} ${path%.*} ${path%%.*} ${path%.ts} ${path%.js} ${path#src/}",
    "${path:4} ${path:0:3} ${path:100} ${one^^} ${path/./_} ${path//./_}",
    "a#b '#' \"#\" \\# a=b =",
    "! [ ] a! } x}",
    "\"a\nb\" 'c d'",
    "@ % ^ , . / : + - _ =x",
  ])("are those of bash for %s", (text) => {
    const known = wordsOfBash(SETUP, text);
    const words = wordsOfAnalysis(SETUP, text);
    // What the analysis leaves open may be any number of words; where it leaves nothing open, it must be exact.
    const isOpen = words.includes(null);
    expect(isOpen ? words.filter((word) => word !== null && !known.includes(word)) : words).toEqual(isOpen ? [] : known);
  });

  it("are known for nearly all of the above", () => {
    expect(wordsOfAnalysis(SETUP, '$two "$two" ~/x x=~/y {a,b} ${path##*/}')).toEqual([
      "b",
      "c",
      "b c",
      "/home/someone/x",
      "x=/home/someone/y",
      "a",
      "b",
      "name.test.ts",
    ]);
  });
});
