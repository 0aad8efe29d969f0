import { z } from "zod";
import { defineTool } from "./define.ts";
import type { Tool, ToolResult } from "./tool.ts";
import type { ToolTraits } from "./traits.ts";

/** What a static tool answers: always the same, or what a function makes of the arguments. */
export type StaticAnswer = string | ToolResult | ((input: Readonly<Record<string, unknown>>) => Promise<ToolResult | string> | ToolResult | string);

/** Tools for tests, by name: each takes any arguments, asks for nothing, and gives its answer. */
export function staticTools(answers: Readonly<Record<string, StaticAnswer>>, traits: Partial<ToolTraits> = {}): readonly Tool[] {
  return Object.entries(answers).map(([name, answer]) =>
    defineTool({
      name,
      description: `Gives the answer of ${name}.`,
      schema: z.looseObject({}),
      traits,
      execute: (input) => (typeof answer === "function" ? answer(input) : answer),
    }),
  );
}
