import { z } from "zod";
import { AgentError } from "../../base/errors.ts";
import { faultText } from "../../base/fault-text.ts";

export type JsonSchema = { readonly [key: string]: unknown };

/** Each tool's schema is said once: every call is read by it. */
const said = new WeakMap<z.ZodType, JsonSchema>();
const MAX_DEPTH = 32;

/**
 * The JSON Schema of a tool's input as every provider accepts it: an object, everything inline (`$ref`-free), no union at the top, and an object for the
 * `items` of each array. Throws `bad-configuration` for a schema that cannot be said that way.
 */
export function toInputSchema(schema: z.ZodType, name = "a tool"): JsonSchema {
  const known = said.get(schema);
  if (known !== undefined) return known;
  const { $schema: _dialect, ...json } = written(schema, name);
  return say(schema, json, name);
}

/** A schema of zod that takes any object, and of which a model is told `json`: for tools whose schema somebody else wrote. Throws as {@link toInputSchema}. */
export function schemaSaidAs(json: JsonSchema, name: string): z.ZodObject<{}, z.core.$loose> {
  const schema = z.looseObject({});
  say(schema, json, name);
  return schema;
}

function say(schema: z.ZodType, json: JsonSchema, name: string): JsonSchema {
  const isPlainObject = json["type"] === "object" && json["anyOf"] === undefined && json["oneOf"] === undefined && json["allOf"] === undefined;
  const problem = isPlainObject ? findProblem(json, 0) : "it is no object, or a union at the top";
  if (problem !== null) throw new AgentError("bad-configuration", `The schema of ${name} cannot be shown to every model: ${problem}.`);
  said.set(schema, json);
  return json;
}

function written(schema: z.ZodType, name: string): z.core.JSONSchema.BaseSchema {
  try {
    return z.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "inline" });
  } catch (error) {
    // A schema may have getters of its own.
    throw new AgentError("bad-configuration", `The schema of ${name} cannot be shown to every model: ${faultText(error)}.`, { cause: error });
  }
}

function findProblem(value: unknown, depth: number): string | null {
  if (typeof value !== "object" || value === null) return null;
  if (depth > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`;
  if (Object.hasOwn(value, "$ref")) return "it refers to itself";
  if ("type" in value && value.type === "array" && !("items" in value && typeof value.items === "object" && !Array.isArray(value.items)))
    return "an array does not say what its items are";
  for (const inner of Object.values(value)) {
    const problem = findProblem(inner, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}
