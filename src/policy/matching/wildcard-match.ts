/** Patterns with stars over any kind of item: which parts are stars, and which items each other part takes. */
export type Alignment<Part, Item> = { readonly isStar: (part: Part) => boolean; readonly takes: (part: Part, item: Item) => boolean };

/** Whether the pattern takes all of the items. On a mismatch only the last star takes one more item, so no pattern makes it slow. */
export function aligns<Part, Item>(pattern: readonly Part[], items: readonly Item[], { isStar, takes }: Alignment<Part, Item>): boolean {
  let at = 0;
  let star = -1;
  let taken = 0;
  for (let reached = 0; reached < items.length;) {
    const part = at < pattern.length ? (pattern[at] as Part) : null;
    if (part !== null && isStar(part)) {
      star = at;
      taken = reached;
      at += 1;
    } else if (part !== null && takes(part, items[reached] as Item)) {
      at += 1;
      reached += 1;
    } else if (star >= 0) {
      taken += 1;
      reached = taken;
      at = star + 1;
    } else return false;
  }
  while (at < pattern.length && isStar(pattern[at] as Part)) at += 1;
  return at === pattern.length;
}
