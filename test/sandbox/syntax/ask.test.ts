import { readFileSync, readlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { askSyntax } from "../../../src/sandbox/syntax/ask.ts";
import { LANGUAGES, languageOf } from "../../../src/sandbox/syntax/languages.ts";
import type { SourceText } from "../../../src/sandbox/syntax/task.ts";

const { signal } = new AbortController();
const source = (path: string, text: string): SourceText => ({ path, text, language: languageOf(path) ?? "" });
/** On a busy machine a second of processor time is many by the clock. */
const PATIENT_MS = 600_000;
const outline = (...files: readonly SourceText[]) => askSyntax({ kind: "outline", files }, signal, PATIENT_MS);

/** A small text of each language, and what it defines: `kind name@depth`. */
const DEFINED: Readonly<Record<string, readonly [string, string, readonly string[]]>> = {
  bash: ["a.sh", "X=1\nfoo() {\n  local y=2\n}\n", ["variable X@0", "function foo@0"]],
  c: ["a.c", "#define M 1\nstruct S { int a; };\nstatic int *foo(struct S *s) { return 0; }\n", ["macro M@0", "struct S@0", "function foo@0"]],
  cpp: [
    "a.cpp",
    "namespace n { class A { int m() { return 1; } }; }\nint n::A::k() { return 2; }\n",
    ["namespace n@0", "class A@1", "function m@2", "function n::A::k@0"],
  ],
  csharp: ["a.cs", "class A { int P { get; } void M() {} }\n", ["class A@0", "property P@1", "method M@1"]],
  css: ["a.css", ".a, #b > c { color: red }\n", ["rule .a, #b > c@0"]],
  go: ["a.go", "package p\nconst A = 1\ntype T struct{}\nfunc (t *T) M() { q := 1; _ = q }\n", ["constant A@0", "type T@0", "method M@0"]],
  ini: ["a.ini", "[one]\nkey = v\n", ["section one@0", "setting key@1"]],
  java: ["A.java", "class A { int f = 1; A() {} void m() {} }\n", ["class A@0", "field f@1", "constructor A@1", "method m@1"]],
  javascript: ["a.js", "export const f = () => 1;\nfunction g() { const local = 1; }\n", ["function f@0", "function g@0"]],
  php: ["a.php", "<?php\nclass C { const X = 2; function m() {} }\n", ["class C@0", "constant X@1", "method m@1"]],
  powershell: ["a.ps1", "function Get-Foo { }\nclass C { [void] M() { } }\n", ["function Get-Foo@0", "class C@0", "method M@1"]],
  python: ["a.py", "X = 1\nclass C:\n  z = 3\n  async def m(self):\n    pass\n", ["variable X@0", "class C@0", "function m@1"]],
  ruby: ["a.rb", "module M\n  class C < B\n    def self.s; end\n  end\nend\n", ["module M@0", "class C@1", "method s@2"]],
  rust: ["a.rs", "impl T for S<u8> { fn r(&self) {} }\nmacro_rules! mm { () => {} }\n", ["impl T for S<u8>@0", "function r@1", "macro mm@0"]],
  tsx: ["a.tsx", "export const App = (p: P) => <div>{p.x}</div>;\n", ["function App@0"]],
  typescript: ["a.ts", "interface I { m(): void }\nnamespace N { export enum E { A } }\n", ["interface I@0", "method m@1", "namespace N@0", "enum E@1"]],
};

test("each language tells what its files define", async () => {
  expect(Object.keys(DEFINED)).toEqual(Object.keys(LANGUAGES));
  const answers = await outline(...Object.values(DEFINED).map(([path, text]) => source(path, text)));
  const told = answers.map(({ definitions, hasErrors }) => [hasErrors, ...definitions.map(({ kind, name, depth }) => `${kind} ${name}@${depth}`)]);
  expect(told).toEqual(Object.values(DEFINED).map(([, , defined]) => [false, ...defined]));
});

test("a pattern of code is searched for in JavaScript, JSX, TypeScript and CSS, and not in comments", async () => {
  const files = {
    "a.js": "f(1);\n// f(2)\nf(3);\n",
    "a.jsx": "const a = <p>{f(1)}</p>;\n// f(2)\nf(3);\n",
    "a.ts": "const a = <string>f(1);\n// f(2)\nf(3);\n",
    "a.tsx": "const a = <p>{f(1)}</p>;\n// f(2)\nf(3 as number);\n",
  };
  const style = source("a.css", "a { color: red }\n/* a { color: blue } */\na { color: blue }\n");
  const find = (pattern: string, of: readonly SourceText[]) => askSyntax({ kind: "pattern", pattern, rewrite: null, files: of }, signal, PATIENT_MS);
  const found = [
    ...(await find(
      "f($A)",
      Object.entries(files).map(([path, text]) => source(path, text)),
    )),
    ...(await find("a { color: $A }", [style])),
  ];
  expect(found.map(({ path, problem, uses }) => [path, problem, ...uses.map(({ line }) => line)])).toEqual(
    [...Object.keys(files), "a.css"].map((path) => [path, null, 1, 3]),
  );
});

describe("what reads source text that somebody else wrote", () => {
  test("answers for each file, whatever one of them is", async () => {
    const text = 2 ** 20;
    const hostile = [
      source("time.rb", "%q(".repeat(text / 3)),
      source("memory.ts", "a<".repeat(text / 2)),
      source("depth.ts", "class A{".repeat(text / 8)),
      source("many.css", "a{}".repeat(text / 8)),
      source("unpaired.ts", "\ud800function x(){}"),
      source("__proto__", ""),
    ];
    const files = [...hostile, source("sound.ts", "function sound() {}")];
    const answers = await outline(...files);
    expect(answers.map(({ path }) => path)).toEqual(files.map(({ path }) => path));
    expect(answers.map(({ problem }) => problem)).toEqual([
      "it took too long to parse",
      expect.stringMatching(/^it cannot be parsed|^it took too long/u),
      ...(answers[2]?.problem === null ? [null] : ["it took too long to parse"]),
      null,
      null,
      "its language is not one that can be read",
      null,
    ]);
    expect(answers[2]?.definitions.length).toBeLessThan(20);
    expect(answers[3]).toMatchObject({ isCut: true });
    expect(answers.at(-1)?.definitions).toMatchObject([{ kind: "function", name: "sound" }]);
  });

  test("tells how deep a definition lies to a depth that can be shown", async () => {
    const [answer] = await outline(source("nested.ts", `${"namespace N {".repeat(40)}${"}".repeat(40)}`));
    expect(Math.max(...(answer?.definitions ?? []).map(({ depth }) => depth))).toBe(16);
  });

  test("has no root, no more memory and time than it was given, and ends with the call that asked", async () => {
    const ending = new AbortController();
    const asked = askSyntax({ kind: "outline", files: [source("time.rb", "%q(".repeat(2 ** 18)), source("a.ts", "")] }, ending.signal);
    await expect.poll(() => parsers().some((pid) => /^Uid:\t(?!0\t)/mu.test(readFileSync(`/proc/${pid}/status`, "utf8"))), { timeout: 20_000 }).toBe(true);
    const [pid = ""] = parsers();
    expect(readFileSync(`/proc/${pid}/limits`, "utf8")).toMatch(/^Max cpu time +25 .*\nMax file size +0 .*\nMax data size +1073741824 /mu);
    expect(readFileSync(`/proc/${pid}/status`, "utf8")).toMatch(/^CapEff:\t0000000000000000$/mu);
    expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain("PATH=");
    ending.abort();
    expect((await asked).map(({ problem }) => problem)).toEqual(["there was no time left for it", "there was no time left for it"]);
    expect(parsers()).toEqual([]);
  });
});

/** The processes that this one started for it. */
function parsers(): readonly string[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").split(" ").filter(Boolean);
  return children.filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/exe`) === process.execPath && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("syntax/process");
    } catch (error) {
      void error;
      return false;
    }
  });
}
