import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import * as everything from "../src/index.ts";
import * as library from "../src/library.ts";

const file = fileURLToPath(new URL("../src/library.ts", import.meta.url));
/** Loads a file of src/ and says how many files that took, ours and those of packages, as `node` loads them. */
const loadedBy = (name: string, then = ""): number => {
  const count = `import { registerHooks } from "node:module"; let files = 0;
    registerHooks({ load: (url, context, next) => { if (url.startsWith("file:")) files += 1; return next(url, context); } });
    const loaded = await import(${JSON.stringify(new URL(`../src/${name}`, import.meta.url).href)}); ${then}; console.log(files);`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "--eval", count], { encoding: "utf8" }));
};

test("gives all that index.ts has, under the same names", () => {
  expect(Object.keys(library).toSorted()).toEqual(Object.keys(everything).toSorted());
});

const functions = [...readFileSync(file, "utf8").matchAll(/^export const (\w+) = later\("([\w/-]+)", "(\w+)"(?:, "(\w+)")?\);$/gmu)];

test("has a line for each function", () => {
  const names = Object.keys(library).filter((name) => name !== "AgentError");
  expect(new Set(functions.map(([, name]) => name))).toEqual(new Set(names));
});

test.each(functions.map(([, name = "", of = "", given = "", there = given]) => ({ name, of, given, there })))(
  "loads for $name what index.ts has by that name",
  async ({ name, of, given, there }) => {
    const loaded = (await import(/* @vite-ignore */ `../src/${of}.ts`)) as Record<string, unknown>;
    expect(given).toBe(name);
    expect(loaded[there]).toBe((everything as Record<string, unknown>)[name]);
  },
);

test("loads next to nothing before a function is called, and of the rest what that function needs", () => {
  expect(loadedBy("library.ts")).toBeLessThanOrEqual(4);
  const tool = loadedBy("library.ts", "loaded.untrustedText('x')");
  expect(tool).toBeLessThanOrEqual(8);
  expect(loadedBy("entries/agent.ts")).toBeGreaterThan(300);
});

test("a function that is loaded late throws and returns as it does itself", () => {
  const said = execFileSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `const { AgentError, analyseCommand, loadPolicy } = await import(${JSON.stringify(new URL("../src/library.ts", import.meta.url).href)});
       try { loadPolicy("nowhere", { workspace: "/" }); } catch (error) { console.log(error instanceof AgentError, error.code); }
       console.log(JSON.stringify(analyseCommand("ls")).length > 20);`,
    ],
    { encoding: "utf8" },
  );
  expect(said).toBe("true bad-policy\ntrue\n");
});

type Entry = { readonly types: string; readonly module?: string; readonly default: string };
const { exports } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8")) as { readonly exports: Readonly<Record<string, Entry>> };
const sourceOf = (file: string): string => join(import.meta.dirname, "..", file.replace("./dist/", "src/").replace(/js$/u, "ts"));

/** What is linked before the first line of a file runs: all that it imports by name, ours and those of Node.js. */
function linkedBy(file: string): readonly string[] {
  const specifiers = [...readFileSync(file, "utf8").matchAll(/^(?:import (?!type )(?:[^"]* from )?|export (?!type )[^"]* from )"([^"]+)";$/gmu)].map(
    ([, specifier = ""]) => specifier,
  );
  return specifiers.flatMap((specifier) => (specifier.startsWith(".") ? [specifier, ...linkedBy(join(file, "..", specifier))] : [specifier]));
}

describe.each(Object.entries(exports))("the path %s of the package", (path, entry) => {
  test("links nothing that Node.js 18 lacks before it says which one is needed", () => {
    const linked = linkedBy(sourceOf(entry.default));
    expect(linked[0]).toMatch(/needs-node\.ts$/u);
    expect(linked.filter((specifier) => !/(?:needs-node|node-version|base\/errors)\.ts$|^node:module$/u.test(specifier))).toEqual([]);
  });

  test.skipIf(entry.module === undefined)("has for Node.js the names that its types have, and what a bundler gets", () => {
    const names = (file: string): string => `Object.keys(await import(${JSON.stringify(file)})).toSorted().join(" ")`;
    const same = `console.log(${names(sourceOf(entry.default))} === ${names(sourceOf(entry.module ?? ""))})`;
    expect(execFileSync(process.execPath, ["--input-type=module", "--eval", same], { encoding: "utf8" }), path).toBe("true\n");
    expect(entry.module?.replace(/\.js$/u, ".d.ts")).toBe(entry.types);
  });
});
