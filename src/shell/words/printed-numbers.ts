import type { Command, ParsedScript, WordNode } from "../text/parse.ts";

// What each program's words must look like for its output to be numbers and nothing else.
const PRINTS_NUMBERS: ReadonlyMap<string, RegExp> = new Map([
  ["wc", /^-[clmw]$/],
  ["grep", /^-[iwvEFx]*c[iwvEFx]* [\w./:=@%][\w./:=@%-]*(?: [\w.][\w./-]*)?$/],
  // Not %N, which is a letter outside of Linux, nor what is padded with spaces.
  ["date", /^\+(?:%[YmdHMSsjuw])+$/],
  ["nproc", /^$/],
  ["id", /^-[ug]$/],
  ["seq", /^\d{1,9}(?: \d{1,9}){0,2}$/],
]);

/** Whether a function of that name would make {@link printsNumbers} wrong. */
export function isTrustedForNumbers(program: string): boolean {
  return PRINTS_NUMBERS.has(program);
}

/**
 * Whether a substitution can only give digits, or nothing: its last command is one of a few programs with
 * plain words. Arithmetic over any other output would evaluate what a file or a server says. `several`: there may be more than one number;
 * `padded`: blanks may stand before it, as BSD's wc puts them.
 */
export function printsNumbers(script: ParsedScript | undefined): "one" | "padded" | "several" | null {
  const statement = script?.commands[0];
  if (script === undefined || statement === undefined || script.commands.length !== 1 || statement.background === true) return null;
  const { command } = statement;
  // What an earlier part of a pipeline prints goes into the pipe, but for what it prints as an error.
  const last = command.type === "Pipeline" && command.prefixes.length === 0 ? command.commands.at(-1) : command;
  if (last?.type !== "Command" || !isNumeric(last)) return null;
  if (last.name?.text === "seq") return "several";
  return last.name?.text === "wc" ? "padded" : "one";
}

function isNumeric(command: Command): boolean {
  const words = PRINTS_NUMBERS.get(command.name?.text ?? "");
  if (words === undefined || command.prefix.length > 0) return false;
  const texts: string[] = [];
  for (const child of command.suffix) {
    if (child.type === "Word" && isPlain(child)) texts.push(child.text);
    else if (child.type !== "Redirect" || child.operator !== "<") return false;
  }
  return words.test(texts.join(" "));
}

function isPlain(word: WordNode): boolean {
  return word.parts === undefined && word.text === word.value && !/[{}~\s]/.test(word.text);
}
