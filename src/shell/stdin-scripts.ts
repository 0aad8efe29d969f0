import type { SimpleCommand, Word } from "./model.ts";
import { addEffects } from "./record.ts";
import { boundedWords } from "./positional.ts";
import type { State } from "./state.ts";
import { NO_VARIABLES } from "./state.ts";
import type { Scope } from "./walk.ts";
import { addUndecidable, apart, newShell } from "./walk.ts";

/** Take a line at a time, or some characters, so that the shell goes on behind them. */
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
  const isTaken = simples.some((simple) => simple.stdin.kind === "inherited" && mayTake(simple, text)) || /\bselect\b/.test(text);
  // The line that is taken may be the one that changes the directory or gives a variable its value.
  return isTaken && /\n[^]*\S/.test(text);
}

function mayTake({ program, argv }: SimpleCommand, text: string): boolean {
  const name = program?.split("/").at(-1) ?? "";
  if (TAKES_LINES.has(name) || (name === "head" && argv.slice(1).some(mayCountCharacters))) return true;
  return text.length > BLOCK_CHARACTERS && TAKES_BLOCKS.has(name);
}

/** `head -c 2` takes that and no more. */
function mayCountCharacters(word: Word): boolean {
  return word.kind !== "literal" || /^-(?:[a-zA-Z]*c|-b)/.test(word.value);
}
