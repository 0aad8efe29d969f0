import type { UndecidableCode } from "./model.ts";

const REASONS: Record<UndecidableCode, string> = {
  "too-long": "the text is longer than what is analysed",
  "too-many-nodes": "the text has more parts than what is analysed",
  "too-deep": "the text is nested more deeply than what is analysed",
  "too-slow": "the analysis took too long",
  "hidden-character": "it holds a control, invisible or look-alike character",
  "not-utf16": "it holds half a character",
  "line-continuation": "a line continuation stands inside a word",
  "parse-error": "it is no valid shell syntax",
  "uncovered-substitution": "it may be a substitution that the parser does not see",
  "dynamic-program": "which program runs is known only when it runs",
  "pattern-program": "a pattern names the program",
  "reserved-word": "a reserved word stands where a program is named",
  "hot-variable": "this variable steers programs or the shell",
  subscript: "an array subscript may be expanded once more",
  arithmetic: "arithmetic evaluates a text that is not known to be a number",
  "indirect-expansion": "one variable names another",
  "prompt-expansion": "the value of a variable is expanded as a prompt",
  "shell-option": "a shell option changes how the rest is read",
  alias: "an alias changes what a word means",
  "evaluated-text": "a text that is not known is run as shell commands",
  "sourced-file": "the commands of a file are run",
  "function-override": "a function takes the place of a shell builtin",
  "unsupported-syntax": "shells read this syntax in different ways",
  "analysis-failed": "the analysis did not come to an end",
};

/** One sentence for a person about why a text cannot be decided. */
export function explainUndecidable(code: UndecidableCode, text: string): string {
  return text === "" ? REASONS[code] : `\`${text}\`: ${REASONS[code]}`;
}
