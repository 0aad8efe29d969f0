/** Deeper values are left to who walks them without recursion, and finds a circle. */
const MAX_DEPTH = 50;
/** Up to so many keys are sorted in place, without garbage; more of them faster by the engine. */
const MAX_KEYS_IN_PLACE = 32;

/**
 * Whether JSON.stringify writes {@link sorted} of a value as RFC 8785 wants it: plain objects and arrays of what JSON has. An object keeps its keys in
 * the order in which they were added, but for those that look like numbers; `__proto__` adds none; and JSON.stringify writes an infinity as null
 * and a lone surrogate as an escape, where there is no canonical form.
 */
export function isSortable(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return typeof value === "boolean" || value === null;
  if (depth === MAX_DEPTH) return false;
  if (Array.isArray(value)) return isSortableArray(value, depth);
  // A Date, a Number and their like are no objects in JSON.
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && isSortableObject(value as Readonly<Record<string, unknown>>, depth);
}

function isSortableArray(value: readonly unknown[], depth: number): boolean {
  for (const entry of value) if (!isSortable(entry, depth + 1)) return false;
  return true;
}

function isSortableObject(value: Readonly<Record<string, unknown>>, depth: number): boolean {
  for (const key in value) {
    const entry = value[key];
    if (!isSortableKey(key) || (entry !== undefined && !isSortable(entry, depth + 1))) return false;
  }
  return true;
}

function isSortableKey(key: string): boolean {
  const first = key.charCodeAt(0);
  const isLikeNumber = first >= 48 && first <= 57;
  return !isLikeNumber && key !== "__proto__" && key.isWellFormed();
}

/** A copy with the keys of each object sorted by UTF-16 code units; only for what {@link isSortable}. An array without objects is not copied. */
export function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.some((entry) => typeof entry === "object") ? value.map(sorted) : value;
  const copy: Record<string, unknown> = {};
  for (const key of sortedKeys(value)) copy[key] = sorted((value as Readonly<Record<string, unknown>>)[key]);
  return copy;
}

function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  if (keys.length > MAX_KEYS_IN_PLACE) return keys.toSorted();
  for (let end = 1; end < keys.length; end += 1) {
    const key = keys[end] as string;
    let at = end;
    for (; at > 0 && (keys[at - 1] as string) > key; at -= 1) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
  return keys;
}
