import type { SimpleCommand, Word } from "../../shell/model/model.ts";
import { globsIntersect, literalGlob, literalText, matchesGlob, parseGlob, prefixGlob, type Glob } from "./glob.ts";
import type { CommandRule, PatternWord } from "../policy.ts";

/** A glob, and its text when it has no wildcard: most words of most commands are compared as texts. */
type WordGlob = { readonly glob: Glob; readonly text: string | null };

/** A pattern of a command whose words were read once. `isOpen`: it ends in `**`. */
export type CompiledWords = { readonly words: readonly WordGlob[]; readonly isOpen: boolean };

/** A command rule whose words were read once, and those of what it says nothing about. */
export type CompiledRule = CompiledWords & { readonly rule: CommandRule; readonly exceptions: readonly CompiledWords[] };

/** A word of a command as far as it is known: one word, at least one word that matches, or any number of unknown words. */
type Element = (WordGlob & { readonly kind: "one" | "some" }) | { readonly kind: "any-number" };

/** A command as the deny and ask rules see it: as it stands, by its program's base name, and behind each of its wrappers. */
export type CommandView = readonly (readonly Element[])[];

const ANY_NUMBER: Element = { kind: "any-number" };

export function compileRule(rule: CommandRule): CompiledRule {
  return { rule, ...compileWords(rule.words), exceptions: (rule.except ?? []).map(compileWords) };
}

function compileWords(pattern: readonly PatternWord[]): CompiledWords {
  const words = pattern.flatMap((word) => (word.kind === "word" ? [wordGlob(parseGlob(word.glob))] : []));
  return { words, isOpen: pattern.at(-1)?.kind === "rest" };
}

/**
 * Whether an allow rule covers a simple command: every word is literal and matches, and nothing else bears on what the
 * command does, neither a wrapper, an assignment, another standard input, nor an unknown directory.
 */
export function coversCommand(compiled: CompiledWords, command: SimpleCommand): boolean {
  if (command.via.length > 0 || command.assignments.length > 0 || command.stdin.kind !== "inherited" || command.cwd.kind !== "known") return false;
  const { words, isOpen } = compiled;
  if (command.argv.length < words.length || (!isOpen && command.argv.length > words.length)) return false;
  return command.argv.every((word, index) => {
    if (word.kind !== "literal") return false;
    const wanted = words[index];
    return wanted === undefined || (wanted.text === null ? matchesGlob(wanted.glob, word.value) : wanted.text === word.value);
  });
}

/** Reads a simple command once for all deny and ask rules. */
export function viewCommand(command: SimpleCommand): CommandView {
  const elements = command.argv.flatMap(elementsOf);
  const views: Element[][] = [];
  if (elements.length > 0) views.push(elements);
  const first = command.argv[0];
  // `/usr/bin/git` is git to a rule that forbids, and not to one that allows.
  if (first !== undefined) views.push(...baseNamesOf(first).map((name) => [...name, ...command.argv.slice(1).flatMap(elementsOf)]));
  const isOfScript = command.contexts.includes("nested-shell");
  for (const wrapper of command.via) if (!isOfScript || !SCRIPT_RUNNERS.has(wrapper)) views.push([literalWord(wrapper), ANY_NUMBER, ...elements]);
  return views;
}

/**
 * They run texts of files: the words of a script are not theirs, and `npm publish **` says nothing of what `npm test` starts. Their own
 * words are judged as a command of its own.
 */
const SCRIPT_RUNNERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun", "make", "gmake"]);

/** Whether a deny or ask rule may speak about the command: a dynamic word may turn out to be any words, a pattern any names that it matches. */
export function mayMatchCommand(compiled: CompiledWords, view: CommandView): boolean {
  return view.some((elements) => matchElements(elements, compiled));
}

/** Whether a deny or ask rule speaks about the command: it may match, and it is certain of no exception that it is the command. */
export function speaksAbout(rule: CompiledRule, command: SimpleCommand, view: CommandView): boolean {
  return mayMatchCommand(rule, view) && !isExcepted(rule, command);
}

export function isExcepted({ exceptions }: CompiledRule, command: SimpleCommand): boolean {
  return exceptions.some((exception) => coversCommand(exception, command));
}

/** Whether some command is one of an exception, and one that the rule is about. */
export function touchesRule(exception: CompiledWords, rule: CompiledWords): boolean {
  const elements = exception.words.map((word): Element => ({ kind: "one", ...word }));
  return mayMatchCommand(rule, [exception.isOpen ? [...elements, ANY_NUMBER] : elements]);
}

/**
 * What the program's word may be called without its directories, where that is not the word itself. What comes behind a known beginning may
 * hold another directory, and so may an extended pattern.
 */
function baseNamesOf(program: Word): Element[][] {
  if (program.kind === "literal") return program.value.includes("/") ? [[literalWord(lastNameOf(program.value))]] : [];
  if (program.kind === "dynamic") return program.prefix === "" ? [] : [[ANY_NUMBER]];
  if (!program.glob.includes("/")) return [];
  return [[{ kind: "one", ...wordGlob(parseGlob(program.glob.includes("(") ? "*" : lastNameOf(program.glob))) }, ANY_NUMBER]];
}

function lastNameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function elementsOf(word: Word): Element[] {
  if (word.kind === "literal") return [literalWord(word.value)];
  if (word.kind === "pattern") return [{ kind: "some", ...wordGlob(parseGlob(word.glob)) }];
  return word.prefix === "" ? [ANY_NUMBER] : [{ kind: "one", ...wordGlob(prefixGlob(word.prefix)) }, ANY_NUMBER];
}

function literalWord(text: string): Element {
  return { kind: "one", glob: literalGlob(text), text };
}

function wordGlob(glob: Glob): WordGlob {
  return { glob, text: literalText(glob) };
}

function wordsIntersect(one: WordGlob, other: WordGlob): boolean {
  return one.text !== null && other.text !== null ? one.text === other.text : globsIntersect(one.glob, other.glob);
}

/**
 * Whether some command that the elements can become is matched by the rule: the rule's words that can be reached, element by element. Options
 * before the second word, each with a value or without, may be left out: `git -C d push` is matched by `git push`.
 */
function matchElements(elements: readonly Element[], { words, isOpen }: CompiledWords): boolean {
  let reached = new Set([0]);
  // What the next element may be, besides what the rule wants: the program, an option before the second word, or an option or its value.
  let leading: "program" | "option" | "option-or-value" | "none" = "program";
  for (const element of elements) {
    const next = new Set<number>();
    if (leading === "program") leading = words.length > 1 ? "option" : "none";
    else if (leading !== "none") {
      leading = mayBeOption(element) ? "option-or-value" : leading === "option-or-value" ? "option" : "none";
      if (leading !== "none" && reached.has(1)) next.add(1);
    }
    for (const at of reached) {
      if (isOpen && at === words.length) return true;
      if (element.kind === "any-number") {
        for (let further = at; further <= words.length; further += 1) next.add(further);
        continue;
      }
      for (let further = at; further < words.length && wordsIntersect(words[further] as WordGlob, element); further += 1) {
        next.add(further + 1);
        if (element.kind === "one") break;
      }
    }
    if (next.size === 0) return false;
    reached = next;
  }
  return reached.has(words.length);
}

function mayBeOption(element: Element): boolean {
  if (element.kind === "any-number") return false;
  const [first] = element.glob;
  return first !== undefined && (first.kind !== "character" || first.value === "-");
}
