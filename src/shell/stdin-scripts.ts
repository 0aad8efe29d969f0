import type { SimpleCommand, Word } from "./model.ts";
import { parseScript } from "./parse.ts";
import { addEffects } from "./record.ts";
import { boundedWords } from "./positional.ts";
import type { State } from "./state.ts";
import { NO_VARIABLES } from "./state.ts";
import type { Scope } from "./walk.ts";
import { addUndecidable, apart, newShell } from "./walk.ts";

/** Take a line at a time, so that the shell goes on behind it. */
const TAKES_LINES = new Set(["read", "mapfile", "readarray", "dd", "line", "select"]);
/** Take a block at a time, and may leave the rest of a longer text. */
const TAKES_BLOCKS = new Set([
  "head",
  "sed",
  "awk",
  "gawk",
  "mawk",
  "grep",
  "egrep",
  "fgrep",
  "perl",
  "python",
  "python3",
  "ruby",
  "node",
  "less",
  "more",
  "cmp",
  "diff",
]);
/** What the smallest block holds. */
const BLOCK_CHARACTERS = 1024;

export type StdinShell = {
  readonly index: number;
  readonly simple: SimpleCommand;
  readonly via: string;
  /** `$1` and what follows. */
  readonly operands: readonly Word[];
};

/** A shell that reads its commands from standard input: read too when the text stands in the script. */
export function visitStdinScript(scope: Scope, shell: StdinShell, state: State): void {
  const { stdin, span, via } = shell.simple;
  const { walk } = scope;
  if (stdin.kind !== "text" || stdin.text.kind !== "literal") {
    addEffects(scope, shell.index, [{ kind: "runs-code", cause: `\`${shell.via}\` runs what it reads from its standard input`, span }]);
    addUndecidable(scope, "evaluated-text", span, shell.index);
    return;
  }
  const from = walk.simples.length;
  const program = shell.simple.program ?? shell.via;
  const inner: Scope = {
    ...scope,
    via: [...via, program],
    contexts: [...scope.contexts, "nested-shell"],
    stdin: { kind: "inherited" },
    depth: scope.depth + 1,
    shell: newShell(walk),
  };
  // A here-string and `echo` add a newline, which a backslash at the end joins to whatever follows, or takes away.
  if (stdin.text.value.endsWith("\\")) addUndecidable(scope, "line-continuation", stdin.text.span, shell.index);
  const dialect = program.split("/").at(-1) === "bash" ? "bash" : "sh";
  const script = { text: stdin.text.value, span: stdin.text.span, dialect } as const;
  const positional = { name: null, words: walk.assumptions.trapsShift ? null : boundedWords(shell.operands) };
  apart(walk, () => walk.visitors.visitText(inner, script, { ...state, variables: NO_VARIABLES, positional }));
  if (mayBeReadOtherwise(stdin.text, walk.simples.slice(from))) addUndecidable(scope, "evaluated-text", span, shell.index);
}

/**
 * The shell and its commands share the text. A command that takes some of it makes the shell go on in the middle, perhaps
 * inside what was a quote or a here-document; `exec < file` makes it go on in a file.
 */
function mayBeReadOtherwise(script: Word & { kind: "literal" }, simples: readonly SimpleCommand[]): boolean {
  const isReplaced = simples.some((simple) => simple.redirections.some((redirection) => redirection.fd === 0 || redirection.fd === null));
  if (isReplaced && simples.some((simple) => simple.program === "exec")) return true;
  const text = script.value;
  const takers = simples.filter(({ stdin }) => stdin.kind === "inherited");
  // What takes characters leaves the rest of a line.
  if (takers.some(takesCharacters) && text.includes("\n")) return true;
  const isTaken = takers.some(({ program }) => program !== null && mayTake(program, text)) || /\bselect\b/.test(text);
  return isTaken && !text.split("\n").every(standsAlone);
}

/** `read -n 1`, `mapfile -d x`, `dd`, `head -c 2`: what they take need not end where a line does. */
function takesCharacters({ program, argv }: SimpleCommand): boolean {
  const name = program?.split("/").at(-1) ?? "";
  const hasOption = (letters: RegExp): boolean => argv.slice(1).some((word) => word.kind !== "literal" || letters.test(word.value));
  if (name === "read" || name === "mapfile" || name === "readarray") return hasOption(/^-[a-zA-Z]*[nNdtu]/);
  return name === "dd" || (name === "head" && hasOption(/^-(?:[a-zA-Z]*c|-b)/));
}

function mayTake(program: string, text: string): boolean {
  const name = program.split("/").at(-1) ?? "";
  return TAKES_LINES.has(name) || (text.length > BLOCK_CHARACTERS && TAKES_BLOCKS.has(name));
}

/** Whether a line is a script of its own, so that it means the same whatever became of the others. */
function standsAlone(line: string): boolean {
  return !line.includes("<<") && !line.endsWith("\\") && parseScript(line).errors === undefined;
}
