import type { ParsedScript, SyntaxNode } from "../text/parse.ts";
import type { State } from "../state/state.ts";
import { knownValue, mayLose } from "../state/variables.ts";
import type { Scope } from "../state/walk.ts";

/** Where a substitution stands that was just read: `from` is where its simple commands begin, `state` that of the shell which it copies. */
type Place = { readonly from: number; readonly state: State };

/**
 * The exact text of a substitution that was just read: empty for an empty script, the words of a plain `echo`, the directory of a plain `pwd`.
 * Null where it is not exact. Shells print a backslash in different ways.
 */
export function printedText(scope: Scope, script: ParsedScript | undefined, { from, state }: Place): string | null {
  if (script === undefined || script.source !== undefined || script.errors !== undefined) return null;
  const [only, ...others] = script.commands;
  if (only === undefined) return scope.walk.simples.length === from ? "" : null;
  if (others.length > 0 || only.background === true || mayLose(scope)) return null;
  const text = echoedText(scope, only.command, from) ?? (isPlainPwd(scope, only.command, from) ? knownValue(scope, "PWD", state) : null);
  return text?.replace(/\n+$/, "") ?? null;
}

/** Whether it is `pwd` alone, which tells what the shell takes for its directory, links and all. */
function isPlainPwd(scope: Scope, command: SyntaxNode, from: number): boolean {
  const { simples } = scope.walk;
  const simple = simples[from];
  if (!isCall(command, "pwd") || simples.length !== from + 1 || simple?.program !== "pwd") return false;
  return simple.argv.length === 1 && simple.redirections.length === 0 && simple.assignments.length === 0;
}

/** What a command prints that was just read, but for the line feed at the end: the words of a plain `echo`, and null for anything else. */
export function echoedText(scope: Scope, command: SyntaxNode, from: number): string | null {
  const { simples } = scope.walk;
  const simple = simples[from];
  if (!isCall(command, "echo") || simples.length !== from + 1 || simple?.program !== "echo") return null;
  if (simple.redirections.length > 0 || simple.assignments.length > 0) return null;
  const words: string[] = [];
  for (const word of simple.argv.slice(1)) {
    if (word.kind !== "literal" || word.value.includes("\\")) return null;
    words.push(word.value);
  }
  return words[0]?.startsWith("-") === true ? null : words.join(" ");
}

/** Whether the command itself calls the builtin: the one that was read in `z=$(echo a)` stands in an assignment, which prints nothing. */
function isCall(command: SyntaxNode, name: string): boolean {
  return command.type === "Command" && command.name?.text === name;
}
