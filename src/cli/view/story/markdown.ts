import type { CallStory } from "../../../app/story/call-story.ts";
import type { RunStory, TurnStory } from "../../../app/story/story.ts";
import { makeVisible, makeVisibleLine } from "../../../base/text.ts";
import { counted } from "../style.ts";
import { costLines, headLines, outcomeText, toolText, turnTitle } from "./facts.ts";

/**
 * A run as Markdown. Whatever a model, a file or a command wrote stands in code alone: there it is no heading, no link, and no image that a reader's program
 * would fetch.
 */
export function storyMarkdown(story: RunStory): string {
  const parts = [
    `# ${story.run}: ${story.ending}`,
    ...headLines(story).map((line) => `- ${code(line)}`),
    ...(story.todo === null ? [] : ["", "## List", "", `${code(story.todo.count)}:`, "", ...story.todo.lines.map((line) => `- ${code(line)}`)]),
    "",
    ...story.turns.flatMap(turnParts),
    "## Changes",
    "",
    ...(story.changes === null || story.changes.length === 0 ? ["None wait.", ""] : [...story.changes.map((change) => `- ${code(change)}`), ""]),
    ...story.landings.map((line) => `- ${code(line)}`),
    ...(story.diff === null || story.diff === "" ? [] : [block(story.diff, "diff")]),
    "## Cost",
    "",
    ...costLines(story).map((line) => `- ${code(line.trim())}`),
  ];
  return `${parts.join("\n").trimEnd()}\n`;
}

function turnParts(story: TurnStory): readonly string[] {
  const { standing, model, said, tokens, calls, told } = story;
  return [
    standing === "forgotten" ? `## ${turnTitle(story)}` : `## ${turnTitle(story)} (${counted(tokens, "token")})`,
    "",
    ...(model === null ? [] : [code(model), ""]),
    ...(said === "" ? [] : [block(said)]),
    ...calls.flatMap(callParts),
    ...told.flatMap((text) => ["Told:", "", block(text)]),
  ];
}

function callParts(call: CallStory): readonly string[] {
  const said = [call.risk, outcomeText(call)].filter((fact) => fact !== "").map(code);
  const facts = [call.verdict === "none" ? "not decided" : `**${call.verdict}**`, ...said];
  return [
    `### ${code(toolText(call))}`,
    "",
    block(call.about),
    facts.join(" · "),
    "",
    ...[...call.rules.map((rule) => `rule ${rule}`), ...call.answers, ...call.labels, ...(call.reason === "" ? [] : [call.reason])].map(
      (line) => `- ${code(line)}`,
    ),
    "",
    ...(call.result === "" ? [] : [block(call.result)]),
  ];
}

/** In one line, between more backticks than are in it. */
export function code(text: string): string {
  const line = makeVisibleLine(text);
  const fence = "`".repeat(longestRun(line) + 1);
  return `${fence} ${line} ${fence}`;
}

function block(text: string, language = "text"): string {
  const visible = makeVisible(text).trimEnd();
  const fence = "`".repeat(Math.max(3, longestRun(visible) + 1));
  return `${fence}${language}\n${visible}\n${fence}\n`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/gu) ?? []).map((run) => run.length));
}
