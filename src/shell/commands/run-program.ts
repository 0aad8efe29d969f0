import { readProgram } from "../effects/read-program.ts";
import type { NestedCommand, ProgramReading, ReadingContext } from "../effects/read-program.ts";
import type { FoundRepository, SimpleCommand, Stdin, Word } from "../model/model.ts";
import { addEffects, bareSimple, recordSimple, variantsOf } from "./add-command.ts";
import { noteAssignment } from "../state/variable-uses.ts";
import { omissionsOf } from "./nullglob.ts";
import { checkOwnStream, visitStdinScript } from "./stdin-scripts.ts";
import { parametersOf, UNKNOWN_PARAMETERS } from "../state/parameters.ts";
import type { State } from "../state/state.ts";
import { flowOf, NO_VARIABLES } from "../state/state.ts";
import type { Flow } from "../state/state.ts";
import type { Scope } from "../state/walk.ts";
import { addUndecidable, apart, newShell, placeOf, spendNode } from "../state/scope.ts";

/** Adds what the tables say of a simple command that was recorded, and everything it starts. */
export function applyProgram(scope: Scope, index: number, state: State): Flow {
  const simple = scope.walk.simples[index];
  if (simple === undefined) return flowOf(state);
  readWords(scope, { simple, index, isFurther: false }, state);
  for (const argv of omissionsOf(scope, simple.argv, simple.span)) readWords(scope, { simple: { ...simple, argv }, index, isFurther: true }, state);
  visitHashed(scope, simple, state);
  return flowOf(state);
}

type Given = {
  /** The command with the words that it gets. */ readonly simple: SimpleCommand;
  readonly index: number;
  /** Others were read before. */ readonly isFurther: boolean;
};

function readWords(scope: Scope, { simple, index, isFurther }: Given, state: State): void {
  const variants = variantsOf(simple, state);
  const isDefined = isCertainFunction(scope, simple, state);
  let first: ProgramReading | null = null;
  for (const variant of variants) {
    const reading = readProgram(variant, readingContext(scope, variant));
    const effects = isDefined ? reading.effects.filter((effect) => effect.kind !== "unknown") : reading.effects;
    addEffects(scope, index, effects, isFurther || first !== null);
    first ??= reading;
    for (const path of reading.needs) (scope.walk.needs ??= new Set()).add(path);
    if (reading.repositories !== undefined) noteRepositories(scope, index, reading.repositories);
  }
  if (first === null) return;
  for (const word of first.assigned) notePassed(scope, word);
  for (const nested of first.nested) visitNested({ ...scope, depth: scope.depth + 1, stdin: simple.stdin }, nested, { simple, index, state });
  if (first.stdinScript !== undefined) visitStdinScript(scope, { index, simple, via: first.stdinScript.via, operands: first.stdinScript.operands }, state);
}

function noteRepositories({ walk }: Scope, simple: number, found: readonly FoundRepository[]): void {
  for (const repository of found) (walk.repositories ??= []).push({ ...repository, simple });
}

/** The program that `hash -p` may have put in the place of this one. */
function visitHashed(scope: Scope, simple: SimpleCommand, state: State): void {
  const { hashed } = scope.walk.assumptions;
  if (hashed.size === 0) return;
  const [first, ...words] = simple.argv;
  const path = hashed.get(simple.program ?? "");
  if (path === undefined || first === undefined) return;
  const inner: Scope = { ...scope, stdin: simple.stdin, depth: scope.depth + 1 };
  runExternal(inner, [{ kind: "literal", value: path, quoted: true, span: first.span }, ...words], { span: simple.span, state });
}

/** A nested shell finds the variable in its environment, and may evaluate its text as arithmetic. */
function notePassed(scope: Scope, word: Word): void {
  const { ledger } = scope.walk;
  const match = /^([A-Za-z_]\w*)=([^]*)$/.exec(word.kind === "literal" ? word.value : word.kind === "dynamic" ? word.prefix : "");
  const name = match?.[1];
  if (name === undefined) return;
  noteAssignment(ledger, name, placeOf(scope, `passed ${word.span.start}`));
  if (word.kind !== "literal" || !/^-?\d*$/.test(match?.[2] ?? "")) ledger.texts.add(name);
}

function readingContext({ walk, home: kept }: Scope, { stdin }: SimpleCommand): ReadingContext {
  const { home, texts } = walk.context;
  const context: { -readonly [Key in keyof ReadingContext]: ReadingContext[Key] } = texts === undefined ? { home } : { home, texts };
  if (kept === null) context.isStripped = true;
  const isAlone = stdin.kind === "pipe" && stdin.isAlone === true && !walk.assumptions.inputIsReplaced;
  if (isAlone) context.pipe = pipeInto(walk, stdin.from);
  return context;
}

/** What a shorter list of names than this goes through. */
const MAX_PIPE = 16;

/** The commands that lead up to one, as long as each is all that writes into the next. */
function pipeInto({ simples, found }: Scope["walk"], last: number): readonly SimpleCommand[] {
  const pipe: SimpleCommand[] = [];
  for (let at: number | null = last; at !== null && pipe.length < MAX_PIPE;) {
    const simple: SimpleCommand | undefined = simples[at];
    if (simple === undefined) break;
    if (pipe.length === 0 && simple.program !== null) (found.feeders ??= new Set()).add(simple.program);
    pipe.unshift(simple);
    const { stdin }: SimpleCommand = simple;
    at = stdin.kind === "pipe" && stdin.isAlone === true ? stdin.from : null;
  }
  return pipe;
}

/**
 * A function that was defined for certain before the call: its body was read, so its name is not unknown.
 * What the tables know of a program of that name stays.
 */
export function isCertainFunction(scope: Scope, simple: SimpleCommand, state: State): boolean {
  if (state.variables.size === 0 || scope.via.length > 0 || scope.walk.assumptions.functionsVanish) return false;
  return simple.program !== null && state.variables.has(`${simple.program}()`);
}

function visitNested(scope: Scope, nested: NestedCommand, from: { readonly simple: SimpleCommand; readonly index: number; readonly state: State }): void {
  const { walk } = scope;
  if (!spendNode(scope, { pos: from.simple.span.start, end: from.simple.span.end })) return;
  const via = [...from.simple.via, from.simple.program ?? nested.via];
  const isStripped = nested.kind === "argv" ? nested.isStripped === true : nested.isElsewhere === true;
  const through = nested.kind === "argv" ? nested.through : undefined;
  const inner: Scope = { ...scope, via, home: isStripped ? null : scope.home, ...(through === undefined ? {} : { through }) };
  if (nested.kind === "script") {
    if (nested.text.kind !== "literal") {
      addUndecidable(scope, "evaluated-text", nested.text.span);
      return;
    }
    const stdin: Stdin = nested.keepsInput === true ? inner.stdin : { kind: "inherited" };
    const script = { text: nested.text.value, span: nested.text.span, dialect: nested.dialect };
    const positional = walk.assumptions.trapsShift ? UNKNOWN_PARAMETERS : parametersOf(nested.operands);
    const shell: Scope = { ...inner, stdin, contexts: [...scope.contexts, "nested-shell"], shell: newShell(walk) };
    const directories = nested.isElsewhere === true ? null : from.state.directories;
    const { length } = walk.simples;
    apart(walk, () => walk.visitors.visitText(shell, script, { ...from.state, directories, variables: NO_VARIABLES, positional }));
    // The file of a substitution is a pipe, which the shell reads while it runs it.
    if (from.simple.argv.some((word) => word.kind === "dynamic" && word.content === script.text)) checkOwnStream(scope, from.index, length);
    return;
  }
  runExternal(inner, nested.words, { span: from.simple.span, state: { ...from.state, directories: directoriesOf(nested, from.state) } });
}

/** Where a nested command may run. A directory was worked out from the first of those where its wrapper may. */
function directoriesOf({ isElsewhere, directory }: NestedCommand & { readonly kind: "argv" }, state: State): State["directories"] {
  if (isElsewhere === true || directory === null) return null;
  if (directory === undefined) return state.directories;
  return state.directories?.length === 1 ? [directory] : null;
}

/** Records a command that another program starts: no builtin, no function, no assignment. */
export function runExternal(scope: Scope, words: readonly Word[], at: { readonly span: SimpleCommand["span"]; readonly state: State }): Flow {
  const first = words[0];
  if (first === undefined) return flowOf(at.state);
  const span = { start: Math.min(first.span.start, at.span.end), end: Math.max(first.span.end, at.span.end) };
  const index = recordSimple(scope, at.state, bareSimple(scope, words, span));
  if (!checkProgramName(scope, first, index)) return flowOf(at.state);
  return applyProgram(scope, index, at.state);
}

/** Whether the word names one program for certain. What does not is undecidable. */
export function checkProgramName(scope: Scope, word: Word, index: number): boolean {
  if (word.kind === "dynamic") addUndecidable(scope, "dynamic-program", word.span, index);
  else if (word.kind === "pattern") addUndecidable(scope, "pattern-program", word.span, index);
  else if (/[^\u0020-\u007e]/.test(word.value)) addUndecidable(scope, "hidden-character", word.span, index);
  else return true;
  return false;
}
