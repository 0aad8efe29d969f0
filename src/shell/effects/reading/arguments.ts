import type { OptionSpec, ProgramNode } from "../../../programs/table.ts";
import type { Span, Word } from "../../model/model.ts";
import { behind, isCommit, literalPrefix, literalValue, mayBeOption, mayBeSeveral, showWord, openWord } from "../../model/words.ts";

/** One option as it was given. */
export type OptionUse = {
  readonly name: string;
  readonly spec: OptionSpec;
  readonly value: Word | null;
  readonly word: Word;
  /** It is one only where a pattern finds a name that is an option's. */
  readonly isFound?: boolean;
};

/** What the table does not vouch for. */
export type ArgumentFault = {
  readonly cause: string;
  readonly span: Span;
  /** The word's value is not known before it runs. */
  readonly isOpen: boolean;
  /** It is a fault only where a pattern finds a name that is an option's. */
  readonly isFound?: boolean;
};

/** The words of a command, sorted by what the table says of them. */
export type ParsedArguments = {
  /** The subcommand that was reached, or the program itself. */
  readonly node: ProgramNode;
  /** In the order in which they were given. */
  readonly options: readonly OptionUse[];
  readonly operands: readonly Word[];
  /** The words of a command that this one starts. */
  readonly command: readonly Word[] | null;
  readonly faults: readonly ArgumentFault[];
};

type State = {
  node: ProgramNode;
  readonly words: readonly Word[];
  at: number;
  hasEnded: boolean;
  readonly options: OptionUse[];
  readonly operands: Word[];
  command: readonly Word[] | null;
  readonly faults: ArgumentFault[];
};

/**
 * Reads words as the program would: clusters, attached values, `--`, options before and behind a
 * subcommand, abbreviations of GNU options. What does not fit the table becomes a fault, never silence.
 */
export function parseArguments(root: ProgramNode, words: readonly Word[]): ParsedArguments {
  const state: State = { node: root, words, at: 0, hasEnded: false, options: [], operands: [], command: null, faults: [] };
  while (state.at < words.length && state.command === null) {
    const word = words[state.at] as Word;
    state.at += 1;
    readWord(state, word);
  }
  return state;
}

function readWord(state: State, word: Word): void {
  if (state.hasEnded) return readOperand(state, word);
  if (word.kind === "literal") {
    if (word.value === "--") endOptions(state, word);
    else if (isOption(state.node, word.value)) readOption(state, word);
    else readOperand(state, word);
    return;
  }
  if (isCommit(word) && namesCommits(state.node)) return readOperand(state, word);
  const prefix = literalPrefix(word);
  if (prefix.startsWith("-") && readOpenOption(state, word, prefix)) return;
  checkOpenWord(state, word);
  readOperand(state, word);
}

/** Whether all operands of a program are commits, or paths. */
function namesCommits({ operands }: ProgramNode): boolean {
  return operands.length === 1 && operands[0]?.role === "revision" && operands[0].repeats;
}

/** Programs differ in what they make of `--` before a subcommand. */
function endOptions(state: State, word: Word): void {
  state.hasEnded = true;
  if (state.node.traits.has("undivided")) fault(state, word, `behind \`--\` a word may still be an option of ${state.node.path}`);
  if (state.node.children.size > 0 && state.operands.length === 0) fault(state, word, `\`--\` stands before a subcommand of ${state.node.path}`);
}

const PLUS = 43;
const DASH = 45;

function isOption(node: ProgramNode, value: string): boolean {
  const first = value.charCodeAt(0);
  if (first === DASH) return value.length > 1;
  return first === PLUS && (node.options.has(value) || node.options.has(value.slice(0, 2)));
}

/** A word that is not literal and stands where an option could. */
function checkOpenWord(state: State, word: Word): void {
  if (state.node.traits.has("inert") && mayBeOption(word)) readPossibleLists(state, word);
  if (state.node.traits.has("inert") || (word.kind === "pattern" && state.node.traits.has("named"))) return;
  if (mayBeOption(word)) fault(state, word, `${showWord(word)} may be an option of ${state.node.path}`, isNamesHere(word));
  else if (word.kind === "dynamic" && word.isSingle !== true) fault(state, word, `${showWord(word)} may become several words of ${state.node.path}`);
}

/** Beside a file of the name `--files0-from=f` the words of `wc *` read what f names. Where nothing feeds xargs, it appends none. */
function readPossibleLists(state: State, word: Word): void {
  if (word.kind === "dynamic" && word.isAbsent === true) return;
  for (const [name, spec] of state.node.options) {
    if (spec.value.kind !== "role" || spec.value.role !== "list") continue;
    const value = openWord("parameter", "", word.span);
    use(state, { name, spec, value, word, isFound: isNamesHere(word) });
  }
}

/** A pattern whose words begin with names in the working directory. One that finds none begins with what it begins with itself, unless it is left out. */
function isNamesHere(word: Word): boolean {
  return word.kind === "pattern" && word.root === undefined && /^[*?[]/.test(word.glob);
}

/** `--out="$x"`, `--include=*.ts`, `-I"$x"`: the option is known, its value is not. */
function readOpenOption(state: State, word: Word, prefix: string): boolean {
  if (word.kind === "dynamic" && word.isSingle !== true && !state.node.traits.has("inert")) return false;
  const equals = prefix.indexOf("=");
  const name = equals > 0 ? prefix.slice(0, equals) : prefix.slice(0, 2);
  const spec = state.node.options.get(name);
  if (spec === undefined || spec.value.kind === "none" || name.startsWith("--") !== equals > 0) return false;
  // `-k"$x"` is `-k` when x is empty, and `-k*` when there is such a file, and takes the next word: every word behind it may stand one place off.
  if (equals <= 0 && prefix === name && !spec.value.isOptional)
    fault(state, word, `${showWord(word)} may be \`${name}\` alone, which takes the next word of ${state.node.path}`);
  use(state, { name, spec, value: behind(word, equals > 0 ? equals + 1 : 2), word });
  return true;
}

function readOption(state: State, word: Word & { kind: "literal" }): void {
  const value = word.value;
  const equals = value.indexOf("=");
  const name = equals > 0 ? value.slice(0, equals) : value;
  const whole = state.node.options.get(value);
  if (whole !== undefined) return takeOption(state, { name: value, spec: whole, word, attachedAt: 0 });
  const exact = equals > 0 && name.length > 2 ? state.node.options.get(name) : undefined;
  if (exact !== undefined) return takeOption(state, { name, spec: exact, word, attachedAt: equals + 1 });
  if (!value.startsWith("--")) return readCluster(state, word);
  if (isTolerable(state.node, name)) {
    if (equals > 0) state.operands.push(behind(word, equals + 1));
    return;
  }
  const spec = state.node.traits.has("gnu") ? abbreviated(state.node, name) : null;
  if (spec === null) return fault(state, word, `\`${name}\` is no option of ${state.node.path} that the table knows`);
  takeOption(state, { name, spec, word, attachedAt: equals > 0 ? equals + 1 : 0 });
}

/** An option that no table names, where a server decides by the verb; never one that may abbreviate one that is named, nor one that is named for a file of this machine. */
function isTolerable(node: ProgramNode, name: string): boolean {
  return node.traits.has("tolerant") && !LOCAL.test(name) && ![...node.options.keys()].some((known) => known.startsWith(name));
}

const LOCAL = /-(?:file|directory|as)$/;

/** The one long option that `name` begins; null when there is none or several that differ. */
function abbreviated(node: ProgramNode, name: string): OptionSpec | null {
  let found: OptionSpec | null = null;
  for (const [known, spec] of node.options) {
    if (!known.startsWith(name) || !known.startsWith("--")) continue;
    if (found !== null && found !== spec) return null;
    found = spec;
  }
  return found;
}

type Taken = { readonly name: string; readonly spec: OptionSpec; readonly word: Word & { kind: "literal" }; readonly attachedAt: number };

function takeOption(state: State, { name, spec, word, attachedAt }: Taken): void {
  if (attachedAt > 0) {
    const value = behind(word, attachedAt);
    // `exiftool -Comment=true` writes the comment.
    if (spec.value.kind === "none" && (word.value.slice(attachedAt) !== "true" || state.node.traits.has("apart")))
      return fault(state, word, `\`${name}\` of ${state.node.path} takes no value in the table`);
    return use(state, { name, spec, value, word });
  }
  if (spec.value.kind === "none" || spec.value.isOptional) return use(state, { name, spec, value: null, word });
  if (spec.value.kind === "one-of" && spec.value.isAttached) return fault(state, word, `\`${name}\` of ${state.node.path} stands without a value`);
  use(state, { name, spec, value: nextValue(state), word });
  useSecond(state, { name, spec, word });
}

/** `--arg NAME VALUE`: the second word in its own role. */
function useSecond(state: State, { name, spec, word }: Omit<OptionUse, "value">): void {
  if (spec.value.kind !== "role" || spec.value.second === null) return;
  const value = { kind: "role", role: spec.value.second, isOptional: false, second: null } as const;
  state.options.push({ name, spec: { ...spec, effects: [], value }, value: nextValue(state), word });
}

function readCluster(state: State, word: Word & { kind: "literal" }): void {
  const letters = word.value;
  for (let at = 1; at < letters.length; at += 1) {
    const name = `-${letters.charAt(at)}`;
    const spec = state.node.options.get(name);
    // `zip -rlf log` is `-r -lf log`: two letters that are an option of their own are not read as two options.
    const pair = state.node.options.get(letters.length === 2 ? "" : `${name}${letters.charAt(at + 1)}`);
    if (spec !== undefined && pair !== undefined && pair !== spec && at + 1 < letters.length)
      return fault(state, word, `\`${name}${letters.charAt(at + 1)}\` in \`${letters}\` is an option of ${state.node.path} by itself`);
    if (spec === undefined) {
      const number = /^\d+$/.test(letters.slice(at)) ? state.node.options.get("-#") : undefined;
      if (number !== undefined) return use(state, { name: "-#", spec: number, value: null, word });
      return fault(state, word, `\`${letters.length === 2 ? letters : `${name}\` in \`${letters}`}\` is no option of ${state.node.path} that the table knows`);
    }
    if (spec.value.kind === "none" && letters.length > 2 && state.node.traits.has("lone"))
      return fault(state, word, `\`${state.node.path}\` clusters no letters, so \`${letters}\` is not read`);
    if (spec.value.kind === "none") {
      use(state, { name, spec, value: null, word });
      continue;
    }
    const rest = letters.slice(at + 1);
    // `tree -Lo 2 f` is `-L 2 -o f`: what looks attached is further letters.
    if (rest !== "" && state.node.traits.has("apart"))
      return fault(state, word, `\`${name}\` of ${state.node.path} takes the next word, so \`${letters}\` is not read`);
    // Programs in Go read `-o=json` as `json`; getopt as `=json`. The path without `=` is the stricter reading.
    const skip = rest.startsWith("=") && !state.node.traits.has("gnu") ? 2 : 1;
    const value = rest === "" ? (spec.value.isOptional ? null : nextValue(state)) : behind(word, at + skip);
    return use(state, { name, spec, value, word });
  }
}

function nextValue(state: State): Word | null {
  const word = state.words[state.at];
  if (word === undefined) return null;
  // What the table takes for an option with a value may be a flag in one of a cloud's thousand verbs: it never hides an option.
  if (state.node.traits.has("tolerant") && word.kind === "literal" && /^-./.test(word.value)) return null;
  state.at += 1;
  if (isHeavy(state.node, literalValue(word) ?? "")) fault(state, word, `${showWord(word)} stands where a value of ${state.node.path} is expected`);
  const mayBeFile = literalPrefix(word).startsWith("@") || (word.kind !== "literal" && literalPrefix(word) === "");
  if (state.node.traits.has("answers") && mayBeFile) fault(state, word, `${showWord(word)} may name a file of further words of ${state.node.path}`);
  if (word.kind === "literal" || (word.kind === "dynamic" && word.isSingle === true)) return word;
  if (!state.node.traits.has("inert")) fault(state, word, `${showWord(word)} may become several words of ${state.node.path}`);
  // Of several words the first is the value, and the others are operands: `head -n $n f`.
  else if (mayBeSeveral(word)) readOperand(state, word);
  return word;
}

/** Whether a word is an option that does more than change how something looks: should the program take no value there, it is one. */
function isHeavy(node: ProgramNode, text: string): boolean {
  if (!text.startsWith("-")) return false;
  const spec = node.options.get(text) ?? node.options.get(text.split("=")[0] ?? "");
  if (spec === undefined) return false;
  return spec.effects.length > 0 || spec.operandRole !== null || (spec.value.kind === "role" && spec.value.role !== "text");
}

function use(state: State, option: OptionUse): void {
  state.options.push(option);
  const { value } = option.spec;
  if (value.kind !== "one-of" || option.value === null) return;
  if (option.value.kind === "literal" && isOneOf(option.value.value, value.values)) return;
  fault(state, option.word, `${showWord(option.value)} is no value of \`${option.name}\` that the table of ${state.node.path} knows`);
}

/** A value of the list, or one that begins as an entry that ends in `*`. */
function isOneOf(value: string, values: readonly string[]): boolean {
  return values.some((each) => (each.endsWith("*") ? value.startsWith(each.slice(0, -1)) : value === each));
}

function readOperand(state: State, word: Word): void {
  const { node } = state;
  if (state.operands.length === 0 && (node.children.size > 0 || node.beginnings.length > 0)) {
    const child = childNamed(node, word);
    if (child !== null) {
      state.node = child;
      if (child.traits.has("same")) state.command = state.words.slice(state.at - 1);
      return;
    }
    if (node.operands.length === 0) {
      state.at = state.words.length;
      return fault(state, word, `${showWord(word)} is no subcommand of ${node.path} that the table knows`);
    }
  }
  if (node.operands[state.operands.length]?.role === "command") {
    state.command = state.words.slice(state.at - 1);
    return;
  }
  state.operands.push(word);
  if (node.traits.has("first")) state.hasEnded = true;
}

function childNamed(node: ProgramNode, word: Word): ProgramNode | null {
  if (word.kind !== "literal") return null;
  const exact = node.children.get(word.value);
  if (exact !== undefined) return exact;
  return node.beginnings.find((entry) => word.value.startsWith(entry.prefix))?.node ?? null;
}

function fault(state: State, word: Word, cause: string, isFound = false): void {
  state.faults.push({ cause, span: word.span, isOpen: word.kind !== "literal", ...(isFound && { isFound }) });
}
