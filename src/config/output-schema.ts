import { readFileSync } from "node:fs";
import { z } from "zod";
import { AgentError } from "../base/errors.ts";

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 24;

/** What may be said anywhere, and says nothing about a value. */
const NOTES = ["title", "description", "examples", "$comment"];
/** What is checked, by the type that it stands with. zod drops a keyword that stands elsewhere, so that is refused. */
const CHECKED: Readonly<Record<string, readonly string[]>> = {
  object: ["properties", "required", "additionalProperties"],
  array: ["items", "minItems", "maxItems"],
  string: ["minLength", "maxLength", "pattern"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  boolean: [],
  null: [],
};

/**
 * Reads a JSON Schema for the result of a run. Throws `usage` for a file that cannot be read, `bad-configuration` for a schema with a keyword that
 * would not be checked: what a program relies on is checked, or refused.
 */
export function readOutputSchema(path: string): z.ZodObject {
  const fail = (code: "usage" | "bad-configuration", why: string, cause?: unknown): never => {
    throw new AgentError(code, `The schema ${path} cannot be used: ${why}.`, { cause, remedy: "See docs/guides/structured-output.md" });
  };
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    fail("usage", `it cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown fault"})`, error);
  }
  if (Buffer.byteLength(text) > MAX_BYTES) fail("bad-configuration", `it is larger than ${String(MAX_BYTES / 1024)} KiB`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    fail("bad-configuration", "it is no JSON", error);
  }
  const { $schema: _dialect, ...schema } = isObject(json) ? json : {};
  const problem = !isObject(json) || schema["type"] !== "object" ? "it is no schema of an object" : problemOf(schema, "", 0);
  if (problem !== null) fail("bad-configuration", problem);
  try {
    const read = z.fromJSONSchema(schema);
    if (read instanceof z.ZodObject) return read;
  } catch (error) {
    // zod throws for a pattern that is none.
    return fail("bad-configuration", error instanceof Error ? error.message : "unknown fault", error);
  }
  return fail("bad-configuration", "it is no schema of one object");
}

function problemOf(schema: unknown, at: string, depth: number): string | null {
  const where = at === "" ? "the whole" : at;
  if (depth > MAX_DEPTH) return `${where} is nested deeper than ${String(MAX_DEPTH)} levels`;
  if (!isObject(schema)) return `${where} is no schema`;
  const { type, enum: listed, const: only, anyOf } = schema;
  const forms = [type, listed, only, anyOf].filter((form) => form !== undefined).length;
  if (forms !== 1) return `${where} needs one of type, enum, const and anyOf`;
  if (type !== undefined && !(typeof type === "string" && Object.hasOwn(CHECKED, type))) return `${where} has a type that is not one name`;
  if (listed !== undefined && !(Array.isArray(listed) && listed.length > 0 && listed.every(isScalar))) return `${where} lists no texts or numbers in enum`;
  if (only !== undefined && !isScalar(only)) return `${where} has a const that is no text or number`;
  const known = new Set([...NOTES, "type", "enum", "const", "anyOf", ...(typeof type === "string" ? (CHECKED[type] ?? []) : [])]);
  const unknown = Object.keys(schema).find((key) => !known.has(key));
  if (unknown !== undefined) return `${where} has ${JSON.stringify(unknown)}, which would not be checked`;
  return limitProblem(schema, where) ?? requiredProblem(schema, where) ?? firstProblem(partsOf(schema, at), depth);
}

const LIMITS = /^(?:min|max|exclusive|multiple)/u;

function limitProblem(schema: Record<string, unknown>, where: string): string | null {
  const wrong = Object.keys(schema).find((key) => LIMITS.test(key) && typeof schema[key] !== "number");
  return wrong === undefined ? null : `${where} has a ${wrong} that is no number`;
}

function requiredProblem({ required = [], properties = {} }: Record<string, unknown>, where: string): string | null {
  if (!isObject(properties)) return `${where} has properties that are no object`;
  const foreign = Object.keys(properties).find((name) => name in {});
  if (foreign !== undefined) return `${where} has a property called ${foreign}, which every object has`;
  if (Array.isArray(required) && required.every((name) => typeof name === "string" && Object.hasOwn(properties, name))) return null;
  return `${where} requires what it does not name in properties`;
}

function firstProblem(parts: readonly (readonly [string, unknown])[], depth: number): string | null {
  for (const [at, part] of parts) {
    const problem = problemOf(part, at, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}

/** The schemas in a schema, with where each stands. */
function partsOf({ properties, items, anyOf, additionalProperties: more, type }: Record<string, unknown>, at: string): readonly (readonly [string, unknown])[] {
  const below = (name: string): string => (at === "" ? name : `${at}.${name}`);
  return [
    ...(properties === undefined
      ? []
      : isObject(properties)
        ? Object.entries(properties).map(([name, part]) => [below(name), part] as const)
        : [[at, null] as const]),
    ...(type === "array" ? [[`${at}[]`, items] as const] : []),
    ...(anyOf === undefined
      ? []
      : Array.isArray(anyOf) && anyOf.length > 0
        ? anyOf.map((part: unknown, index) => [`${at}|${String(index)}`, part] as const)
        : [[at, null] as const]),
    ...(more === undefined || typeof more === "boolean" ? [] : [[below("*"), more] as const]),
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}
