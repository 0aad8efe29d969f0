export type Dialect = "bash" | "sh" | "make";

/** In which language a text is read, and the programs that were started to read it. */
type Reader = { readonly dialect: Dialect; readonly via: readonly string[] };

// Syntax that dash and bash read in different ways; `sh` may be either. A quote hides none of it: what quotes can hide is asked where it was read.
const BASHISM =
  /\$['"[]|\(\(|\[\[|<<<|[<>]\(|\|&|&>|[<>]&(?![\d-])|=\(|\+=|\$\{(?:!|#?\w+\[|[^}]*(?:\/|\^|,|@|:[^-=+?]))|\{[^}]*(?:,|\.\.)|\{\w+\}[<>]|~[+-]|;&|\b(?:function|select|coproc|time)\b/;

// Builtins that every shell has. What else bash runs itself is a program to dash, or nothing.
const EVERYWHERE = new Set(
  ": . [ alias bg break cd command continue echo eval exec exit export false fg getopts hash jobs kill local printf pwd read readonly return set shift test times trap true type ulimit umask unalias unset wait".split(
    " ",
  ),
);
// Builtins of other shells, which are programs to bash: they change what is known of the shell, or run a command.
const ELSEWHERE = new Set(["chdir"]);
const OF_KORN = new Set(
  "- autoload compound disable emulate end float foreach functions global hist integer nameref nocorrect noglob print r redirect rehash repeat setopt unfunction unsetopt vared whence zmodload".split(
    " ",
  ),
);

// Their builtins take numbers as arithmetic, with the substitutions in it: `ksh -c '[ "$1" -eq 1 ]' _ 'a[$(id)]'` runs id. The last command of a
// pipeline runs in them, and not in a process of its own.
const KORN = /(?:^|\/)(?:z|k|mk)sh$/;

/** Whether this text runs in ksh, mksh or zsh. */
export function isKorn({ dialect, via }: Reader): boolean {
  return dialect === "sh" && via.some((program) => KORN.test(program));
}

/** Whether a name stands for the same in `sh`, where it is read, as in bash: a builtin in both, or in neither. However it was quoted, this is what it became. */
export function isPortableName(scope: Reader, name: string, isBuiltin: boolean): boolean {
  if (isBuiltin) return EVERYWHERE.has(name) && !(name === "local" && isKorn(scope));
  return !ELSEWHERE.has(name) && !(OF_KORN.has(name) && isKorn(scope));
}

// What zsh alone makes something of: flags of an expansion (`$~x`), ranges of numbers, `>!` for `>|`, and `=ls` for the path of ls.
const ZSHISM = /\$[=^~+:]|\$#\w|<\d*-\d*>|>!|(?:^|[\s;&|(])=[^\s=]/;

/** Whether a script is certain to mean the same to `sh` as to bash: to the one that `via` names. */
export function isPortable(text: string, via: readonly string[]): boolean {
  return !BASHISM.test(text) && !(isKorn({ dialect: "sh", via }) && ZSHISM.test(text));
}

/** Whether a pattern that is expanded here means other names to dash, to which `[^a]` is no negation. */
export function isNegatedOtherwise({ dialect }: Pick<Reader, "dialect">, pattern: string): boolean {
  return dialect === "sh" && pattern.includes("[^");
}

// Arrays that zsh keeps equal to variables of the shell, the parameters, and what it runs for a redirection without a command.
const STEERS_ZSH = new Set("path cdpath fpath manpath module_path mailpath fignore argv FPATH MODULE_PATH ZDOTDIR NULLCMD READNULLCMD".split(" "));

/** Whether setting a variable makes such a shell do something else, where it is one. */
export function steersZsh(scope: Reader, name: string): boolean {
  return STEERS_ZSH.has(name) && isKorn(scope);
}

/**
 * The shell text of a line of a makefile recipe, and null when it holds what make itself expands.
 */
export function recipeText(text: string): string | null {
  const command = text.replace(/^[\t ]*[-@+]*/gm, "");
  return /(?<!\$)(?:\$\$)*\$(?!\$)/.test(command) ? null : command.replaceAll("$$", "$");
}
