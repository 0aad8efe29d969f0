import type { Scope } from "./walk.ts";

// What dash and bash read in different ways; `sh` may be either.
const BASHISM =
  /\$['"[]|\(\(|\[\[|<<<|[<>]\(|\|&|&>|[<>]&(?![\d-])|=\(|\+=|\$\{(?:!|#?\w+\[|[^}]*(?:\/|\^|,|@|:[^-=+?]))|\{[^}]*(?:,|\.\.)|\{\w+\}[<>]|~[+-]|;&|>!|(?:^|[\s;&|(])=[^\s=]|\b(?:function|select|coproc|time|let|declare|typeset|source|shopt|mapfile|readarray|pushd|popd|dirs|builtin|enable|compgen|complete|bind|caller|disown|help|history|suspend|logout)\b/;

// Their builtins take numbers as arithmetic, with the substitutions in it: `ksh -c '[ "$1" -eq 1 ]' _ 'a[$(id)]'` runs id. The last command of a
// pipeline runs in them, and not in a process of its own.
const KORN = /(?:^|\/)(?:z|k|mk)sh$/;

/** Whether what is read here runs in such a shell. */
export function isKorn({ dialect, via }: Pick<Scope, "dialect" | "via">): boolean {
  return dialect === "sh" && via.some((program) => KORN.test(program));
}

/** Whether a script is certain to mean the same to `sh` as to bash. */
export function isPortable(text: string): boolean {
  return !BASHISM.test(text);
}

/**
 * The shell text of a line of a makefile recipe, and null when it holds what make itself expands.
 */
export function recipeText(text: string): string | null {
  const command = text.replace(/^[\t ]*[-@+]*/gm, "");
  return /(?<!\$)(?:\$\$)*\$(?!\$)/.test(command) ? null : command.replaceAll("$$", "$");
}
