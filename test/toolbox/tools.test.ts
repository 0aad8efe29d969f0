import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileOf, headOf, type Kind, TOOLS } from "../../toolbox/tools.ts";

const root = join(import.meta.dirname, "../..");
const kinds = Object.keys(TOOLS) as Kind[];
const start = (...words: string[]): { readonly status: number | null; readonly text: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["toolbox/main.ts", ...words], { cwd: root, encoding: "utf8" });
  return { status, text: stdout + stderr };
};

describe("the toolbox", () => {
  test.each(kinds)("names every tool of %s, and none that is not there", (kind) => {
    const entries = readdirSync(join(root, "toolbox", kind), { withFileTypes: true });
    const names = entries.map((entry) => entry.name.replace(/\.(?:ts|sh)$/u, ""));
    expect(Object.keys(TOOLS[kind])).toEqual(names.toSorted());
    expect(names.map((name) => fileOf(kind, name))).not.toContain(null);
  });

  test.each(kinds)("lists the tools of %s with their purpose, a line each", (kind) => {
    const { status, text } = start(kind);
    expect(status).toBe(0);
    for (const [name, purpose] of Object.entries(TOOLS[kind])) expect(text.split("\n")).toContain(`  ${name.padEnd(10)} ${purpose}`);
  });

  test("starts a tool with its options, and ends as it does", () => {
    expect(start("bench", "torture")).toEqual({ status: 2, text: expect.stringContaining("FILE.tsv") });
    expect(start("fuzz", "frames", "--no-such-option")).toEqual({ status: 2, text: expect.stringContaining("--seconds") });
  });

  test.each(kinds.flatMap((kind) => Object.keys(TOOLS[kind]).map((name) => [kind, name] as const)))("%s %s says what it takes", (kind, name) => {
    expect(headOf(readFileSync(fileOf(kind, name) ?? "", "utf8"))).toContain(`npm run ${kind} -- ${name}`);
  });

  test("shows the options of a tool", () => {
    expect(start("fuzz", "reach", "--help")).toEqual({ status: 0, text: expect.stringContaining("npm run fuzz -- reach") });
  });

  test("refuses a name that it does not have, and says which there are", () => {
    expect(start("soak", "nothing")).toEqual({ status: 2, text: expect.stringContaining("parallel") });
    expect(start("soak", "toString").status).toBe(2);
  });

  test("is reached by scripts of package.json, of which a person starts at most 15", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
    for (const kind of kinds) expect(scripts[kind]).toBe(`sh scripts/with-node node toolbox/main.ts ${kind}`);
    const npms = new Set(["preinstall", "prepack"]);
    expect(Object.keys(scripts).filter((name) => !npms.has(name)).length).toBeLessThanOrEqual(15);
  });
});
