import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { circlesInC, readProgram, scanC, usesWithoutInclude } from "./support/laws/c-sources.ts";
import type { CFile } from "./support/laws/c-sources.ts";
import {
  ambientAuthority,
  badNames,
  computedImports,
  doorsOf,
  importCycles,
  importsThatGoUp,
  impureFiles,
  longFiles,
  packagesWithTwoDoors,
  permitsFromElsewhere,
  heavyLooks,
  slowImports,
} from "./support/laws/laws.ts";
import type { Violations } from "./support/laws/laws.ts";
import { readSources, scanSource } from "./support/laws/source-file.ts";
import type { SourceFile } from "./support/laws/source-file.ts";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const sources = readSources(root, "src");
const readJson = (path: string): unknown => JSON.parse(readFileSync(`${root}/${path}`, "utf8"));

/** A walk that finds fewer files than this has gone wrong, and would find no violation either. */
const FEWEST_FILES = 150;
const FEWEST_IMPORTS = 500;

type Law = {
  readonly name: string;
  readonly law: (files: readonly SourceFile[]) => Violations;
  /** Trees that break it, by what is wrong in them: a law that finds nothing there is blind. */
  readonly broken: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

const laws: readonly Law[] = [
  {
    name: "a layer imports only from the layers below it",
    law: importsThatGoUp,
    broken: {
      "an import from above": { "src/shell/a.ts": 'import { run } from "../gate/gate.ts";' },
      "an import between neighbours": { "src/audit/a.ts": 'import type { Card } from "../approvals/card.ts";' },
      "a folder that is in no list": { "src/extra/a.ts": "export const one = 1;" },
      "an import from the tests": { "src/cli/a.ts": 'import { clock } from "../../test/support/clock.ts";' },
      "configuration in the middle": { "src/agent/a.ts": 'export { stateDirectory } from "../config/state-directory.ts";' },
      "an import over several lines": { "src/policy/a.ts": 'import {\n  one, // "two"\n  three,\n} from "../gate/gate.ts";' },
      "an import by a call": { "src/policy/a.ts": 'const gate = await import("../gate/gate.ts");' },
      "an import for its effect": { "src/policy/a.ts": 'import "../gate/gate.ts";' },
    },
  },
  {
    name: "what decides is pure",
    law: impureFiles,
    broken: {
      "a module of Node.js": { "src/policy/a.ts": 'import { readFileSync } from "node:fs";' },
      "the same without its prefix": { "src/policy/a.ts": 'import { readFileSync } from "fs";' },
      "another module in a file with an exception": { "src/base/digest.ts": 'import { readFileSync } from "node:fs";' },
      "a clock": { "src/shell/a.ts": "export const now = () => Date.now();" },
      "the environment": { "src/programs/a.ts": 'export const home = process.env["HOME"];' },
    },
  },
  {
    name: "a package has one door",
    law: packagesWithTwoDoors,
    broken: {
      "two folders": { "src/store/a.ts": 'import Database from "better-sqlite3";', "src/audit/a.ts": 'import Database from "better-sqlite3";' },
      "a part of a package": { "src/policy/a.ts": 'import { parse } from "yaml";', "src/cli/a.ts": 'import { parse } from "yaml/util";' },
      "a schema outside the schema files": { "src/gate/decide.ts": 'import { z } from "zod";' },
    },
  },
  {
    name: "a tool has no authority of its own",
    law: ambientAuthority,
    broken: {
      files: { "src/tools/a.ts": 'import { readFile } from "node:fs/promises";' },
      processes: { "src/tools/a.ts": 'import { spawn } from "node:child_process";' },
      "a client": { "src/tools/a.ts": 'import { request } from "undici";' },
      "the engine": { "src/tools/a.ts": 'import Docker from "dockerode";' },
      "a global": { "src/tools/a.ts": 'export const get = () => fetch("http://127.0.0.1");' },
    },
  },
  {
    name: "only the gate issues permits",
    law: permitsFromElsewhere,
    broken: { made: { "src/tools/a.ts": 'const permit = new Permit("a", "b");' }, derived: { "src/agent/a.ts": "class Free extends Permit {}" } },
  },
  {
    name: "every import can be read before it runs",
    law: computedImports,
    broken: { "a computed name": { "src/tools/a.ts": "const module = await import(name);" } },
  },
  {
    name: "node:http loads nothing that nobody asked for",
    law: slowImports,
    broken: {
      "a value": { "src/sandbox/a.ts": 'import { request } from "node:http";' },
      "a value among types": { "src/sandbox/a.ts": 'import { type Server, createServer } from "node:http";' },
      "the same without its prefix": { "src/sandbox/a.ts": 'import http from "http";' },
    },
  },
  {
    name: "a look at the state loads no tools and no shell",
    law: heavyLooks,
    broken: {
      "at once": { "src/cli/commands/runs.ts": 'import { createRegistry } from "../../tools/registry.ts";' },
      "by way of another": {
        "src/cli/commands/inbox.ts": 'import { readInbox } from "../../app/inbox.ts";',
        "src/app/inbox.ts": 'import { analyse } from "../shell/analyse.ts";',
      },
    },
  },
  { name: "a file has at most 300 lines", law: longFiles, broken: { "301 lines": { "src/tools/a.ts": "// a line\n".repeat(301) } } },
  {
    name: "a file is named for its idea",
    law: badNames,
    broken: { "camel case": { "src/tools/pathFacts.ts": "" }, "nothing in particular": { "src/tools/path-helper.ts": "" } },
  },
  {
    name: "files do not import each other in a circle",
    law: importCycles,
    broken: {
      "three files": {
        "src/shell/a.ts": 'import { b } from "./b.ts";',
        "src/shell/b.ts": 'import { c } from "./c.ts";',
        "src/shell/c.ts": 'import { a } from "./a.ts";',
      },
      "a value one way, a type the other": {
        "src/shell/a.ts": 'import { b } from "./b.ts";',
        "src/shell/b.ts": 'import type { A } from "./a.ts";',
      },
    },
  },
];

describe("the walk", () => {
  test("finds the sources", () => {
    expect(sources.length).toBeGreaterThanOrEqual(FEWEST_FILES);
  });

  test("finds their imports", () => {
    expect(sources.flatMap((file) => file.imports).length).toBeGreaterThanOrEqual(FEWEST_IMPORTS);
  });

  test("resolves every relative import to a file that is there", () => {
    const paths = new Set(sources.map((file) => file.path));
    const lost = sources.flatMap((file) =>
      file.imports.filter(({ target }) => target !== null && !paths.has(target)).map(({ target }) => `${file.path}: ${target}`),
    );
    expect(lost).toEqual([]);
  });

  test("takes no import from a comment, and none away with a URL", () => {
    const file = scanSource("src/cli/a.ts", '// import { a } from "./a.ts";\n/* import "./b.ts" */\nconst url = "https://x"; import { c } from "./c.ts";');
    expect(file.imports.map(({ target }) => target)).toEqual(["src/cli/c.ts"]);
  });
});

describe.each(laws)("$name", ({ law, broken }) => {
  test("holds", () => {
    expect(law(sources)).toEqual([]);
  });

  test.each(Object.entries(broken))("is seen broken: %s", (_what, tree) => {
    expect(law(Object.entries(tree).map(([path, text]) => scanSource(path, text)))).not.toEqual([]);
  });
});

const lawsOfC: readonly { readonly name: string; readonly law: (files: readonly CFile[]) => Violations; readonly broken: Law["broken"] }[] = [
  {
    name: "files in C do not need each other in a circle",
    law: circlesInC,
    broken: {
      "two files": { "a.c": "int one(void) { return two(); }", "b.c": "int two(void) {\n  return one();\n}" },
      "a function that is handed on": { "a.c": "void one(void) { two(); }", "b.c": "void two(void) { call(one); }" },
      "a table of functions": { "a.c": "void one(void) { two(); }", "b.c": "static act *table[] = {first, one};\nvoid two(void) { table[0](); }" },
      "three files": {
        "a.c": "_Noreturn void one(const char *text) { two(1); }",
        "b.c": "enum fault two(int code) { if (three()) {} }",
        "c.c": 'bool three(void) { one(""); }',
      },
    },
  },
  {
    name: "a file in C includes what it uses",
    law: usesWithoutInclude,
    broken: {
      "no header": { "a.c": "int one(void) { return 1; }", "a.h": "int one(void);", "b.c": "int two(void) { return one(); }" },
      "a header of another file": {
        "a.c": "int one(void) { return 1; }",
        "a.h": "int one(void);",
        "b.h": '#include "a.h"',
        "b.c": '#include "b.h"\nint two(void) { one(); }',
      },
    },
  },
];

describe.each(lawsOfC)("$name", ({ law, broken }) => {
  test.each(["sandbox/supervisor", "sandbox/host"])("holds: %s", (program) => {
    const files = readProgram(root, program);
    expect(files.filter(({ defined }) => defined.size > 0).length).toBeGreaterThanOrEqual(12);
    expect(law(files)).toEqual([]);
  });

  test.each(Object.entries(broken))("is seen broken: %s", (_what, tree) => {
    expect(law(Object.entries(tree).map(([path, text]) => scanC(path, text)))).not.toEqual([]);
  });

  test("is not broken by functions of one name that nobody else sees, nor by a comment", () => {
    const tree = { "a.c": "static int one(void) { return two(); }", "b.c": "int two(void) { return 1; /* one() */ }", "c.c": "int one(void) { return 1; }" };
    expect(circlesInC(Object.entries(tree).map(([path, text]) => scanC(path, text)))).toEqual([]);
  });
});

describe("what lint holds", () => {
  const { rules, overrides } = readJson(".oxlintrc.json") as {
    rules: Record<string, unknown>;
    overrides: { files: string[]; rules: Record<string, unknown> }[];
  };

  test("functions take at most four parameters", () => {
    expect(rules["max-params"]).toEqual(["error", { max: 4 }]);
  });

  test.each([
    "typescript/no-explicit-any",
    "typescript/no-floating-promises",
    "typescript/only-throw-error",
    "typescript/switch-exhaustiveness-check",
    "import/no-cycle",
  ])("%s is an error", (rule) => {
    expect(rules[rule]).toBe("error");
  });

  test("nothing is switched off for src", () => {
    expect(overrides.filter(({ files }) => files.some((pattern) => pattern.startsWith("src") || pattern.startsWith("*")))).toEqual([]);
    const directives = sources
      .filter((file) => /(?:oxlint|eslint)-disable|@ts-(?:ignore|expect-error|nocheck)/.test(readFileSync(`${root}/${file.path}`, "utf8")))
      .map((file) => file.path);
    expect(directives).toEqual([]);
  });
});

describe("runtime dependencies", () => {
  const { dependencies } = readJson("package.json") as { dependencies: Record<string, string> };
  const doors = doorsOf(sources);

  test("are all imported by some source, and every import is a dependency", () => {
    expect([...doors.keys()].toSorted()).toEqual(Object.keys(dependencies).toSorted());
  });

  test("are pinned exactly", () => {
    expect(Object.entries(dependencies).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test("have a line in docs/dependencies.md that names the folder they are imported from", () => {
    const rows = readFileSync(`${root}/docs/dependencies.md`, "utf8").split("\n");
    const missing = [...doors].filter(
      ([name, folders]) => !rows.some((row) => row.startsWith(`| \`${name}\` |`) && [...folders].every((folder) => row.includes(`\`src/${folder}\``))),
    );
    expect(missing).toEqual([]);
  });
});
