import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FAMILIES, PROGRAMS } from "../../src/programs/programs.ts";
import type { OptionSpec, ProgramNode } from "../../src/programs/table.ts";

function* nodesOf(node: ProgramNode): Generator<ProgramNode> {
  yield node;
  for (const child of node.children.values()) yield* nodesOf(child);
  for (const { node: child } of node.beginnings) yield* nodesOf(child);
}

describe("the tables", () => {
  it("parse, every one of them", () => {
    for (const name of PROGRAMS.names) expect(PROGRAMS.find(name)?.path).toBe(name);
    expect(PROGRAMS.names.length).toBeGreaterThan(400);
  });

  it.each(FAMILIES)("$file opens on its second line, so that errors name the right line", ({ file, text }) => {
    const source = readFileSync(new URL(`../../src/programs/families/${file}`, import.meta.url), "utf8");
    expect(source.split("\n")[1]).toMatch(/^export const \w+ = `$/);
    expect(source.split("\n")[2]).toBe(text.split("\n")[1]);
  });

  it("call nothing inert that writes, runs or connects by itself or by an option", () => {
    const quiet = new Set(["reads", "secrets"]);
    for (const name of PROGRAMS.names) {
      for (const node of nodesOf(PROGRAMS.find(name) as ProgramNode)) {
        if (!node.traits.has("inert")) continue;
        expect(
          node.effects.filter((effect) => !quiet.has(effect.kind)),
          node.path,
        ).toEqual([]);
        for (const option of node.options.values()) {
          expect(option.effects, `${node.path} ${option.names.join(",")}`).toEqual([]);
          const roles = option.value.kind === "role" ? [option.value.role] : [];
          expect(
            roles.filter((role) => ["code", "code-file", "shell", "url", "write", "write-tree"].includes(role)),
            `${node.path} ${option.names.join(",")}`,
          ).toEqual([]);
        }
      }
    }
  });

  it("leave no data to a program whose request nobody reviews", () => {
    const isData = ({ value }: OptionSpec): boolean => value.kind === "role" && (value.role === "data" || value.role === "encoded");
    const nodes = PROGRAMS.names.flatMap((name) => [...nodesOf(PROGRAMS.find(name) as ProgramNode)]);
    const given = nodes.filter((node) => [...node.options.values()].some(isData));
    expect(given.length).toBeGreaterThan(0);
    expect(given.filter((node) => node.reviewer !== "curl").map((node) => node.path)).toEqual([]);
  });
});
