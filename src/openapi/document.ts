export type Json = Readonly<Record<string, unknown>>;

/** Why a part of a document is not used, as a clause. */
export class Refusal extends Error {}

/** References that lead to references. */
const MAX_HOPS = 16;
const MAX_REFERENCE = 512;

export const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** What a document's own key holds; nothing that every object of JavaScript has. */
export function own(holder: unknown, key: string): unknown {
  return typeof holder === "object" && holder !== null && Object.hasOwn(holder, key) ? (holder as Json)[key] : undefined;
}

/** An OpenAPI document of version 3.0 or 3.1. Throws {@link Refusal} for anything else. */
export function documentIn(value: unknown): Json {
  if (!isJson(value)) throw new Refusal("it is no object");
  const version = own(value, "openapi");
  if (typeof version !== "string" || !/^3\.[01]\.\d{1,4}$/u.test(version)) throw new Refusal("it does not say `openapi: 3.0.x` or `3.1.x`");
  if (!isJson(own(value, "paths"))) throw new Refusal("it has no paths");
  return value;
}

/**
 * What stands at a place, or where it refers to, with the references that led there. Nothing but places of the document itself is read. Throws
 * {@link Refusal}.
 */
export function followed(root: Json, value: unknown): { readonly value: Json; readonly trail: readonly string[] } {
  const trail: string[] = [];
  let now = value;
  for (;;) {
    if (!isJson(now)) throw new Refusal("a part of it is no object");
    const reference = own(now, "$ref");
    if (reference === undefined) return { value: now, trail };
    if (typeof reference !== "string" || reference.length > MAX_REFERENCE || !reference.startsWith("#/"))
      throw new Refusal("it refers to something outside of the document, which is not read");
    if (trail.includes(reference) || trail.length >= MAX_HOPS) throw new Refusal("it refers to itself");
    trail.push(reference);
    now = at(root, reference);
  }
}

function at(root: Json, reference: string): unknown {
  let now: unknown = root;
  for (const part of reference.slice(2).split("/")) now = own(now, unescaped(part));
  if (now === undefined) throw new Refusal("it refers to something that is not there");
  return now;
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch (error) {
    if (error instanceof URIError) throw new Refusal("it refers to something in a way that is not read");
    throw error;
  }
}
