import type { EffectKind } from "../../../programs/effect.ts";
import { newEffect, type NewEffect } from "../../model/effects.ts";
import type { FoundRepository, PathOperand, SimpleCommand, Span, Word } from "../../model/model.ts";
import { TAKES_NAMES } from "../operands/file-names.ts";
import type { NamedHost } from "../operands/hosts.ts";
import type { PathContext } from "../operands/paths.ts";
import { beginsWithTilde, literalPath, pathContext, pathOperand, withoutHome } from "../operands/paths.ts";
import type { NestedCommand, ProgramReading, ReadingContext } from "./reading.ts";
import { isPipe, showWord } from "../../model/words.ts";

export type Collector = {
  readonly simple: SimpleCommand;
  /** The words that name the program: `git remote`. */
  program: string;
  readonly home: string;
  readonly texts: ReadonlyMap<string, string | null>;
  /** Where relative paths start; options such as `-C` move it. */
  paths: PathContext;
  /** The commands of a pipe, each of which is all that writes into the next, and the last all that writes into this one. */
  readonly pipe: readonly SimpleCommand[];
  readonly effects: NewEffect[];
  readonly nested: NestedCommand[];
  readonly needs: string[];
  readonly hosts: NamedHost[];
  /** `NAME=VALUE` words that reach the environment of what is started. */
  readonly assigned: Word[];
  repositories: readonly FoundRepository[] | undefined;
  /** Words by which git names a remote, which may be a directory. */
  remotes: Word[] | undefined;
  stdinScript?: ProgramReading["stdinScript"];
};

const NO_PIPE: readonly SimpleCommand[] = [];
const NO_TEXTS: ReadonlyMap<string, string | null> = new Map();

export function createCollector(simple: SimpleCommand, context: ReadingContext): Collector {
  return {
    simple,
    program: simple.program ?? "",
    home: context.home,
    texts: context.texts ?? NO_TEXTS,
    paths: pathContext(simple, context.home),
    pipe: context.pipe ?? NO_PIPE,
    effects: [],
    nested: [],
    needs: [],
    hosts: [],
    assigned: [],
    repositories: undefined,
    remotes: undefined,
  };
}

/** Records an effect without a path or a host. */
export function addEffect(to: Collector, kind: EffectKind, span: Span, cause: string): void {
  to.effects.push(newEffect(kind, cause, span));
}

const VERBS = { reads: "reads", writes: "writes", deletes: "deletes", "runs-code": "runs" } as const;

/** Records an effect on the path that a word names. */
export function addPath(to: Collector, kind: keyof typeof VERBS, word: Word, isWide = false): void {
  if (kind === "reads" && (isPipe(word) || (word.kind === "dynamic" && word.isAbsent === true && word.prefix === ""))) return;
  if (word.kind === "pattern" && word.root !== undefined) return addFound(to, kind, word.root, word);
  const path = pathOperand(beginsWithTilde(word) && isPlainName(to, word) ? withoutHome(word) : word, to.paths);
  addPathOperand(to, kind, { path, span: word.span, shown: showWord(word), isWide });
}

/**
 * Whether a tilde at its beginning is certain to be part of a name: the shell left it in a whole word, so it was quoted, and the program
 * makes no home of it either. Elsewhere the home stays the stricter reading: behind `=`, and in texts that a program made words of.
 */
function isPlainName(to: Collector, word: Word): boolean {
  return TAKES_NAMES.has(to.program) && to.simple.argv.includes(word);
}

/** What another command finds below a path: all of it is read, and some of it, nobody knows what, is changed. */
function addFound(to: Collector, kind: keyof typeof VERBS, root: string, word: Word): void {
  const path = literalPath(root, to.paths);
  const isRead = kind === "reads";
  const found: PathOperand = isRead || path.kind !== "literal" ? path : { kind: "dynamic", prefix: path.path };
  addPathOperand(to, kind, { path: found, span: word.span, shown: isRead ? `\`${root}\`` : `what is found below \`${root}\``, isWide: isRead });
}

type NamedPath = { readonly path: PathOperand; readonly span: Span; readonly shown: string; readonly isWide?: boolean };

/** Records an effect on a path that was worked out from several words. */
export function addPathOperand(to: Collector, kind: keyof typeof VERBS, { path, span, shown, isWide }: NamedPath): void {
  const cause = `\`${to.program}\` ${VERBS[kind]} ${shown}${isWide === true ? " and what is below" : ""}`;
  const effect = newEffect(kind, cause, span, path);
  to.effects.push(isWide === true ? { ...effect, isWide } : effect);
}

/** The reading that was collected. */
export function finish(from: Collector): ProgramReading {
  const { effects, nested, needs, assigned, repositories, stdinScript } = from;
  const reading = { effects, nested, needs, assigned, repositories };
  return stdinScript === undefined ? reading : { ...reading, stdinScript };
}
