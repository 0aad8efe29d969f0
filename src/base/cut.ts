/**
 * Text of at most `maxCharacters` (UTF-16 units, at least 200): three quarters of it from the head, the rest from
 * the tail, and in between how much was cut. `where`: what else the cut says. Never splits a surrogate pair. Cutting what was cut changes nothing.
 */
export function cutMiddle(text: string, maxCharacters: number, where = ""): string {
  if (text.length <= maxCharacters) return text;
  const kept = maxCharacters - 100 - where.length; // room for the marker
  const head = text.slice(0, Math.floor(kept * 0.75)).replace(/[\uD800-\uDBFF]$/u, "");
  const tail = text.slice(text.length - Math.floor(kept * 0.25)).replace(/^[\uDC00-\uDFFF]/u, "");
  return `${head}\n[… ${text.length - head.length - tail.length} characters cut${where} …]\n${tail}`;
}
