import type { z } from "zod";
import { deepFreeze } from "../base/freeze.ts";
import { makeVisibleLine } from "../base/text.ts";
import { argumentNames } from "./contract/arguments.ts";
import { toInputSchema } from "./contract/json-schema.ts";
import type { Tool } from "./contract/tool.ts";

const MAX_SHOWN_KEYS = 10;
const MAX_KEY_CHARACTERS = 100;

export type DecodedInput<Schema extends z.ZodType = z.ZodType> =
  | { readonly kind: "valid"; readonly input: z.output<Schema> }
  /** What is wrong with each argument, in words for the model. */
  | { readonly kind: "invalid"; readonly message: string };

/**
 * Untrusted arguments as the tool's own type, frozen. The order is fixed, so that policy sees the final
 * arguments: prepare, drop nulls at the top that the schema does not take, read numbers and booleans that were sent as text, validate by the schema, then by the tool.
 */
export function decodeInput<Schema extends z.ZodType>(tool: Tool<Schema>, input: unknown): DecodedInput<Schema> {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return { kind: "invalid", message: "The arguments must be one JSON object." };
  const own = Object.fromEntries(Object.entries(input));
  const prepared = tool.prepare ? tool.prepare(own) : own;
  const present = Object.fromEntries(Object.entries(prepared).filter(([key, value]) => value !== null || takesNull(tool.schema, key)));
  const parsed = tool.schema.safeParse(readScalars(present, tool.schema));
  if (parsed.success) {
    const final = deepFreeze(parsed.data);
    const problem = tool.validate?.(final) ?? null;
    return problem === null ? { kind: "valid", input: final } : { kind: "invalid", message: `Invalid arguments for ${tool.name}: ${problem}` };
  }
  const problems = parsed.error.issues.slice(0, 10).map(problemOf);
  return { kind: "invalid", message: `Invalid arguments for ${tool.name}: ${problems.join("; ")}. ${tool.name} takes: ${argumentNames(tool.schema)}.` };
}

function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `there is no argument ${shownKeys(issue.keys)}`;
  if (issue.path.length === 0) return issue.message;
  const name = issue.path.join(".");
  return issue.code === "invalid_type" && issue.message.endsWith("received undefined") ? `${name} is missing` : `${name}: ${issue.message}`;
}

/** Names that a model invented, as they may be repeated to it and to a person. */
export function shownKeys(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_SHOWN_KEYS).map((key) => makeVisibleLine(key.slice(0, MAX_KEY_CHARACTERS)));
  return `${shown.join(", ")}${keys.length > MAX_SHOWN_KEYS ? ` and ${keys.length - MAX_SHOWN_KEYS} more` : ""}`;
}

// Some models send null for an argument that they leave out.
function takesNull(schema: z.ZodType, key: string): boolean {
  const { shape } = schema as { readonly shape?: Readonly<Record<string, z.ZodType>> };
  return shape !== undefined && Object.hasOwn(shape, key) && shape[key]?.safeParse(null).success === true;
}

function readScalars(input: Record<string, unknown>, schema: z.ZodType): Record<string, unknown> {
  const properties = toInputSchema(schema)["properties"] as Record<string, { type?: unknown }> | undefined;
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, readScalar(value, Object.hasOwn(properties ?? {}, key) ? properties?.[key]?.type : undefined)]),
  );
}

// Only what can mean one thing: `"5"` for an integer and `"true"` for a boolean.
function readScalar(value: unknown, type: unknown): unknown {
  if (typeof value !== "string") return value;
  if ((type === "integer" || type === "number") && /^-?(0|[1-9]\d{0,14})$/u.test(value)) return Number(value);
  if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
  return value;
}
