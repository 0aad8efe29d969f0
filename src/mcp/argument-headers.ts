/** An argument that a tool wants in a header as well, for those who read no body. `path`: of names below `properties`. */
type Declared = { readonly path: readonly string[]; readonly header: string };

const KEY = "x-mcp-header";
/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/u;
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

type Values = Readonly<Record<string, unknown>>;
const isValues = (value: unknown): value is Values => typeof value === "object" && value !== null;

/**
 * What a schema declares by `x-mcp-header` (2026-07-28, Streamable HTTP). Or why the tool is not to be used, as a clause: a declaration that is wrong, or stands
 * anywhere but at a property that is always there, makes the whole tool one that nobody may call.
 */
export function declaredHeaders(schema: Values): readonly Declared[] | { readonly reason: string } {
  const found: Declared[] = [];
  const pending: { readonly at: Values; readonly path: readonly string[]; readonly isReachable: boolean }[] = [{ at: schema, path: [], isReachable: true }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { at, path, isReachable } = next;
    const header = at[KEY];
    if (header !== undefined && !(isValues(header) && !isReachable)) {
      const where = path.join(".").slice(0, 100);
      if (!isReachable || path.length === 0) return { reason: `its ${KEY} stands where no argument always is` };
      if (typeof header !== "string" || !TOKEN.test(header)) return { reason: `its ${KEY} of ${where} is no name of a header` };
      if (!TYPES.has(at["type"])) return { reason: `its ${KEY} of ${where} is of no text, whole number or boolean` };
      if (found.some((other) => other.header.toLowerCase() === header.toLowerCase())) return { reason: `two of its arguments want the same header` };
      found.push({ path, header });
    }
    for (const [key, value] of Object.entries(at)) {
      if (!isValues(value) || key === KEY) continue;
      if (key !== "properties" || !isReachable) pending.push({ at: value, path, isReachable: false });
      else
        for (const [name, property] of Object.entries(value)) if (isValues(property)) pending.push({ at: property, path: [...path, name], isReachable: true });
    }
  }
  return found.toReversed();
}

/** The headers of one call; what is absent or null has none. */
export function argumentHeaders(schema: Values, input: Values): Readonly<Record<string, string>> {
  const declared = declaredHeaders(schema);
  if ("reason" in declared) return {};
  return Object.fromEntries(
    declared.flatMap(({ path, header }) => {
      const value = path.reduce<unknown>((at, name) => (isValues(at) && Object.hasOwn(at, name) ? at[name] : undefined), input);
      const isSaid = typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value);
      return isSaid ? [[`mcp-param-${header.toLowerCase()}`, headerValue(String(value))] as const] : [];
    }),
  );
}

/** A header holds ASCII alone; other texts are sent in the form that the protocol has for them. */
export function headerValue(text: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/u.test(text) && !/^=\?base64\?/iu.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
