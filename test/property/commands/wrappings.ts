/** Ways to write a command that do the same or more, and so may never be judged less strictly. */
export type Wrapping = {
  readonly name: string;
  readonly wrap: (command: string) => string;
  /** What it gives must stand at the end of a line, so nothing wraps it in turn. */
  readonly endsLine?: boolean;
};

function single(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function double(text: string): string {
  return `"${text.replaceAll(/["$`\\]/g, "\\$&")}"`;
}

function ansi(text: string): string {
  return `$'${text.replaceAll(/['\\]/g, "\\$&").replaceAll("\n", "\\n")}'`;
}

/** Words as a command line, each word quoted in turn by one of the ways that keep it. */
export const QUOTINGS: readonly { readonly name: string; readonly quote: (word: string) => string }[] = [
  { name: "single quotes", quote: single },
  { name: "double quotes", quote: double },
  { name: "ANSI-C quotes", quote: ansi },
  { name: "backslashes", quote: (word) => (word === "" ? "''" : word.replaceAll(/[^\w]/g, "\\$&")) },
  { name: "an empty string in front", quote: (word) => `''${single(word)}` },
  { name: "an empty string behind", quote: (word) => `${double(word)}""` },
  { name: "two halves", quote: (word) => `${single(word.slice(0, 1))}${double(word.slice(1))}` },
  {
    name: "hexadecimal",
    quote: (word) =>
      `$'${[...word].map((character) => (character.charCodeAt(0) < 128 ? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}` : character)).join("")}'`,
  },
  {
    name: "octal",
    quote: (word) =>
      `$'${[...word].map((character) => (character.charCodeAt(0) < 128 ? `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}` : character)).join("")}'`,
  },
];

/** For any command text. */
export const WRAPPINGS: readonly Wrapping[] = [
  { name: "sh -c", wrap: (command) => `sh -c ${single(command)}` },
  { name: "bash -c", wrap: (command) => `bash -c ${single(command)}` },
  { name: "bash -c in double quotes", wrap: (command) => `bash -c ${double(command)}` },
  { name: "bash -c in ANSI-C quotes", wrap: (command) => `bash -c ${ansi(command)}` },
  { name: "bash -ec", wrap: (command) => `bash -ec ${single(command)}` },
  { name: "env bash -c", wrap: (command) => `env A=1 bash -c ${single(command)}` },
  { name: "eval", wrap: (command) => `eval ${single(command)}` },
  { name: "trap", wrap: (command) => `trap ${single(command)} EXIT` },
  { name: "a substitution", wrap: (command) => `echo $( ${command})` },
  { name: "a quoted substitution", wrap: (command) => `echo "$( ${command})"` },
  { name: "backticks", wrap: (command) => `echo \`${command.replaceAll(/[`\\$]/g, "\\$&")}\`` },
  { name: "a process substitution", wrap: (command) => `cat <( ${command})` },
  { name: "an assignment", wrap: (command) => `v=$( ${command})` },
  { name: "a subshell", wrap: (command) => `( ${command})` },
  { name: "a group", wrap: (command) => `{ ${command}; }` },
  { name: "a group on lines", wrap: (command) => `{\n${command}\n}` },
  { name: "true before", wrap: (command) => `true; ${command}` },
  { name: "true behind", wrap: (command) => `${command}; true` },
  { name: "and true", wrap: (command) => `${command} && true` },
  { name: "or true", wrap: (command) => `${command} || true` },
  { name: "true and", wrap: (command) => `true && ${command}` },
  { name: "false or", wrap: (command) => `false || ${command}` },
  { name: "a line before", wrap: (command) => `true\n${command}` },
  { name: "a comment", wrap: (command) => `${command} # don't`, endsLine: true },
  { name: "a pipe in", wrap: (command) => `echo a | { ${command}; }` },
  { name: "a pipe out", wrap: (command) => `${command} | cat` },
  { name: "the background", wrap: (command) => `${command} &`, endsLine: true },
  { name: "negation", wrap: (command) => `! ${command}` },
  { name: "time", wrap: (command) => `time ${command}` },
  { name: "if", wrap: (command) => `if ${command}; then true; fi` },
  { name: "then", wrap: (command) => `if true; then ${command}; fi` },
  { name: "else", wrap: (command) => `if false; then true; else ${command}; fi` },
  { name: "a loop", wrap: (command) => `for i in 1 2; do ${command}; done` },
  { name: "while", wrap: (command) => `while false; do ${command}; done` },
  { name: "case", wrap: (command) => `case a in b) ${command} ;; esac` },
  { name: "a function", wrap: (command) => `f() { ${command}; }; f` },
  { name: "coproc", wrap: (command) => `coproc { ${command}; }` },
  { name: "a here-document", wrap: (command) => `cat <<E\n$( ${command})\nE`, endsLine: true },
  { name: "a shell's here-document", wrap: (command) => `bash <<'E'\n${command}\nE`, endsLine: true },
  { name: "a default value", wrap: (command) => `echo \${nothing:-$( ${command})}` },
  { name: "discarded output", wrap: (command) => `{ ${command}; } > /dev/null 2>&1` },
];

/** For one simple command. */
export const PREFIXES: readonly string[] = [
  "env",
  "env -i",
  "env A=1",
  "env --",
  "timeout 5",
  "timeout -k 1 --signal=TERM 5",
  "nice",
  "nice -n 5",
  "nohup",
  "setsid",
  "setsid -w",
  "ionice -c 3",
  "stdbuf -oL",
  "command",
  "exec",
  "time -p",
  "A=1",
  "env nice timeout 5",
  "command env",
  "xargs",
  // With `-I`, and without its mark among them, nothing is put behind the words, where it would be another target of cp.
  "echo a | xargs -I %%",
  "echo a |",
  "sudo",
  "busybox",
];
