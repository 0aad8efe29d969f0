import { createHash } from "node:crypto";
import type { CallStory } from "../../../app/story/call-story.ts";
import type { RunStory, TurnStory } from "../../../app/story/story.ts";
import { makeVisible, makeVisibleLine } from "../../../base/text.ts";
import { counted } from "../style.ts";
import { costLines, headLines, outcomeText, toolText, turnTitle } from "./facts.ts";

const STYLE = `:root{color-scheme:light dark;--line:#8886;--soft:#8882}
body{font:1rem/1.45 system-ui,sans-serif;margin:0 auto;max-width:60rem;overflow-wrap:anywhere;padding:1rem}
h1{font-size:1.3rem}h2{font-size:1.1rem;border-top:1px solid var(--line);padding-top:1rem}
ul{padding-left:1.2rem}pre{background:var(--soft);border-radius:.4rem;font-size:.85rem;margin:.4rem 0;max-height:28rem;overflow:auto;padding:.6rem;white-space:pre-wrap}
section{border:1px solid var(--line);border-radius:.5rem;margin:.8rem 0;padding:.6rem}summary{cursor:pointer}
b{border-radius:.3rem;color:#fff;padding:.05rem .4rem}.allow{background:#1a7f37}.ask{background:#9a6700}.deny,.rejected{background:#cf222e}.none{background:#57606a}
.added{color:#1a7f37}.removed{color:#cf222e}.place{color:#0969da}@media(prefers-color-scheme:dark){.added{color:#3fb950}.removed{color:#f85149}.place{color:#58a6ff}}`;

/** Nothing is loaded and nothing runs: the one style is known by its digest. */
const CONTENT_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/** A run as one HTML file that needs no other, also on a phone. Every text is escaped, and what is not shown by itself is made visible first. */
export function storyHtml(story: RunStory): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${line(story.run)}: ${line(story.ending)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${line(story.run)}: ${line(story.ending)}</h1>
${list(headLines(story))}
${story.todo === null ? "" : `<h2>List</h2><p>${line(story.todo.count)}</p>${list(story.todo.lines)}`}
${story.turns.map(turnHtml).join("\n")}
<h2>Changes</h2>
${story.changes === null || story.changes.length === 0 ? "<p>None wait.</p>" : list(story.changes)}
${list(story.landings)}
${story.diff === null || story.diff === "" ? "" : `<pre>${diffHtml(story.diff)}</pre>`}
<h2>Cost</h2>
${list(costLines(story))}
</body>
</html>
`;
}

function turnHtml(story: TurnStory): string {
  const { standing, model, said, tokens, calls, told } = story;
  return [
    `<h2>${turnTitle(story)}</h2>`,
    standing === "forgotten" ? "" : `<p>${line(model ?? "")}, ${counted(tokens, "token")}</p>`,
    block(said),
    ...calls.map(callHtml),
    ...told.map((text) => `<p>Told:</p>${block(text)}`),
  ].join("\n");
}

function callHtml(call: CallStory): string {
  const facts = [call.risk, outcomeText(call)].filter((fact) => fact !== "").map((fact) => ` · ${line(fact)}`);
  const reasons = [...call.rules.map((rule) => `rule ${rule}`), ...call.answers, ...call.labels, ...(call.reason === "" ? [] : [call.reason])];
  return `<section>
<p><b class="${call.verdict}">${call.verdict === "none" ? "not decided" : call.verdict}</b> ${line(toolText(call))}${facts.join("")}</p>
${block(call.about)}
${list(reasons)}
${call.result === "" ? "" : `<details><summary>Result</summary>${block(call.result)}</details>`}
</section>`;
}

function list(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `<ul>${lines.map((text) => `<li>${line(text.trim())}</li>`).join("")}</ul>`;
}

function block(text: string): string {
  return text === "" ? "" : `<pre>${escaped(makeVisible(text).trimEnd())}</pre>`;
}

function diffHtml(diff: string): string {
  return makeVisible(diff)
    .trimEnd()
    .split("\n")
    .map((text) => {
      const kind = DIFF_CLASSES[text.charAt(0)];
      return kind === undefined ? escaped(text) : `<span class="${kind}">${escaped(text)}</span>`;
    })
    .join("\n");
}

const DIFF_CLASSES: Readonly<Partial<Record<string, string>>> = { "+": "added", "-": "removed", "@": "place" };

function line(text: string): string {
  return escaped(makeVisibleLine(text));
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? "");
}
