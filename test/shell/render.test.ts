import { execFileSync } from "node:child_process";
import { array, assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { commandText, quoteArgv, renderCommand } from "../../src/shell/render.ts";

const CONTEXT = { cwd: "/srv/project", home: "/home/someone" };

describe("quoteArgv", () => {
  it("leaves plain words as they are", () => {
    expect(quoteArgv(["git", "log", "-n", "1", "src/a.ts", "a@b:c,d%+"])).toBe("git log -n 1 src/a.ts a@b:c,d%+");
  });

  it("is read back as the same words by the analysis", () => {
    assert(
      property(array(string({ unit: "grapheme-ascii", maxLength: 12 }), { minLength: 1, maxLength: 5 }), (words) => {
        const analysis = analyseCommand(quoteArgv([":", ...words]), CONTEXT);
        expect(analysis.simples[0]?.argv.slice(1).map((word) => (word.kind === "literal" ? word.value : null))).toEqual(words);
      }),
    );
  });

  it("is read back as the same words by bash", () => {
    const words = ["", "a b", "it's", '"', "$x", "`id`", "\\", "!", "*", "~", "{a,b}", "#", "a\nb", "é", "-n", ";", "<", "&", "'\"'"];
    const printed = execFileSync("/bin/bash", ["--norc", "--noprofile", "-c", `printf '%s\\0' ${quoteArgv(words)}`], { encoding: "utf8" });
    expect(printed.split("\0").slice(0, -1)).toEqual(words);
  });
});

describe("commandText", () => {
  it("takes one word for a text, and several for the words that they are", () => {
    expect(["a && b", "npm test"].map((text) => commandText([text]))).toEqual(["a && b", "npm test"]);
    expect(commandText(["npm", "test", "--", "--run=a"])).toBe("npm test -- --run=a");
    expect(commandText(["bash", "-c", 'echo "a b" | wc; it\'s'])).toBe(String.raw`bash -c 'echo "a b" | wc; it'\''s'`);
    expect(commandText(["CI=1", "NAME=b=$c\nd", "npm", "test", "NAME=b c"])).toBe("CI=1 NAME='b=$c\nd' npm test 'NAME=b c'");
  });

  it("is read back as the same words by bash, and by the analysis", () => {
    const words = ["printf", "%s\\0", "", "a b", "it's", '"', "$x", "`id`", "\\", "!", "*", "~", "{a,b}", "#", "a\nb", "é", "-n", ";", "<", "&", "'\"'", "a=b"];
    const printed = execFileSync("/bin/bash", ["--norc", "--noprofile", "-c", commandText(words)], { encoding: "utf8" });
    expect(printed.split("\0").slice(0, -1)).toEqual(words.slice(2));
    const { simples } = analyseCommand(commandText(words), CONTEXT);
    expect(simples.map(({ argv }) => argv.map((word) => (word.kind === "literal" ? word.value : null)))).toEqual([words]);
  });
});

describe("renderCommand", () => {
  const render = (text: string): readonly string[] => analyseCommand(text, CONTEXT).simples.map(renderCommand);

  it("shows known values and quotes them", () => {
    expect(render("x='a b'; ls \"$x\" ~/f")).toEqual(["ls 'a b' /home/someone/f"]);
  });

  it("shows what is not known as such", () => {
    expect(render('cat "src/$x" $(id)')).toEqual(["id", "cat src/‹parameter› ‹command-substitution›"]);
  });

  it("shows assignments and redirections", () => {
    expect(render("CI=1 ls *.c 2>&1 >> 'o ut' < in")).toEqual(["CI=1 ls *.c 2>&1 >> 'o ut' < in"]);
  });
});
