import { PROGRAMS } from "../../../programs/programs.ts";
import type { OddNames, SimpleCommand, Word } from "../../model/model.ts";
import type { ParsedArguments } from "../reading/arguments.ts";
import { parseArguments } from "../reading/arguments.ts";
import { PLAIN_NAMES } from "../operands/file-names.ts";
import { literalPath, pathContext } from "../operands/paths.ts";
import { literalValue } from "../../model/words.ts";
import { PLAIN, WITH_FILE, WITH_TEXT } from "./find-words.ts";

/** What ends each name. */
export type NameEnd = "zero" | "newline";

/** The names of files that a pipe of commands prints: nothing else stands in its output. */
export type NameList = {
  /** Where they were looked for, as the words say it. */
  readonly starts: readonly string[];
  /** `paths`: each begins with its start. `bare`: it stands without it. `listed`: the same, and right in the start. `tracked`: the same, and in git's index. */
  readonly as: OddNames["as"];
  /** It goes through what links point to, too. */
  readonly isFollowing: boolean;
};

/**
 * The names that the first of these commands prints and the others let through; null: the last one may print something else. Each of them is all that
 * writes into the next.
 */
export function nameListOf(pipe: readonly SimpleCommand[], end: NameEnd): NameList | null {
  const [lister, ...filters] = pipe;
  if (lister === undefined || !pipe.every(isQuiet) || !filters.every((filter) => passesLines(filter, end))) return null;
  const list = lister.program === "find" ? printedStarts(lister.argv, end) : end === "newline" ? listedNames(lister) : null;
  return list?.starts.every((start) => START.test(start)) === true ? list : null;
}

/** A start that is the name of a file to every program, and stays so before every name: no option, no assignment (`if=`), no host. */
const START = /^(?:[\w.][\w., +~#()[\]{}&'-]*)?(?:\/|$)/;

/** Where the files of a list lie for whoever takes its names. */
export function placesOf({ starts, as }: NameList): readonly string[] {
  return as === "paths" ? starts : [...new Set([".", ...starts])];
}

/** Below more of them nobody looks. */
const MAX_STARTS = 8;

/** What makes other words of the lines of a list: a name that is not plain. Null: something else may. */
export function oddNames({ starts, as, isFollowing }: NameList, pipe: readonly SimpleCommand[], home: string): OddNames | null {
  const [lister] = pipe;
  if (isFollowing || lister === undefined || starts.length > MAX_STARTS || !starts.every(isPlainStart)) return null;
  const context = pathContext(lister, home);
  const paths = starts.flatMap((each) => literalPath(each, context)).flatMap((path) => (path.kind === "literal" ? path.path : []));
  return paths.length === starts.length ? { kind: "odd-names", starts: paths, as } : null;
}

/** A tilde would be a name here; behind a link `..` leads elsewhere than it says. */
function isPlainStart(text: string): boolean {
  return PLAIN_NAMES.test(text) && !text.startsWith("~") && !text.split("/").includes("..");
}

/** Its complaints, if they go anywhere, go to a file. */
export function isQuiet({ redirections, assignments }: SimpleCommand): boolean {
  return assignments.length === 0 && redirections.every(({ fd, effect, target }) => fd === 2 && (effect === "write" || effect === "append") && isFile(target));
}

/** `/dev/stdout` and its like may be the pipe. */
function isFile(target: Word): boolean {
  return target.kind === "literal" && (target.value === "/dev/null" || !/(?:^|\/)(?:dev|proc|fd|self|stdout)\//.test(`${target.value}/`));
}

/** Options by the exact names that they are given by. */
function names(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(
    texts.flatMap((text) => text.split(" ")).flatMap((text) => (/^-[^-]{2,}$/.test(text) ? Array.from(text.slice(1), (letter) => `-${letter}`) : text)),
  );
}

/** What matches, and not how it is shown (GNU and BSD). */
const GREP_MATCHING = ["-iwxEFGPe --ignore-case --word-regexp --line-regexp --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp"];
const ONLY_NAMES = ["-l", "-L", "--files-with-matches", "--files-without-match"];

type Lister = {
  /** The words that name it. */
  readonly path: string;
  /** All that it may be given. */
  readonly options: ReadonlySet<string>;
  /** One of each of these must be given. */
  readonly needed: readonly (readonly string[])[];
  /** With one of these its first operand is no pattern. */
  readonly patternless: readonly string[] | null;
};

const GREP: Omit<Lister, "path"> = {
  options: names(...GREP_MATCHING, "-rlLsIv --recursive --no-messages --invert-match --include --exclude --exclude-dir", ...ONLY_NAMES),
  needed: [["-r", "--recursive"], ONLY_NAMES],
  patternless: ["-e", "--regexp"],
};

// What stands in the index, whether it is on the disk or not: git grep looks there too, where a file is taken for unchanged.
const GIT_LISTERS: readonly Lister[] = [
  { path: "git ls-files", options: names("-cdm --cached --deleted --modified"), needed: [], patternless: ["-e"] },
  { path: "git diff", options: names("--name-only --diff-filter"), needed: [["--name-only"]], patternless: ["--name-only"] },
  { path: "git grep", options: names("-iwEFGPelLI --ignore-case --files-with-matches --files-without-match"), needed: [ONLY_NAMES], patternless: ["-e"] },
];

const LISTERS: readonly Lister[] = [
  { ...GREP, path: "grep" },
  { ...GREP, path: "egrep" },
  { ...GREP, path: "fgrep" },
  {
    path: "rg",
    options: names(
      "-iwxFPsSgtTuUve. --ignore-case --smart-case --case-sensitive --word-regexp --line-regexp --fixed-strings --pcre2 --glob --iglob --type --type-not",
      "--hidden --no-ignore --no-ignore-vcs --unrestricted --invert-match --multiline --regexp --sort --sortr --max-depth --files --no-messages --no-config",
      ...ONLY_NAMES.filter((name) => name !== "-L"),
    ),
    needed: [[...ONLY_NAMES.filter((name) => name !== "-L"), "--files"]],
    patternless: ["-e", "--regexp", "--files"],
  },
  ...["fd", "fdfind"].map((path) => ({
    path,
    options: names(
      "-HIuFisgpdteE --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --full-path",
      "--max-depth --min-depth --exact-depth --type --extension --exclude --size --changed-within --changed-before --max-results",
    ),
    needed: [],
    patternless: null,
  })),
  ...GIT_LISTERS,
  // Not -a, which shows `..`.
  { path: "ls", options: names("-1AtrSUcuX --almost-all --reverse"), needed: [], patternless: null },
];

/** What lets whole lines through, and prints nothing of its own. */
const FILTERS = new Map<string, { readonly options: ReadonlySet<string>; /** One pattern that is no option is an operand. */ readonly hasPattern: boolean }>([
  ...["grep", "egrep", "fgrep"].map((name) => [name, { options: names(...GREP_MATCHING, "-vm --invert-match --max-count"), hasPattern: true }] as const),
  ["head", { options: names("-nqz -# --lines --quiet --zero-terminated"), hasPattern: false }],
  ["tail", { options: names("-nqz -# --lines --quiet --zero-terminated"), hasPattern: false }],
  ["sort", { options: names("-bdfghMnrRVsukz -t --reverse --unique --numeric-sort --version-sort --key --zero-terminated"), hasPattern: false }],
  ["uniq", { options: names("-diuz --repeated --ignore-case --unique --zero-terminated"), hasPattern: false }],
]);

const ZERO = ["-z", "--zero-terminated"];

/** Whether a command only leaves out whole lines, or puts them in another order. */
export function passesLines(simple: SimpleCommand, end: NameEnd): boolean {
  const filter = FILTERS.get(simple.program ?? "");
  const parsed = filter === undefined ? null : knownWords(simple, filter.options);
  if (filter === undefined || parsed === null) return false;
  const has = (given: readonly string[]): boolean => parsed.options.some(({ name }) => given.includes(name));
  if (has(ZERO) !== (end === "zero")) return false;
  return parsed.operands.length === (filter.hasPattern && !has(["-e", "--regexp"]) ? 1 : 0);
}

/** The words of a command, where all are known, the table names each, and it has none but these options. */
export function knownWords({ argv: [program, ...words] }: SimpleCommand, options: ReadonlySet<string>): ParsedArguments | null {
  const node = PROGRAMS.find(literalValue(program) ?? "");
  if (node === undefined || !words.every((word) => word.kind === "literal")) return null;
  const parsed = parseArguments(node, words);
  return parsed.faults.length === 0 && parsed.options.every(({ name }) => options.has(name)) ? parsed : null;
}

function listedNames(simple: SimpleCommand): NameList | null {
  for (const lister of LISTERS) {
    if (lister.path.split(" ")[0] !== simple.program) continue;
    const parsed = knownWords(simple, lister.options);
    if (parsed?.node.path !== lister.path || !isNamedFirst(simple, lister)) continue;
    const has = (given: readonly string[]): boolean => parsed.options.some(({ name }) => given.includes(name));
    if (!lister.needed.every(has)) return null;
    const operands = parsed.operands.flatMap((word) => literalValue(word) ?? []);
    if (lister.path === "ls") return operands.length > 1 ? null : { starts: operands.length === 0 ? ["."] : operands, as: "listed", isFollowing: false };
    const starts = lister.patternless !== null && has(lister.patternless) ? operands : operands.slice(1);
    if (GIT_LISTERS.includes(lister)) return isLimited(simple, lister, operands) ? { starts: ["."], as: "tracked", isFollowing: false } : null;
    return starts.length === 0 ? { starts: ["."], as: "bare", isFollowing: false } : { starts, as: "paths", isFollowing: false };
  }
  return null;
}

/** An option before the subcommand is another one: `git -c core.bare=true ls-files`. */
function isNamedFirst({ argv }: SimpleCommand, { path }: Lister): boolean {
  return path.split(" ").every((name, index) => literalValue(argv[index]) === name);
}

/** Whether what stands behind the pattern are names below the working directory: before `--` it could be a commit, and elsewhere it is found in another way. */
function isLimited({ argv }: SimpleCommand, { path }: Lister, operands: readonly string[]): boolean {
  const texts = argv.map((word) => literalValue(word));
  const behind = texts.includes("--") ? texts.length - 1 - texts.indexOf("--") : 0;
  const patterns = path === "git grep" && !texts.some((text) => text === "-e") ? 1 : 0;
  if (path !== "git ls-files" && operands.length > behind + patterns) return false;
  // Of two paths outside of a repository, git diff shows how the files below them differ.
  if (path === "git diff" && operands.length > 1) return false;
  return operands.slice(patterns).every((text) => /^[\w.*]/.test(text) && !text.split("/").includes(".."));
}

/** The paths that find prints. Null: it prints something else as well, or its words are not all known. */
function printedStarts(argv: readonly Word[], end: NameEnd): NameList | null {
  const words = argv.slice(1);
  const texts = words.flatMap((word) => literalValue(word) ?? []);
  const first = placeIn(texts, (text) => !/^-(?:[HLP]|O\d)$/.test(text));
  const behind = placeIn(texts, (text, index) => index >= first && /^[-!(),]/.test(text));
  if (texts.length !== words.length) return null;
  let zeros = 0;
  for (let at = behind; at < texts.length; at += 1) {
    const text = texts[at] ?? "";
    if (text === "-print0") zeros += 1;
    if (SPEAKING.has(text) && (text !== "-print" || end === "zero")) return null;
    if (PLAIN.has(text)) continue;
    if (!WITH_TEXT.has(text) && !WITH_FILE.has(text)) return null;
    at += 1;
  }
  if (zeros !== (end === "zero" ? 1 : 0)) return null;
  const starts = behind === first ? ["."] : texts.slice(first, behind);
  return { starts, as: "paths", isFollowing: texts.some((text) => text === "-L" || text === "-follow") };
}

/** Where the first of them stands; the end where there is none. */
function placeIn(texts: readonly string[], isMeant: (text: string, index: number) => boolean): number {
  const at = texts.findIndex(isMeant);
  return at < 0 ? texts.length : at;
}

const SPEAKING = new Set(["-print", "-printf", "-ls"]);
