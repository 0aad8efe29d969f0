import { newEffect } from "../../model/effects.ts";
import type { ProjectFiles, Word } from "../../model/model.ts";
import type { OptionUse } from "../reading/arguments.ts";
import type { Collector } from "../reading/collector.ts";
import { literalPath } from "../operands/paths.ts";

/** What the shells read from the home when they begin, or end, as a login shell or an interactive one. */
const START_UP = ".profile .bash_profile .bash_login .bash_logout .bashrc .zshenv .zprofile .zshrc .zlogin .zlogout .kshrc .mkshrc .yash_profile .yashrc".split(
  " ",
);

/** `-l` or `-i`. */
export function readsStartUp({ name }: OptionUse): boolean {
  return name === "-l" || name === "-i" || name === "--login";
}

/**
 * Where the start-up files of a shell would lie that runs this text. Undefined: whatever they are, they may make something else of the text, or nobody
 * can tell. Plain words of programs mean the same in every shell; a builtin that the files could have prepared something for makes the rest of the analysis count the effect.
 */
export function startUpFiles(to: Collector, text: Word): ProjectFiles | undefined {
  const start = literalPath(".", to.paths);
  if (text.kind !== "literal" || !PLAIN.test(text.value) || /\bcd\b/.test(text.value) || start.kind !== "literal") return undefined;
  return { kind: "files", directory: start.path, files: [], homeFiles: START_UP.map((name) => `${to.home}/${name}`) };
}

/** Records that the start-up files run. On the host they are the person's own; in a sandbox a command may have made them. */
export function addStartUp(to: Collector, { name, word }: OptionUse, through: ProjectFiles): void {
  to.effects.push({ ...newEffect("runs-code", `\`${name}\` makes \`${to.program}\` run start-up files of the home`, word.span), through });
}

/** Programs and their words, one behind the other: no variable, pattern, quote, redirection or history, which a setting of the shell could change. */
const PLAIN = /^[\w./,:@%+ -]+(?:(?:&&|\|\|?|;)[\w./,:@%+ -]+)*$/;
