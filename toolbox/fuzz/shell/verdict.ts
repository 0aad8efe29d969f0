import type { CommandAnalysis, Effect, PathOperand, SimpleCommand, Word } from "../../../src/shell/model/model.ts";
import type { Execution, Started } from "./execution/real-shell.ts";
import { REAL_PROGRAMS } from "./execution/stub-root.ts";

/**
 * `static`: the analysis claims to know everything that runs. `open`: a program that starts others runs code that is
 * not followed, and the verdict says so. `undecidable`: the text itself is not claimed to be understood.
 */
export type Standing = "static" | "open" | "undecidable";

/** Where an execution went beyond what the analysis foretold. */
export type Problem = {
  readonly kind: "program" | "directory" | "words" | "write" | "syntax";
  readonly what: string;
};

export function standingOf(analysis: CommandAnalysis): Standing {
  if (analysis.undecidable.length > 0 || analysis.effects.some((effect) => effect.kind === "undecidable")) return "undecidable";
  return analysis.effects.some((effect) => isOpen(analysis, effect)) ? "open" : "static";
}

/** Stubs execute nothing: what they are feared to run never runs here. */
function isOpen(analysis: CommandAnalysis, effect: Effect): boolean {
  if (effect.kind !== "runs-code" && effect.kind !== "unknown") return false;
  const program = analysis.simples[effect.simple]?.program;
  return program === undefined || program === null || REAL_PROGRAMS.has(baseName(program));
}

/** Everything that happened and was not foretold. Empty for a text that is not claimed to be understood. */
export function findProblems(analysis: CommandAnalysis, execution: Execution): readonly Problem[] {
  if (standingOf(analysis) !== "static") return [];
  const problems: Problem[] = [];
  for (const started of execution.started) {
    const kind = missedPart(analysis, started);
    if (kind !== null)
      problems.push({ kind, what: `${kind === "directory" ? `${started.directory}: ` : ""}${[started.program, ...started.argv.slice(1)].join(" ")}` });
  }
  for (const path of execution.written) if (!isForetold(analysis, path, ["writes"])) problems.push({ kind: "write", what: path });
  for (const path of execution.removed) if (!isForetold(analysis, path, ["deletes", "writes"])) problems.push({ kind: "write", what: `${path} removed` });
  if (isRefused(execution) && analysis.effects.every((effect) => effect.kind === "reads" || effect.kind === "messages")) {
    problems.push({ kind: "syntax", what: execution.stderr.split("\n").find((line) => SYNTAX_ERROR.test(line)) ?? "" });
  }
  return problems;
}

const SYNTAX_ERROR = /^main-shell: -c: line \d+: (?:syntax error|unexpected EOF)/m;

/** Whether bash itself does not take the text for valid. */
export function isRefused(execution: Execution): boolean {
  return SYNTAX_ERROR.test(execution.stderr);
}

/** What stub.h calls a working directory that is gone. */
const GONE = "?";

/** The first of name, directory and words that no simple command foretells together with those before it. */
function missedPart(analysis: CommandAnalysis, started: Started): Problem["kind"] | null {
  const named = analysis.simples.filter((simple) => simple.program !== null && baseName(simple.program) === started.program);
  if (named.length === 0) return "program";
  const isPlace = (path: string): boolean => path === started.directory || (started.directory === GONE && isForetold(analysis, path, ["deletes"]));
  const placed = named.filter((simple) => simple.cwd.kind === "unknown" || isPlace(simple.cwd.path));
  if (placed.length === 0) return "directory";
  return placed.some((simple) => admits(simple, started)) ? null : "words";
}

function admits(simple: SimpleCommand, started: Started): boolean {
  // `-exec … {} +` mixes the paths of all starting points, which the analysis lists one by one.
  if (simple.via.includes("find")) return true;
  return admitsWords(simple.argv.slice(1), started.argv.slice(1));
}

function admitsWords(words: readonly Word[], texts: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return texts.length === 0;
  if (isStart(word, rest[0]) && admitsWords(rest, texts)) return true;
  if (word.kind === "literal") return texts[0] === word.value && admitsWords(rest, texts.slice(1));
  const prefix = word.kind === "dynamic" ? word.prefix : globPrefix(word.glob);
  if (word.kind === "dynamic" && word.isSingle === true) return texts[0]?.startsWith(prefix) === true && admitsWords(rest, texts.slice(1));
  for (let count = 0; count <= texts.length; count += 1) {
    if (count > 0 && word.kind === "pattern" && texts[count - 1]?.startsWith(prefix) !== true) return false;
    if (count === 1 && texts[0]?.startsWith(prefix) !== true) return false;
    if (admitsWords(rest, texts.slice(count))) return true;
  }
  return false;
}

/** `X X/**` stands for what find prints at and below X: any number of paths, with X or without. */
function isStart(word: Word, next: Word | undefined): boolean {
  return word.kind === "literal" && next?.kind === "pattern" && next.glob.endsWith("/**") && globPrefix(next.glob) === word.value.replace(/\/$/, "");
}

/** `X/**` stands for `X` as well. */
function globPrefix(glob: string): string {
  return (/^(?:\\[^]|[^\\*?[])*/.exec(glob.replace(/\/\*\*$/, ""))?.[0] ?? "").replace(/\\([^])/g, "$1");
}

function isForetold(analysis: CommandAnalysis, path: string, kinds: readonly string[]): boolean {
  return analysis.effects.some((effect) => kinds.includes(effect.kind) && covers(effect.path, path, effect.isWide === true));
}

function covers(operand: PathOperand | undefined, path: string, isWide: boolean): boolean {
  if (operand === undefined) return true;
  if (operand.kind === "literal") return operand.path === path || (isWide && path.startsWith(`${operand.path}/`));
  return path.startsWith(operand.kind === "pattern" ? operand.directory : operand.prefix);
}

function baseName(program: string): string {
  return program.split("/").at(-1) ?? "";
}
