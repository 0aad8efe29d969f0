import type { CallStory } from "../../../app/story/call-story.ts";
import type { RunStory, TurnStory } from "../../../app/story/story.ts";
import { makeVisible } from "../../../base/text.ts";
import { escaped, htmlBlock as block, htmlLine as line, htmlList as list, htmlPage } from "../html-page.ts";
import { counted } from "../style.ts";
import { costLines, headLines, outcomeText, toolText, turnTitle } from "./facts.ts";

/** A run as one HTML file that needs no other, also on a phone. Every text is escaped, and what is not shown by itself is made visible first. */
export function storyHtml(story: RunStory): string {
  return htmlPage(
    `${story.run}: ${story.ending}`,
    `${list(headLines(story))}
${story.todo === null ? "" : `<h2>List</h2><p>${line(story.todo.count)}</p>${list(story.todo.lines)}`}
${story.turns.map(turnHtml).join("\n")}
<h2>Changes</h2>
${story.changes === null || story.changes.length === 0 ? "<p>None wait.</p>" : list(story.changes)}
${list(story.landings)}
${story.diff === null || story.diff === "" ? "" : `<pre>${diffHtml(story.diff)}</pre>`}
<h2>Cost</h2>
${list(costLines(story))}`,
  );
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
