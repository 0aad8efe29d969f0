export type JsonLimits = { readonly maxCharacters: number; readonly maxDepth: number };

/** Why a value of JSON is more than anybody wants to read, as a predicate; null: it is not. Counts without writing it, and stops at the limit. */
export function measureJson(value: unknown, { maxCharacters, maxDepth }: JsonLimits): string | null {
  let characters = 0;
  const pending: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value: each, depth } = next;
    if (depth > maxDepth) return `nested deeper than ${String(maxDepth)} levels`;
    characters += typeof each === "string" ? each.length + 2 : 8;
    if (typeof each === "object" && each !== null)
      for (const [key, inner] of Object.entries(each)) {
        characters += Array.isArray(each) ? 1 : key.length + 3;
        pending.push({ value: inner, depth: depth + 1 });
      }
    if (characters > maxCharacters) return `longer than ${String(maxCharacters)} characters`;
  }
  return null;
}

/** How deep the brackets of a text of JSON are nested at most; counting stops behind `limit`. Reading a text that is nested further can exhaust the stack. */
export function isNestedBeyond(text: string, limit: number): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isText) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) isText = false;
    } else if (code === 0x22) isText = true;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}
