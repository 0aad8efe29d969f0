import { array, assert, constantFrom, oneof, property, string, stringMatching } from "fast-check";
import type { Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";
import { PROGRAMS } from "../../../src/programs/programs.ts";
import { readProgram } from "../../../src/shell/effects/read-program.ts";
import type { ProgramReading } from "../../../src/shell/effects/read-program.ts";
import type { SimpleCommand, Word } from "../../../src/shell/model/model.ts";

function literal(value: string): Word {
  return { kind: "literal", value, quoted: true, span: { start: 0, end: value.length } };
}

function simple(argv: readonly Word[], cwd: SimpleCommand["cwd"] = { kind: "known", path: "/w" }): SimpleCommand {
  const [first] = argv;
  const program = first?.kind === "literal" ? first.value : null;
  return { argv, program, assignments: [], redirections: [], stdin: { kind: "inherited" }, via: [], contexts: [], cwd, span: { start: 0, end: 1 } };
}

function read(words: readonly string[], texts?: ReadonlyMap<string, string | null>): ProgramReading {
  return readProgram(simple(words.map(literal)), texts === undefined ? { home: "/home/a" } : { home: "/home/a", texts });
}

const scriptsOf = (reading: ProgramReading): string[] =>
  reading.nested.map((each) => (each.kind === "script" && each.text.kind === "literal" ? each.text.value : "?"));

describe("readProgram", () => {
  it("names the word and its place in every cause", () => {
    const [effect] = read(["cat", "notes"]).effects;
    expect(effect).toMatchObject({ kind: "reads", cause: "`cat` reads `notes`", span: { start: 0, end: 5 }, path: { kind: "literal", path: "/w/notes" } });
  });

  it("resolves no relative path where the working directory is not known", () => {
    const reading = readProgram(simple([literal("cat"), literal("notes")], { kind: "unknown", reason: "cd" }), { home: "/home/a" });
    expect(reading.effects[0]?.path).toEqual({ kind: "dynamic", prefix: "" });
  });

  it("asks for package.json, and reads the scripts around the one that runs", () => {
    const first = read(["npm", "test"]);
    expect(first.needs).toEqual(["/w/package.json"]);
    expect(first.effects.map((effect) => effect.kind)).toEqual(["runs-code"]);
    const text = JSON.stringify({ scripts: { pretest: "tsc", test: "vitest run", other: "rm -rf /" } });
    const second = read(["npm", "test"], new Map([["/w/package.json", text]]));
    expect(second.effects.map((effect) => effect.kind)).toEqual(["runs-code"]);
    expect(scriptsOf(second)).toEqual(["tsc", "vitest run"]);
  });

  it.each([
    ["no JSON", "{"],
    ["no scripts", "[]"],
    ["a script that is no text", '{"scripts":{"test":1}}'],
  ])("stays at runs-code when package.json holds %s", (_, text) => {
    const reading = read(["npm", "run", "test"], new Map([["/w/package.json", text]]));
    expect(reading.effects.map((effect) => effect.kind)).toEqual(["runs-code"]);
    expect(reading.nested).toEqual([]);
  });

  it("asks for the Makefile, and reads the recipe of the target", () => {
    const text = "all: build\n\t@echo all\nbuild:\n\tgcc x.c\n\t-rm y\nclean:\n\trm -rf out\n";
    expect(read(["make"]).needs).toEqual(["/w/Makefile"]);
    expect(scriptsOf(read(["make", "build"], new Map([["/w/Makefile", text]])))).toEqual(["gcc x.c", "rm y"]);
    expect(scriptsOf(read(["make"], new Map([["/w/Makefile", text]])))).toEqual(["gcc x.c", "rm y", "echo all"]);
  });

  it("reads the recipes of what the target of make needs, first", () => {
    const text = [
      "DEPS := clean fetch",
      "all: build ; @echo all",
      "build: $(DEPS) app.o | out",
      "\t@cc -o app",
      "clean:",
      "ifdef X",
      "\trm -rf out",
      "endif",
      "fetch:: all",
      "\tcurl h.test",
      "%.o: %.c",
      "\tcc -c $<",
      "out:",
      "\t-mkdir out",
      "later: X = 1",
      "later:",
      "\techo later",
    ].join("\n");
    const recipes = (...words: string[]): unknown => scriptsOf(read(["make", ...words], new Map([["/w/Makefile", text]])));
    expect(recipes()).toEqual(["rm -rf out", "curl h.test", "cc -c $<", "mkdir out", "cc -o app", "echo all"]);
    expect(recipes("clean", "later")).toEqual(["rm -rf out", "echo later"]);
    expect(recipes("x.o")).toEqual(["cc -c $<"]);
    expect(recipes("missing")).toEqual([]);
  });

  it("hands over the command that a wrapper starts, and the words that xargs adds", () => {
    expect(read(["timeout", "-k", "3", "5", "rm", "-r", "x"]).nested).toMatchObject([
      { kind: "argv", via: "timeout", words: [{ value: "rm" }, { value: "-r" }, { value: "x" }] },
    ]);
    expect(read(["xargs", "rm"]).nested).toMatchObject([
      {
        kind: "argv",
        words: [
          { kind: "literal", value: "rm" },
          { kind: "dynamic", reason: "appended-by-wrapper" },
        ],
      },
    ]);
    expect(read(["xargs", "-I{}", "rm", "{}"]).nested).toMatchObject([{ words: [{ value: "rm" }, { kind: "dynamic", isSingle: true }] }]);
  });

  it("says when a shell reads its commands from standard input", () => {
    expect(read(["bash"]).stdinScript).toEqual({ via: "bash", dialect: "bash", operands: [] });
    expect(read(["sh", "-s", "x"]).stdinScript).toMatchObject({ operands: [{ value: "x" }] });
    expect(read(["bash", "--version"]).stdinScript).toBeUndefined();
    expect(read(["bash", "-c", "ls"]).stdinScript).toBeUndefined();
  });

  it("lets no word pass behind a program of no table, and no option that no table names", () => {
    assert(
      property(constantFrom(...PROGRAMS.names), stringMatching(/^--[a-z]{3,9}-zq[a-z]{2,5}$/), (name, option) => {
        const node = PROGRAMS.find(name);
        const { effects, nested } = read([name, option]);
        // A test takes such a word for a text, env and printf have readers of their own, and echo prints it.
        if (node === undefined || ["test", "[", "echo", "true", "false", ":", "expr", "yes"].includes(name)) return;
        expect(effects.length + nested.length).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });

  it("answers for any words of any program", () => {
    const word: Arbitrary<Word> = oneof(
      oneof(
        string({ maxLength: 12 }),
        constantFrom("-", "--", "-f", "-C", "-c", "-e", "{}", ";", "+", "if=", "a:b", "https://h/", "s/a/b/w", "@f", "-I{}", "="),
      ).map(literal),
      string({ maxLength: 6 }).map((glob): Word => ({ kind: "pattern", glob: `${glob}*`, span: { start: 0, end: 1 } })),
      string({ maxLength: 6 }).map((prefix): Word => ({ kind: "dynamic", reason: "parameter", prefix, span: { start: 0, end: 1 } })),
    );
    assert(
      property(constantFrom(...PROGRAMS.names), array(word, { maxLength: 6 }), (name, words) => {
        const { effects } = readProgram(simple([literal(name), ...words]), { home: "/home/a" });
        for (const effect of effects) expect(effect.cause).not.toBe("");
      }),
      { numRuns: 4000 },
    );
  });
});
