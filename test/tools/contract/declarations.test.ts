import { expect, test } from "vitest";
import { z } from "zod";
import { toolDeclarations } from "../../../src/tools/contract/declarations.ts";
import { toInputSchema } from "../../../src/tools/contract/json-schema.ts";
import { createRegistry, shownDefinitions } from "../../../src/tools/registry.ts";

const SHOWN: ReadonlySet<string> = new Set(["script", "glob_search"]);

function described(isOffered: (name: string) => boolean, isShown = (name: string) => SHOWN.has(name)): string {
  const offered = createRegistry().toolDefinitions(isOffered);
  const shown = offered.filter(({ name }) => isShown(name));
  return shownDefinitions(shown, offered).find(({ name }) => name === "script")?.description ?? "";
}

test("a model is told the types of the tools that a script may call, in a line each: of what it is not shown, as the others have their schemas", () => {
  const text = described(() => true);
  expect(text).toContain("\n  read_file(input: {");
  expect(text).toContain("  shell(input: { command: string; working_dir?: string; timeout_seconds?: number }): Promise<string>;\n");
  expect(text).toContain('language: "python" | "node" | "sh"');
  for (const name of ["glob_search", "script", "plan_done", "structured_output"]) expect(text).not.toContain(`  ${name}(`);
  expect(
    described(
      () => true,
      () => true,
    ),
  ).not.toContain("declare const");
});

test("of tools that it is not offered it is told nothing", () => {
  expect(described((name) => name !== "shell")).not.toContain("  shell(");
});

test("each kind of schema has a type", () => {
  const schema = z.object({
    list: z.array(z.union([z.string(), z.number()])),
    "odd name": z.literal(1).optional(),
    any: z.unknown(),
    map: z.record(z.string(), z.int()),
    inner: z.object({ yes: z.boolean(), nothing: z.null() }),
  });
  expect(toolDeclarations([{ name: "probe", inputSchema: toInputSchema(schema) }])).toBe(
    'declare const tools: {\n  probe(input: { list: Array<string | number>; "odd name"?: 1; any: unknown; map: Record<string, unknown>; inner: { yes: boolean; nothing: null } }): Promise<string>;\n};',
  );
});
