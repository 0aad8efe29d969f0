import type { ParsedScript, SyntaxNode } from "./parse.ts";
import type { Scope } from "./walk.ts";

/**
 * What a substitution gives that was just read, when that is exact: nothing for an empty script, and the words of a
 * plain `echo`. `from` is where its simple commands begin. Shells print a backslash in different ways.
 */
export function printedText(scope: Scope, script: ParsedScript | undefined, from: number): string | null {
  if (script === undefined || script.source !== undefined || script.errors !== undefined) return null;
  const [only, ...others] = script.commands;
  if (only === undefined) return scope.walk.simples.length === from ? "" : null;
  return others.length > 0 || only.background === true ? null : (echoedText(scope, only.command, from)?.replace(/\n+$/, "") ?? null);
}

/** What a command prints that was just read, but for the line feed at the end: the words of a plain `echo`, and null for anything else. */
export function echoedText(scope: Scope, command: SyntaxNode, from: number): string | null {
  const { simples } = scope.walk;
  const simple = simples[from];
  if (command.type !== "Command" || simples.length !== from + 1 || simple?.program !== "echo") return null;
  if (simple.redirections.length > 0 || simple.assignments.length > 0) return null;
  const words: string[] = [];
  for (const word of simple.argv.slice(1)) {
    if (word.kind !== "literal" || word.value.includes("\\")) return null;
    words.push(word.value);
  }
  return words[0]?.startsWith("-") === true ? null : words.join(" ");
}
