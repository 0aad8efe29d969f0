import { followed, isJson, own, Refusal, type Json } from "./document.ts";

/** Schemas that are written out. */
const MAX_PARTS = 900;
/** Values of any kind in what was written: a tool's whole schema may have 2,000. */
const MAX_VALUES = 1_200;
/** How many levels are written out; the fewer, the more parts there are. What lies deeper is open. */
const LEVELS = [9, 7, 5, 4, 3, 2, 1];
const MAX_TEXT = 400;
const MAX_ENUM = 100;
const MAX_CHARACTERS = 24_000;

/** What every reader of JSON Schema takes as it is. */
const PLAIN = ["format", "pattern", "default", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"];
const LIMITS = ["minimum", "maximum"];
const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);

type Walk = { readonly root: Json; readonly levels: number; readonly trail: readonly string[]; readonly count: { parts: number; characters: number } };

class TooMuch extends Error {}

/**
 * A document's schema as JSON Schema without references: `allOf` merged, `nullable` said by types, what answers alone have left out. What refers to itself is
 * open where it does, and so is what lies too deep. Throws {@link Refusal} for references that cannot be followed.
 */
export function shapeOf(root: Json, schema: unknown): Json {
  for (const levels of LEVELS) {
    const count = { parts: 0, characters: 0 };
    try {
      const shape = written(schema, { root, levels, trail: [], count });
      if (count.characters <= MAX_CHARACTERS && valuesIn(shape) <= MAX_VALUES) return shape;
    } catch (error) {
      if (!(error instanceof TooMuch)) throw error;
    }
  }
  const { value } = followed(root, schema);
  return { ...typeOf(value), ...wordsOf(value) };
}

function valuesIn(value: unknown): number {
  return typeof value !== "object" || value === null ? 1 : Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 1);
}

function written(schema: unknown, walk: Walk): Json {
  walk.count.parts += 1;
  if (walk.count.parts > MAX_PARTS || walk.count.characters > MAX_CHARACTERS) throw new TooMuch();
  // `true` and `false` of 3.1: anything goes, or nothing does.
  if (schema === true) return {};
  if (schema === false) return { not: {} };
  const direct = followed(walk.root, schema);
  if (direct.trail.some((reference) => walk.trail.includes(reference))) return {};
  const { value } = direct;
  const inner = { ...walk, levels: walk.levels - 1, trail: [...walk.trail, ...direct.trail] };
  const parts = own(value, "allOf");
  const here = withoutParts(value, inner);
  return Array.isArray(parts) && walk.levels > 0
    ? merged(
        here,
        parts.map((part: unknown) => written(part, inner)),
      )
    : here;
}

function withoutParts(value: Json, walk: Walk): Json {
  const made: Record<string, unknown> = { ...typeOf(value), ...wordsOf(value), ...limitsOf(value) };
  for (const key of PLAIN) {
    const each = own(value, key);
    if (typeof each === "string" ? each.length <= MAX_TEXT : typeof each === "number" || typeof each === "boolean") made[key] = each;
  }
  const values = own(value, "const") === undefined ? own(value, "enum") : [own(value, "const")];
  if (Array.isArray(values) && values.length <= MAX_ENUM && values.every((each: unknown) => typeof each !== "object" || each === null)) made["enum"] = values;
  for (const each of Object.values(made)) walk.count.characters += JSON.stringify(each).length;
  if (walk.levels < 0) return made;
  for (const key of ["anyOf", "oneOf"]) {
    const choices = own(value, key);
    if (Array.isArray(choices) && choices.length > 0) made[key] = choices.map((each: unknown) => written(each, walk));
  }
  if (own(value, "items") !== undefined) made["items"] = written(own(value, "items"), walk);
  return { ...made, ...fieldsOf(value, walk) };
}

function fieldsOf(value: Json, walk: Walk): Json {
  const additional = own(value, "additionalProperties");
  const more = additional === undefined || typeof additional === "boolean" ? additional : written(additional, walk);
  const properties = own(value, "properties");
  if (!isJson(properties)) return more === undefined ? {} : { additionalProperties: more };
  const kept = Object.entries(properties).flatMap(([name, each]) => {
    if (name === "__proto__") throw new Refusal("a name in its schema is none that can be used");
    walk.count.characters += name.length;
    return isOfAnswers(walk.root, each) ? [] : [[name, written(each, walk)] as const];
  });
  const names = new Set(kept.map(([name]) => name));
  const required = own(value, "required");
  const needed = Array.isArray(required) ? required.filter((name: unknown) => typeof name === "string" && names.has(name)) : [];
  return {
    properties: Object.fromEntries(kept),
    ...(needed.length === 0 ? {} : { required: needed }),
    ...(more === undefined ? {} : { additionalProperties: more }),
  };
}

/** What only a server writes. */
const isOfAnswers = (root: Json, schema: unknown): boolean => isJson(schema) && own(followed(root, schema).value, "readOnly") === true;

function typeOf(value: Json): Json {
  const stated = own(value, "type");
  const isNullable = own(value, "nullable") === true;
  const types = (Array.isArray(stated) ? (stated as unknown[]) : [stated]).filter((type) => TYPES.has(type));
  if (types.length === 0) return own(value, "properties") === undefined || stated !== undefined ? {} : { type: "object" };
  const all = isNullable && !types.includes("null") ? [...types, "null"] : types;
  return { type: all.length === 1 ? all[0] : all };
}

function wordsOf(value: Json): Json {
  const description = own(value, "description") ?? own(value, "title");
  return typeof description === "string" && description !== "" ? { description: description.slice(0, MAX_TEXT) } : {};
}

/** In 3.0 a limit that is excluded is a limit and a flag. */
function limitsOf(value: Json): Json {
  return Object.fromEntries(
    LIMITS.flatMap((key) => {
      const excluded = key === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
      const [limit, flag] = [own(value, key), own(value, excluded)];
      if (typeof flag === "number") return [[excluded, flag] as const];
      return typeof limit === "number" ? [[flag === true ? excluded : key, limit] as const] : [];
    }),
  );
}

/** One schema of several that all hold: fields together; of what two of them say differently, the first holds, but of a field both. */
function merged(here: Json, parts: readonly Json[]): Json {
  const all = [here, ...parts];
  const fields: Record<string, unknown> = {};
  for (const each of all)
    for (const [name, field] of Object.entries(fieldsIn(each))) fields[name] = Object.hasOwn(fields, name) ? { allOf: [fields[name], field] } : field;
  const required = [...new Set(all.flatMap(listIn))];
  return {
    ...Object.assign({}, ...all.toReversed()),
    ...(Object.keys(fields).length === 0 ? {} : { type: "object", properties: fields }),
    ...(required.length === 0 ? {} : { required }),
  } as Json;
}

const fieldsIn = (shape: Json): Json => (shape["properties"] as Json | undefined) ?? {};
const listIn = (shape: Json): readonly unknown[] => (shape["required"] as readonly unknown[] | undefined) ?? [];
