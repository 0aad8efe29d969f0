import type { ParsedScript } from "./parse.ts";
import type { Scope } from "./walk.ts";

/**
 * What a substitution gives that was just read, when that is exact: nothing for an empty script, and the words of a
 * plain `echo`. `from` is where its simple commands begin. Shells print a backslash in different ways.
 */
export function printedText(scope: Scope, script: ParsedScript | undefined, from: number): string | null {
  if (script === undefined || script.source !== undefined || script.errors !== undefined) return null;
  const [only, ...others] = script.commands;
  const { simples } = scope.walk;
  if (only === undefined) return simples.length === from ? "" : null;
  const simple = simples[from];
  const isAlone = others.length === 0 && only.background !== true && only.command.type === "Command" && simples.length === from + 1;
  if (!isAlone || simple?.program !== "echo" || simple.redirections.length > 0 || simple.assignments.length > 0) return null;
  const words: string[] = [];
  for (const word of simple.argv.slice(1)) {
    if (word.kind !== "literal" || word.value.includes("\\")) return null;
    words.push(word.value);
  }
  return words[0]?.startsWith("-") === true ? null : words.join(" ").replace(/\n+$/, "");
}
