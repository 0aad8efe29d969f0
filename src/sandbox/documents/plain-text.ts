const HIDDEN = new Set(["script", "style", "template", "noscript"]);

/** The text of a page without its structure, in one pass: for pages that no parser should see. */
export function plainText(page: string): string {
  const parts: string[] = [];
  for (let at = 0; at < page.length;) {
    const open = page.indexOf("<", at);
    parts.push(page.slice(at, open < 0 ? page.length : open));
    if (open < 0) break;
    const close = page.indexOf(">", open);
    if (close < 0) break;
    const name = /^<([a-z]{1,10})/iu.exec(page.slice(open, open + 12))?.[1]?.toLowerCase() ?? "";
    const end = HIDDEN.has(name) ? page.indexOf(`</${name}`, close) : close + 1;
    if (end < 0) break;
    parts.push(" ");
    at = end === close + 1 ? end : Math.max(page.indexOf(">", end), end) + 1;
  }
  return parts.join("").replaceAll(/\s+/gu, " ").trim();
}

// Elements whose end is implied by the next of their kind: they make a page long, and not deep.
const LEAVES = new Set(
  "area base br col embed hr img input link meta source track wbr p li dt dd option optgroup tr td th thead tbody tfoot colgroup rt rp".split(" "),
);

/** Whether parsers that build a tree of it, and walk that tree, do so in moderate time. */
export function isModest(page: string, { depth, elements }: { readonly depth: number; readonly elements: number }): boolean {
  let level = 0;
  let count = 0;
  for (const [, slash = "", name = ""] of page.matchAll(/<(\/?)([a-z][a-z0-9-]{0,30})?/giu)) {
    if (name === "" || LEAVES.has(name.toLowerCase())) count += 1;
    else if (slash === "/") level = Math.max(0, level - 1);
    else {
      level += 1;
      count += 1;
    }
    if (level > depth || count > elements) return false;
  }
  return true;
}
