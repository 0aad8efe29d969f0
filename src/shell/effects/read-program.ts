import { PROGRAMS } from "../../programs/programs.ts";
import type { PackageSource, ProgramNode } from "../../programs/table.ts";
import type { SimpleCommand, Word } from "../model/model.ts";
import type { Collector } from "./reading/collector.ts";
import { parseArguments } from "./reading/arguments.ts";
import { addEffect, addPath, createCollector, finish } from "./reading/collector.ts";
import { ANALYSERS } from "./analysers/analysers.ts";
import { interpret } from "./analysers/by-table.ts";
import { noteRepositories } from "./roles/git.ts";
import type { ProgramReading, ReadingContext } from "./reading/reading.ts";

export type { NestedCommand, ProgramReading, ReadingContext } from "./reading/reading.ts";

const SYSTEM_FOLDER = /^\/(?:usr\/(?:local\/)?)?s?bin\/([^/]+)$/;

/**
 * What one simple command does to the world, from the tables of programs. Pure and total: what is in
 * no table is the effect `unknown`. What it starts in turn is in `nested`, for the caller to analyse.
 */
export function readProgram(simple: SimpleCommand, context: ReadingContext): ProgramReading {
  const to = createCollector(simple, context);
  const word = simple.argv[0];
  if (word === undefined || simple.program === null) {
    if (word !== undefined) addEffect(to, "unknown", word.span, "which program runs is not known beforehand");
    return finish(to);
  }
  const name = nameOf(simple.program);
  const node = PROGRAMS.find(name);
  if (node === undefined) {
    // A path is a program of somebody's own: a `./ls` is not ls.
    if (simple.program.includes("/")) addPath(to, "runs-code", word);
    else addEffect(to, "unknown", word.span, `\`${name}\` is in no table of programs`);
    return finish(to);
  }
  to.program = name;
  const words = simple.argv.slice(1);
  if (isQuestion(words, node)) return finish(to);
  if (node.analyser === null) interpret(to, node, words);
  else ANALYSERS[node.analyser](to, words, node);
  noteRepositories(to, name);
  if (context.isStripped === true) readStripped(to, name, node);
  return finish(to);
}

/**
 * The places in `argv` of the words that are nothing but operands, or plain values of options, and the words that name the program
 * (`git remote add`). Null where no table vouches for every word, or the words are more than the program's own: those of a command that it starts.
 */
export function openWords(simple: SimpleCommand): { readonly program: string; readonly at: ReadonlySet<number> } | null {
  const node = simple.program === null ? undefined : PROGRAMS.find(nameOf(simple.program));
  if (node === undefined || node.analyser !== null) return null;
  const { node: reached, options, operands, command, faults } = parseArguments(node, simple.argv.slice(1));
  if (faults.length > 0 || command !== null) return null;
  if (reached.traits.has("exact")) return { program: reached.path, at: new Set() };
  const values = options.flatMap(({ spec, value }) => (value !== null && spec.value.kind === "role" && spec.value.role === "text" ? [value] : []));
  // A value that is attached to its option is no word of the command.
  return { program: reached.path, at: new Set([...operands, ...values].map((word) => simple.argv.indexOf(word)).filter((at) => at > 0)) };
}

/** Where a program fetches packages from, and the words that say so (`npm install`); null where its table says nothing of it. */
export function fetchedBy(simple: SimpleCommand): { readonly words: string; readonly source: PackageSource } | null {
  const node = simple.program === null ? undefined : PROGRAMS.find(nameOf(simple.program));
  if (node === undefined || node.analyser !== null) return null;
  const { node: reached, operands } = parseArguments(node, simple.argv.slice(1));
  const { fetches } = reached;
  return fetches === null || operands.length < fetches.from ? null : { words: reached.path, source: fetches.source };
}

function nameOf(program: string): string {
  return program.startsWith("/") ? (SYSTEM_FOLDER.exec(program)?.[1] ?? program) : program;
}

/** What a program does without the variables that the sandbox sets. */
function readStripped(to: Collector, name: string, node: ProgramNode): void {
  const { span } = to.simple;
  // It takes a directory for a repository with a configuration.
  if (name === "git") addEffect(to, "runs-code", span, `without the sandbox's variables \`${name}\` may run what a directory's own files name`);
  if (name === "ruff") addEffect(to, "writes", span, `without the sandbox's variables \`${name}\` keeps a cache in the project`);
  // The list of places that bash makes up for itself ends with `.`.
  if (node.analyser === "shell") addEffect(to, "runs-code", span, `without \`PATH\` \`${name}\` finds programs in its working directory too`);
}

/** `--help` or `--version` alone. With other words a program may take it for something else. */
function isQuestion(words: readonly Word[], node: ProgramNode): boolean {
  const [only] = words;
  if (words.length !== 1 || only?.kind !== "literal") return false;
  return (only.value === "--help" || only.value === "--version") && !node.options.has(only.value) && node.analyser !== "test" && node.analyser !== "printf";
}
