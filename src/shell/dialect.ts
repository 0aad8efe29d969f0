// What dash and bash read in different ways; `sh` may be either.
const BASHISM =
  /\$['"[]|\(\(|\[\[|<<<|[<>]\(|\|&|&>|[<>]&(?![\d-])|=\(|\+=|\$\{(?:!|#?\w+\[|[^}]*(?:\/|\^|,|@|:[^-=+?]))|\{[^}]*(?:,|\.\.)|\{\w+\}[<>]|~[+-]|;&|\b(?:function|select|coproc|time|let|declare|typeset|source|shopt|mapfile|readarray|pushd|popd|dirs|builtin|enable|compgen|complete|bind|caller|disown|help|history|suspend|logout)\b/;

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
