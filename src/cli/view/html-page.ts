import { createHash } from "node:crypto";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";

const STYLE = `:root{color-scheme:light dark;--line:#8886;--soft:#8882}
body{font:1rem/1.45 system-ui,sans-serif;margin:0 auto;max-width:60rem;overflow-wrap:anywhere;padding:1rem}
h1{font-size:1.3rem}h2{font-size:1.1rem;border-top:1px solid var(--line);padding-top:1rem}
ul{padding-left:1.2rem}pre{background:var(--soft);border-radius:.4rem;font-size:.85rem;margin:.4rem 0;max-height:28rem;overflow:auto;padding:.6rem;white-space:pre-wrap}
section{border:1px solid var(--line);border-radius:.5rem;margin:.8rem 0;padding:.6rem}summary{cursor:pointer}
b{border-radius:.3rem;color:#fff;padding:.05rem .4rem}.allow{background:#1a7f37}.ask{background:#9a6700}.deny,.rejected{background:#cf222e}.none{background:#57606a}
.added{color:#1a7f37}.removed{color:#cf222e}.place{color:#0969da}@media(prefers-color-scheme:dark){.added{color:#3fb950}.removed{color:#f85149}.place{color:#58a6ff}}`;

/** Nothing is loaded and nothing runs: the one style is known by its digest. */
const CONTENT_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/** A page that needs no other file, also on a phone. `title` is escaped, `body` is not. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${htmlLine(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${htmlLine(title)}</h1>
${body}
</body>
</html>
`;
}

export function htmlList(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `<ul>${lines.map((text) => `<li>${htmlLine(text.trim())}</li>`).join("")}</ul>`;
}

export function htmlBlock(text: string): string {
  return text === "" ? "" : `<pre>${escaped(makeVisible(text).trimEnd())}</pre>`;
}

/** Text of unknown origin within a line. */
export function htmlLine(text: string): string {
  return escaped(makeVisibleLine(text));
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function escaped(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? "");
}
