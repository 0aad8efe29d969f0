import type { CallStory } from "../../../app/story/call-story.ts";
import type { RunStory, TurnStory } from "../../../app/story/story.ts";
import { makeVisible, makeVisibleLine } from "../../../base/text.ts";
import { counted, cutToWidth, formatDuration, paint, paintVerdict } from "../style.ts";
import { costLines, headLines, outcomeText, returnLines, toolText, turnTitle } from "./facts.ts";

const MOST_SAID_LINES = 12;
const MOST_RESULT_LINES = 4;
const MOST_CHANGES = 20;
const MOST_SCRIPT_CALLS = 20;

/** A run at a glance, each line within so many columns: turns, calls with their rulings and the beginning of what came, costs, changes. */
export function storyText(story: RunStory, columns: number): string {
  const lines = [
    paint("bold", `${story.run}  ${story.ending}`),
    ...headLines(story),
    ...todoText(story),
    ...story.turns.flatMap((turn) => ["", ...turnLines(turn, columns)]),
    "",
    ...changeLines(story),
    ...costLines(story),
    ...returnLines(story),
    "",
    `All of it: warder runs export ${story.run} --format html > run.html`,
  ];
  return `${lines.map((line) => (line.includes("\u001b") ? line : cutToWidth(line, columns))).join("\n")}\n`;
}

function todoText({ todo }: RunStory): readonly string[] {
  return todo === null ? [] : [`Its list, ${makeVisibleLine(todo.count)}:`, ...todo.lines.map((line) => `  ${makeVisibleLine(line)}`)];
}

function turnLines(story: TurnStory, columns: number): readonly string[] {
  const { standing, model, said, tokens, calls, told } = story;
  const head = standing === "forgotten" ? turnTitle(story) : `${turnTitle(story)}  ${makeVisibleLine(model ?? "")}  ${counted(tokens, "token")}`;
  return [
    paint("cyan", cutToWidth(head, columns)),
    ...beginning(said, MOST_SAID_LINES, columns),
    ...calls.flatMap((call, index) => {
      const ofScript = call.isInScript ? index - calls.findLastIndex((other, at) => at < index && !other.isInScript) : 0;
      if (ofScript <= MOST_SCRIPT_CALLS) return callLines(call, columns);
      return calls[index + 1]?.isInScript === true ? [] : [`  … ${counted(ofScript - MOST_SCRIPT_CALLS, "more call")} of the script`];
    }),
    ...told.flatMap((text) => [`  Told:`, ...beginning(text, MOST_RESULT_LINES, columns)]),
  ];
}

function callLines(call: CallStory, columns: number): readonly string[] {
  const { verdict, risk, rules, reason, durationMs } = call;
  const outcome = outcomeText(call);
  const ended = outcome === "" ? "" : ` · ${outcome}${durationMs === null ? "" : ` in ${formatDuration(durationMs)}`}`;
  const facts = `${risk === "" ? "" : ` · ${makeVisibleLine(risk)}`}${ended}`;
  const decided = verdict === "none" ? "not decided" : verdict;
  return [
    cutToWidth(`▸ ${makeVisibleLine(toolText(call))}  ${makeVisibleLine(call.about)}`, columns),
    `  ${paintVerdict(decided)}${cutToWidth(facts, columns - 2 - decided.length)}`,
    ...rules.map((rule) => cutToWidth(`    rule ${makeVisibleLine(rule)}`, columns)),
    ...(verdict === "deny" || verdict === "rejected" ? [cutToWidth(`    ${makeVisibleLine(reason)}`, columns)] : []),
    ...call.labels.map((label) => cutToWidth(`    ${makeVisibleLine(label)}`, columns)),
    ...call.answers.map((answer) => `    ${makeVisibleLine(answer)}`),
    ...beginning(call.result, MOST_RESULT_LINES, columns).map((line) => paint("dim", line)),
  ];
}

/** The first lines of a text, and how many more there are. */
function beginning(text: string, most: number, columns: number): readonly string[] {
  const lines = makeVisible(text).replaceAll("\t", "  ").trimEnd().split("\n");
  if (lines.length === 1 && lines[0] === "") return [];
  const shown = lines.slice(0, most).map((line) => cutToWidth(`  │ ${line}`, columns));
  return lines.length > most ? [...shown, `  │ … ${counted(lines.length - most, "more line")}`] : shown;
}

function changeLines({ run, changes, landings }: RunStory): readonly string[] {
  const waiting = changes ?? [];
  const more = waiting.length - MOST_CHANGES;
  return [
    ...(waiting.length === 0 ? [] : [`Changes that wait (${String(waiting.length)}): warder changes diff ${run}`]),
    ...waiting.slice(0, MOST_CHANGES).map((change) => `  ${makeVisibleLine(change)}`),
    ...(more > 0 ? [`  … ${counted(more, "more change")}`] : []),
    ...landings.map((line) => `Changes: ${makeVisibleLine(line)}`),
  ];
}
