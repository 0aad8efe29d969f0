import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
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
