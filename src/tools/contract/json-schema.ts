import { z } from "zod";
import { AgentError } from "../../base/errors.ts";

export type JsonSchema = { readonly [key: string]: unknown };

/** Each tool's schema is said once: every call is read by it. */
const said = new WeakMap<z.ZodType, JsonSchema>();

/**
 * The JSON Schema of a tool's input as every provider accepts it: an object, everything inline (`$ref`-free) and no
 * union at the top. Throws `broken-invariant` for a schema that cannot be said that way.
 */
export function toInputSchema(schema: z.ZodType): JsonSchema {
  const known = said.get(schema);
  if (known !== undefined) return known;
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "inline" });
  const text = JSON.stringify(json);
  const isPlainObject = json.type === "object" && json.anyOf === undefined && json.oneOf === undefined && json.allOf === undefined;
  if (!isPlainObject || text.includes('"$ref"')) throw new AgentError("broken-invariant", "A tool's schema must be one object without references.");
  said.set(schema, json);
  return json;
}
