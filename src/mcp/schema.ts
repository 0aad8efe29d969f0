import { makeVisible } from "../base/text.ts";
import type { JsonSchema } from "../tools/contract/json-schema.ts";

/** Of a schema with all that it refers to written out. */
const MAX_NODES = 2_000;
const MAX_DEPTH = 24;
const MAX_WORDS = 1_000;
/** What says where a schema is from, or holds what others refer to: nothing of it is for a model. */
const LEFT_OUT: ReadonlySet<string> = new Set(["$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "$vocabulary"]);
/** What holds of the arguments together. At the top not every model takes it. */
const CONDITIONS = ["anyOf", "oneOf", "allOf", "not", "if", "then", "else"];

type Json = Readonly<Record<string, unknown>>;

class Refusal extends Error {}

/**
 * A server's schema as every provider takes it: an object at the top, nothing remote, what it refers to written out and what refers to itself open, its words
 * made visible. What holds of its arguments together is left for the server to say, where that names no argument of its own. Or why it cannot be said like that, as
 * a clause.
 */
export function modelSchema(schema: Json): { readonly schema: JsonSchema } | { readonly reason: string } {
  if (schema["type"] !== "object") return { reason: "its schema is of no object" };
  if (schema["$ref"] !== undefined) return refusedAtTop("$ref");
  try {
    const written = writtenOut(schema, { root: schema, trail: [], depth: 0, count: { nodes: 0 } }) as Json;
    const conditions = CONDITIONS.filter((key) => written[key] !== undefined);
    const names = isObject(written["properties"]) ? new Set(Object.keys(written["properties"])) : null;
    const refused = conditions.find((key) => names === null || argumentsIn(written[key]).some((name) => !names.has(name)));
    if (refused !== undefined) return refusedAtTop(refused);
    return { schema: Object.fromEntries(Object.entries(written).filter(([key]) => !conditions.includes(key))) };
  } catch (error) {
    if (error instanceof Refusal) return { reason: error.message };
    throw error;
  }
}

function refusedAtTop(key: string): { readonly reason: string } {
  return { reason: `its schema has \`${key}\` at the top, which not every model takes` };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The arguments that conditions speak of: whatever they want of one, a model has to know it. */
function argumentsIn(condition: unknown): readonly string[] {
  if (Array.isArray(condition)) return condition.flatMap(argumentsIn);
  if (!isObject(condition)) return [];
  const { properties, required } = condition;
  return [
    ...(isObject(properties) ? Object.keys(properties) : []),
    ...(Array.isArray(required) ? required.map(String) : []),
    ...CONDITIONS.flatMap((key) => argumentsIn(condition[key])),
  ];
}

type Place = { readonly root: Json; readonly trail: readonly string[]; readonly depth: number; readonly count: { nodes: number } };

function writtenOut(value: unknown, place: Place): unknown {
  place.count.nodes += 1;
  if (place.count.nodes > MAX_NODES) throw new Refusal(`written out its schema has more than ${String(MAX_NODES)} parts`);
  if (place.depth > MAX_DEPTH) throw new Refusal(`its schema is nested deeper than ${String(MAX_DEPTH)} levels`);
  if (typeof value === "string") return wordsOf(value);
  if (typeof value !== "object" || value === null) return value;
  const inner = { ...place, depth: place.depth + 1 };
  if (Array.isArray(value)) return value.map((each) => writtenOut(each, inner));
  const { $ref: reference, ...rest } = value as Json;
  if (rest["$dynamicRef"] !== undefined || rest["$recursiveRef"] !== undefined) throw new Refusal("its schema refers to itself in a way that is not read");
  if (typeof reference === "string") return referred(reference, inner);
  return withItems(
    Object.fromEntries(
      Object.entries(rest).flatMap(([key, each]) =>
        isLeftOut(key, place) || (key === "x-mcp-header" && typeof each === "string") ? [] : [[nameOf(key), writtenOut(each, inner)]],
      ),
    ),
  );
}

/** Below `properties` stand names of arguments, and one may be called `$id`. */
function isLeftOut(key: string, { depth }: Place): boolean {
  return LEFT_OUT.has(key) && (depth === 0 || key.startsWith("$"));
}

function nameOf(key: string): string {
  if (key.length <= 128 && makeVisible(key) === key && key !== "__proto__") return key;
  throw new Refusal("a name in its schema is too long, or has characters that nobody sees");
}

function wordsOf(text: string): string {
  const visible = makeVisible(text);
  return visible.length > MAX_WORDS ? `${visible.slice(0, MAX_WORDS)} [cut]` : visible;
}

/** An array says what it holds, because not every provider takes one that does not. */
function withItems(schema: Json): Json {
  const { type, items } = schema;
  return type === "array" && (typeof items !== "object" || items === null || Array.isArray(items)) ? { ...schema, items: {} } : schema;
}

function referred(reference: string, place: Place): unknown {
  const [, holder, name] = /^#\/(\$defs|definitions)\/([^/~%]{1,128})$/u.exec(reference) ?? [];
  if (holder === undefined || name === undefined)
    throw new Refusal(`its schema refers to ${makeVisible(reference.slice(0, 80))}, and only \`#/$defs/NAME\` is read`);
  const held = place.root[holder];
  const target = typeof held === "object" && held !== null && Object.hasOwn(held, name) ? (held as Json)[name] : undefined;
  if (target === undefined) throw new Refusal(`its schema refers to ${makeVisible(name)}, which is not there`);
  // What refers to itself has no end: from there on anything may stand.
  if (place.trail.includes(reference)) return {};
  return writtenOut(target, { ...place, trail: [...place.trail, reference] });
}

/** What is wrong with a call's arguments by the schema's first level, in words for a model; null: nothing is. The rest is the server's to say. */
export function argumentFault(schema: JsonSchema, input: Readonly<Record<string, unknown>>): string | null {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
    readonly required?: unknown;
    readonly additionalProperties?: unknown;
  };
  const takesMore =
    additionalProperties === true || (typeof additionalProperties === "object" && additionalProperties !== null) || schema["patternProperties"] !== undefined;
  const unknown = takesMore ? undefined : Object.keys(input).find((key) => !Object.hasOwn(properties, key));
  if (unknown !== undefined) return `there is no argument ${makeVisible(unknown.slice(0, 100))}`;
  const missing = Array.isArray(required)
    ? (required as unknown[]).find((key): key is string => typeof key === "string" && !Object.hasOwn(input, key))
    : undefined;
  if (missing !== undefined) return `${missing} is missing`;
  for (const [key, value] of Object.entries(input)) {
    const type = Object.hasOwn(properties, key) ? properties[key]?.type : undefined;
    if (typeof type === "string" && !isOfType(value, type)) return `${key} must be of type ${type}`;
  }
  return null;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "number":
      return typeof value === "number";
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      return true;
  }
}
