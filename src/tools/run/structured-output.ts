import type { z } from "zod";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import type { Tool, ToolResult } from "../contract/tool.ts";

/** The shape that a caller wants a run's result in: one object of zod, within what a tool's schema may be. */
export type OutputSchema = z.ZodObject;
export type OutputOf<Schema extends OutputSchema> = z.output<Schema>;

/** `given`: the last value that was taken; null: none yet. */
export type StructuredOutput = { readonly tool: Tool<OutputSchema>; readonly given: () => Readonly<Record<string, unknown>> | null };

export const STRUCTURED_OUTPUT = "structured_output";

const TAKEN: ToolResult = { content: [{ kind: "text", text: "The result was taken." }], isError: false, label: "trusted", terminate: true };

/**
 * The tool by which a model gives the result of one run: what its schema takes is kept, and votes to end the run. Throws `bad-configuration` for a schema
 * that no model can be shown.
 */
export function structuredOutput(schema: OutputSchema): StructuredOutput {
  let given: Readonly<Record<string, unknown>> | null = null;
  const tool = defineTool({
    name: STRUCTURED_OUTPUT,
    aliases: TOOL_NAMES.structured_output,
    description: "Gives the result of the task. Call it once, by itself, when all else is done. Words alone do not count as the result.",
    schema,
    // After the calls before it: what they brought may have to be in it.
    traits: { exclusiveSandbox: false, countsTowardCallLimit: false, tier: "read-only" },
    execute: (input) => {
      given = input;
      return TAKEN;
    },
  });
  return { tool, given: () => given };
}
