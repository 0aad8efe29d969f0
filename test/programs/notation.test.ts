import { describe, expect, it } from "vitest";
import type { ProgramNode } from "../../src/programs/table.ts";
import { createCatalogue } from "../../src/programs/catalogue.ts";

function catalogue(...lines: string[]): ReturnType<typeof createCatalogue> {
  return createCatalogue([{ file: "sample.ts", text: `\n${lines.join("\n")}\n` }]);
}

function table(...lines: string[]): ProgramNode {
  const name = (lines.find((line) => !line.startsWith("#") && !line.startsWith("@")) ?? "").split(" ")[0] ?? "";
  const node = catalogue(...lines).find(name);
  if (node === undefined) throw new Error(`no table of ${name}`);
  return node;
}

describe("the notation of tables", () => {
  it("reads operands, effects, traits and options of a line", () => {
    const node = table("copy : read* write !history@1 inert | -[ab] -t,--target=write>read!writes");
    expect(node.operands).toEqual([
      { role: "read", repeats: true },
      { role: "write", repeats: false },
    ]);
    expect(node.effects).toEqual([{ kind: "history", from: 1, isLifted: true, through: null }]);
    expect(node.traits.has("inert")).toBe(true);
    expect([...node.options.keys()]).toEqual(["-a", "-b", "-t", "--target"]);
    expect(node.options.get("--target")).toMatchObject({ value: { kind: "role", role: "write", isOptional: false }, effects: ["writes"], operandRole: "read" });
  });

  it("reads through which files of a project an effect comes about", () => {
    expect(table("p : !runs-code/rust !writes@1/ruff").effects).toEqual([
      { kind: "runs-code", from: 0, isLifted: false, through: "rust" },
      { kind: "writes", from: 1, isLifted: true, through: "ruff" },
    ]);
    expect(() => table("p : !runs-code/rusty")).toThrow('unknown kind of project "rusty"');
  });

  it("reads optional values, lists of values and values of two words", () => {
    const node = table("p : | --color=text? --when=(always|never) -w=(false)+ --arg=text=read -i=text?>write --list~ -e=text^");
    expect(node.options.get("--color")?.value).toMatchObject({ isOptional: true });
    expect(node.options.get("--when")?.value).toEqual({ isAttached: false, kind: "one-of", values: ["always", "never"], isOptional: false });
    expect(node.options.get("-w")?.value).toMatchObject({ isAttached: true, values: ["false"] });
    expect(node.options.get("--arg")?.value).toMatchObject({ role: "text", second: "read" });
    expect(node.options.get("-i")?.operandRole).toBe("write");
    expect(node.options.get("--list")?.isListing).toBe(true);
    expect(node.options.get("-e")?.suppliesFirst).toBe(true);
  });

  it("gives each subcommand its own options, and what is inherited to all of them", () => {
    const node = table("p : | --own || --shared", "  group :", "    list show : | -l", "  put* : !remote");
    const list = node.children.get("group")?.children.get("list");
    expect([...(list?.options.keys() ?? [])].toSorted()).toEqual(["--shared", "-l"]);
    expect(node.options.has("--own")).toBe(true);
    expect(node.beginnings[0]?.prefix).toBe("put");
  });

  it("takes a group that a path passed through for one that is still to be defined, once", () => {
    const node = table("p :", "  group/list : text", "  group : !remote");
    expect(node.children.get("group")?.effects).toEqual([{ kind: "remote", from: 0, isLifted: false, through: null }]);
    expect(node.children.get("group")?.children.get("list")?.operands).toEqual([{ role: "text", repeats: false }]);
    expect(() => catalogue("p :", "  group/list : text", "  group :", "  group :").find("p")).toThrow("p group is defined twice");
  });

  it("gives what stands below `..` to the line above too", () => {
    const node = table("p : read", "  .. beta :", "    list : text", "  show :");
    expect([...node.children.keys()].toSorted()).toEqual(["beta", "list", "show"]);
    expect(node.operands).toEqual([{ role: "read", repeats: false }]);
    expect(node.children.get("beta")?.children.get("list")?.operands).toEqual(node.children.get("list")?.operands);
  });

  it("expands lists of subcommands and of options", () => {
    const node = table("@looking = list show", "@common = -a -b", "p :", "  @looking : | @common");
    expect([...node.children.keys()]).toEqual(["list", "show"]);
    expect([...(node.children.get("show")?.options.keys() ?? [])]).toEqual(["-a", "-b"]);
  });

  it.each([
    ["an unknown role", ["p : raed*"], 'sample.ts:3: unknown role "raed"'],
    ["an unknown effect", ["ok : read", "p : !wirtes"], 'sample.ts:4: unknown effect "wirtes"'],
    ["an unknown role of an option", ["p : read", "  | -a", "  | -o=file"], 'sample.ts:5: unknown role "file"'],
    ["an option twice", ["p : | -a --all -a"], "sample.ts:3: p -a is defined twice"],
    ["a subcommand twice", ["p :", "  x :", "  y x :"], "sample.ts:5: p x is defined twice"],
    ["a subcommand's beginning twice", ["p :", "  x* :", "  x* :"], "sample.ts:5: p x* is defined twice"],
    ["words about the line above", ["p :", "  .. x : read"], 'sample.ts:4: ".." is the line above, and says nothing of its own'],
    ["a line above a program", [".. p :"], 'sample.ts:3: ".." is the line above, and says nothing of its own'],
    ["an unknown list", ["p :", "  @none :"], 'sample.ts:4: unknown list "@none"'],
    ["an unknown reader", ["p : by:nobody"], 'sample.ts:3: unknown reader "nobody"'],
    ["two operands that repeat", ["p : read* write*"], "sample.ts:3: only one operand may repeat"],
    ["an odd indentation", ["p :", "   x :"], "sample.ts:4: a level is two spaces"],
    ["a level without a parent", ["p :", "    x :"], "sample.ts:4: a line is indented deeper than its parent"],
    ["a word that is no option", ["p : | all"], 'sample.ts:3: "all" is no option'],
  ])("refuses %s, with file and line", (_, lines, message) => {
    expect(() => catalogue(...lines).find("p")).toThrow(message);
  });

  it("refuses a program that is defined twice, when the tables are indexed", () => {
    expect(() => catalogue("p : read", "q p : read").names).toThrow("sample.ts:4: p is defined twice");
  });

  it("parses a table only when it is asked for", () => {
    const both = catalogue("good : read", "bad : raed");
    expect(both.find("good")?.path).toBe("good");
    expect(() => both.find("bad")).toThrow("unknown role");
    expect(both.find("absent")).toBeUndefined();
  });
});
