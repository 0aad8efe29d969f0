import type { Suggestion, Suggestions } from "../../../app/policy/suggest/suggest.ts";
import { makeVisible, makeVisibleLine } from "../../../base/text.ts";
import { counted, paint } from "../style.ts";

/** The rules that would answer questions, each with what speaks for it, and the patch that adds them. */
export function suggestionsText({ policy, open, suggestions, patch }: Suggestions): string {
  const answered = suggestions.reduce((sum, { questions }) => sum + questions, 0);
  if (open === 0) return `No question that was answered with yes would still be asked by ${policy}.\n`;
  if (suggestions.length === 0)
    return `${counted(open, "question")} would still be asked by ${policy}, and no rule that is narrow enough answers any of them.\n`;
  const head = `${counted(suggestions.length, "rule")} would have answered ${answered} of ${counted(open, "question")} that were answered with yes:`;
  const byHand = "No patch can add these: the file writes its rules in brackets, or its lines end unusually. Add them by hand.";
  return `${[head, "", ...suggestions.flatMap(lines), patch === null ? byHand : makeVisible(patch)].join("\n").trimEnd()}\n`;
}

function lines({ rule, questions, runs, last, alsoAllows, leaves }: Suggestion): readonly string[] {
  const row = (name: string, text: string | null): readonly string[] => (text === null ? [] : [`  ${name.padEnd(12)} ${makeVisibleLine(text)}`]);
  return [
    paint("bold", makeVisibleLine(rule.allow)),
    `  answers ${counted(questions, "question")} of ${counted(runs, "run")}, the last on ${last.slice(0, 10)}; until ${rule.expires}`,
    ...row("also allows", alsoAllows),
    ...row("and not", leaves),
    "",
  ];
}
