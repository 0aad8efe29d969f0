import type { z } from "zod";
import { AgentError } from "../../base/errors.ts";
import { toInputSchema } from "./json-schema.ts";
import { untrustedText } from "./result.ts";
import type { Need, Rewrite, TakenFiles, Tool, ToolContext, ToolRequest, ToolResult, ToolSetting } from "./tool.ts";
import { DEFAULT_TRAITS, MAX_TOOL_TIMEOUT_MS, type HistoryPolicy, type ToolTraits } from "./traits.ts";

/** A tool as it is written down: what is left out has the careful default. */
export type ToolSpec<Schema extends z.ZodObject> = {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  /** One strict object: the type of `input`, the JSON Schema that the model sees, and what arguments are read by. */
  readonly schema: Schema;
  readonly traits?: Partial<Omit<ToolTraits, "history">> & { readonly history?: Partial<HistoryPolicy> };
  /** What has to be there for it to be offered. Default: nothing. */
  readonly needs?: readonly Need[];
  /** Maps near-miss arguments (`cmd` → `command`) before validation. Must not read anything else. */
  readonly prepare?: (input: Record<string, unknown>) => Record<string, unknown>;
  /** What no schema can say: a sentence for the model, or null for arguments that are right. Pure. */
  readonly validate?: (input: z.output<Schema>) => string | null;
  /** Pure: every file, host and command that the call needs. Default: none. */
  readonly requests?: (input: z.output<Schema>, setting: ToolSetting) => readonly ToolRequest[];
  /** Pure: what it makes of the one file that it writes. */
  readonly rewrites?: (input: z.output<Schema>, setting: ToolSetting) => Rewrite;
  /** Pure: which files of a sub-agent it writes. */
  readonly takes?: (input: z.output<Schema>, setting: ToolSetting) => TakenFiles;
  /** A text is a result from outside, which the model may use and not obey. */
  readonly execute: (input: z.output<Schema>, context: ToolContext) => Promise<ToolResult | string> | ToolResult | string;
};

/**
 * Makes a tool. Throws `bad-configuration` for a trait that makes no sense. Its schema is said when a model is first told of it: saying those of
 * all built-in tools takes 20 ms, and most commands tell no model.
 */
export function defineTool<Schema extends z.ZodObject>(spec: ToolSpec<Schema>): Tool<Schema> {
  const { name, aliases = [], description, schema, needs = [], prepare, validate, requests = () => [], rewrites, takes, execute } = spec;
  const traits = traitsOf(spec);
  const isOpen = schema._zod.def.catchall !== undefined;
  return Object.freeze({
    name,
    aliases,
    description,
    // An argument that the schema does not name is refused, not dropped, unless the schema says that it takes any.
    schema: isOpen ? schema : (schema.strict() as unknown as Schema),
    traits,
    needs: Object.freeze(needs.map((need) => Object.freeze({ ...need }))),
    requests,
    ...(prepare === undefined ? {} : { prepare }),
    ...(validate === undefined ? {} : { validate }),
    ...(rewrites === undefined ? {} : { rewrites }),
    ...(takes === undefined ? {} : { takes }),
    execute: async (input: z.output<Schema>, context: ToolContext) => {
      const result = await execute(input, context);
      return typeof result === "string" ? untrustedText(result) : result;
    },
  });
}

/** Makes a tool of a program that embeds Warder, which hears at once of a schema that no provider takes: throws `bad-configuration` for it, too. */
export function defineOwnTool<Schema extends z.ZodObject>(spec: ToolSpec<Schema>): Tool<Schema> {
  const tool = defineTool(spec);
  toInputSchema(tool.schema, tool.name);
  return tool;
}

function traitsOf({ name, schema, traits = {} }: ToolSpec<z.ZodObject>): ToolTraits {
  const history = { ...DEFAULT_TRAITS.history, ...traits.history };
  const made: ToolTraits = Object.freeze({ ...DEFAULT_TRAITS, ...traits, history: Object.freeze(history) });
  const { maxResultChars, timeoutMs, identity } = made;
  if (!(maxResultChars >= 1000)) refuse(name, "maxResultChars", "is at least 1000, or Infinity");
  const isFinite = timeoutMs === "policy" || timeoutMs === "run" || (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= MAX_TOOL_TIMEOUT_MS);
  if (!isFinite) refuse(name, "timeoutMs", `is "policy", "run" or between 1 and ${MAX_TOOL_TIMEOUT_MS}`);
  if (made.subAgents !== "shared" && made.subAgents !== "own-overlay") refuse(name, "subAgents", 'is "shared" or "own-overlay"');
  const named = [
    history.dedupArgument,
    history.summaryArgument,
    history.planArgument,
    ...(identity.kind === "target" ? [identity.targetArgument, identity.operationArgument] : []),
  ];
  const unknown = named.find((argument) => argument !== undefined && !Object.hasOwn(schema.shape, argument));
  if (unknown !== undefined) refuse(name, "history or identity", `names the argument ${unknown}, which the schema does not have`);
  return made;
}

function refuse(name: string, trait: string, problem: string): never {
  throw new AgentError("bad-configuration", `The tool ${name} cannot be used: its trait ${trait} ${problem}.`);
}
