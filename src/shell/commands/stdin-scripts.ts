import { newEffect } from "../model/effects.ts";
import type { Effect, PathOperand, Redirection, SimpleCommand, Stdin, Word } from "../model/model.ts";
import { addEffects } from "./add-command.ts";
import { boundedWords } from "../state/parameters.ts";
import type { State } from "../state/state.ts";
import { NO_VARIABLES } from "../state/state.ts";
import type { Scope } from "../state/walk.ts";
import { addUndecidable, apart, newShell } from "../state/scope.ts";

/** Take a line at a time, or some characters, so that the shell goes on behind them. */
const TAKES_LINES = new Set(["read", "mapfile", "readarray", "dd", "line", "select", "gpg", "gpg2", "pv"]);
/** Options that make a program take no more than it needs, or as many characters as they say: `head -c 2`, `od -N 2`, `sed -u 1q`, `cmp -n 2`. */
const TAKING: ReadonlyMap<string, RegExp> = new Map([
  ["head", /^-(?:[a-zA-Z]*c|-b)/],
  ["od", /^-(?:[a-zA-Z]*N|-r)/],
  ["xxd", /^-(?:[a-zA-Z]*l|len)/],
  ["hexdump", /^-(?:[a-zA-Z]*n|-l)/],
  ["hd", /^-(?:[a-zA-Z]*n|-l)/],
  ["sed", /^-(?:[a-zA-Z]*u|-u)/],
  ["cmp", /^-(?:[a-zA-Z]*[ni]|-[bi])/],
  ["file", /^-(?:[a-zA-Z]*P|-p)/],
]);
/** Take a block at a time, and may leave the rest of a longer text: where they found what they look for, what they cannot read, or nobody who takes their output. */
const TAKES_BLOCKS = new Set(
  (
    "head sed gsed awk gawk mawk nawk grep egrep fgrep zgrep ggrep rg ripgrep ag ack perl python python2 python3 ruby node nodejs php lua Rscript less more cmp diff diff3 " +
    "sdiff join comm od xxd hexdump hd file bc dc ed ex vi vim sqlite3 xargs gxargs parallel jq gojq jaq yq json_pp gron xmllint xmlstarlet base64 base32 basenc iconv patch " +
    "tar gtar bsdtar cpio ar unzip funzip 7z gzip gunzip zcat gzcat pigz bzip2 bunzip2 bzcat xz unxz xzcat lzma unlzma lzcat lz4 zstd unzstd zstdcat brotli tr cut nl fold fmt " +
    "expand unexpand rev pr paste uniq split csplit tee strings look envsubst dos2unix unix2dos md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum openssl ssh nc ncat netcat " +
    "socat psql mysql mariadb redis-cli duckdb tclsh expect fzf gnuplot"
  ).split(" "),
);
/** Read an answer, of which they take a block, where they are told to ask. */
const ASKING: ReadonlyMap<string, RegExp> = new Map([
  ["find", /^-ok/],
  ["rm", /^--?[a-zA-Z]*[iI]/],
  ["cp", /^--?[a-zA-Z]*i/],
  ["mv", /^--?[a-zA-Z]*i/],
  ["ln", /^--?[a-zA-Z]*i/],
  ["tar", /^-{0,2}[a-zA-Z]*w|^--(?:in|conf)/],
  ["git", /^--?(?:[a-zA-Z]*[pi])/],
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

/** A shell that reads its commands from standard input. If the script holds that text, it is read too. */
export function visitStdinScript(scope: Scope, shell: StdinShell, state: State): void {
  const { stdin, span, via } = shell.simple;
  const { walk } = scope;
  if (stdin.kind !== "text" || stdin.text.kind !== "literal") {
    addEffects(scope, shell.index, [newEffect("runs-code", `\`${shell.via}\` runs what it reads from its standard input`, span)]);
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
  checkOwnStream(scope, shell.index, from);
}

/** Whether what a shell (the simple command at `index`) reads while it runs it (those at `from` and behind) is all that it gets. */
export function checkOwnStream(scope: Scope, index: number, from: number): void {
  const { simples, effects } = scope.walk;
  const shell = simples[index];
  if (shell === undefined) return;
  const isOf = ({ simple }: Effect): boolean => simple === index || simple >= from;
  if (mayFeedItself([shell, ...simples.slice(from)], effects.filter(isOf))) addUndecidable(scope, "evaluated-text", shell.span, index);
}

/**
 * The shell and its commands share the text. A command that takes some of it makes the shell go on in the middle, perhaps
 * inside what was a quote or a here-document; `exec < file` makes it go on in a file.
 */
function mayBeReadOtherwise(script: Word & { kind: "literal" }, simples: readonly SimpleCommand[]): boolean {
  const isReplaced = simples.some((simple) => simple.redirections.some((redirection) => redirection.fd === 0 || redirection.fd === null));
  if (isReplaced && simples.some((simple) => simple.program === "exec")) return true;
  const text = script.value;
  const isElsewhere = simples.some(({ redirections }) => redirections.some(standsForInput));
  const isTaken = simples.some((simple) => (isElsewhere || sharesInput(simple.stdin)) && mayTake(simple, text)) || /\bselect\b/.test(text);
  // The line that is taken may be the one that changes the directory or gives a variable its value.
  return isTaken && /\n[^]*\S/.test(text);
}

/** The names of descriptors, in whatever directory they stand. */
const DESCRIPTOR = /(?:^|\/)(?:stdin|\d+)$/;

/** Whether a command reads what the shell reads its commands from: `< /dev/stdin` opens it once more. */
function sharesInput(stdin: Stdin): boolean {
  if (stdin.kind === "file") return stdin.target.kind !== "literal" || DESCRIPTOR.test(stdin.target.value);
  return stdin.kind === "inherited";
}

function mayTake({ program, argv, via }: SimpleCommand, text: string): boolean {
  const name = program?.split("/").at(-1) ?? "";
  const taking = TAKING.get(name);
  const takes = taking !== undefined && argv.slice(1).some((word) => word.kind !== "literal" || taking.test(word.value));
  if (TAKES_LINES.has(name) || takes || via.includes("stdbuf")) return true;
  // What asks before it goes on (`find -ok`, `cp -i`) takes a block as well.
  const asking = ASKING.get(name);
  const mayAsk = asking !== undefined && argv.slice(1).some((word) => word.kind !== "literal" || asking.test(word.value));
  return text.length > BLOCK_CHARACTERS && (TAKES_BLOCKS.has(name) || mayAsk);
}

/**
 * Whether a command can add to the commands that its own shell is still reading. `> /dev/stdin` and `> /dev/fd/63` open the shell's pipe at its other
 * end, so what a command prints is run. `simples` and `effects` are those of the shell and of its script.
 */
function mayFeedItself(simples: readonly SimpleCommand[], effects: readonly Effect[]): boolean {
  const redirections = simples.flatMap((simple) => simple.redirections);
  // What is written to an output by its name is no effect of a redirection.
  if (redirections.some(standsForInput) && redirections.some(opensOutput)) return true;
  return effects.some(({ kind, path }) => kind === "writes" && path !== undefined && mayNameStream(path));
}

function opensOutput({ effect, target }: Redirection): boolean {
  return effect !== "duplicate" && effect !== "text" && target.kind === "literal" && target.value.startsWith("/dev/") && !SINK.test(target.value);
}

/** `3<&0`: the script has one more name. */
function standsForInput({ effect, target }: Redirection): boolean {
  return effect === "duplicate" && (target.kind !== "literal" || target.value.startsWith("0"));
}

/** No stream. */
const SINK = /^\/dev\/(?:null|zero|full|shm\/.*)$/;
const PLACES = ["/dev/", "/proc/"];

function mayNameStream(path: PathOperand): boolean {
  if (path.kind === "literal") return PLACES.some((place) => path.path.startsWith(place)) && !SINK.test(path.path);
  const start = path.kind === "pattern" ? path.glob : path.prefix;
  return PLACES.some((place) => start.startsWith(place) || place.startsWith(start));
}
