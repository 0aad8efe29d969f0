import type { OptionSpec, ProgramNode } from "./table.ts";
import { tellingWords } from "./telling-words.ts";

/** The words of a command, literal. `isOpen`: behind them stands one that nobody knows before the command runs. */
export type TableCall = { readonly words: readonly string[]; readonly isOpen?: true };

/** A subcommand that two tables do not say the same of, or that one of them has alone. */
type Pair = {
  readonly words: readonly string[];
  readonly nodes: readonly ProgramNode[];
  /** It differs in more than options. */
  readonly isOther: boolean;
  /** The names of options that differ. */
  readonly options: readonly string[];
};

/**
 * Commands that show where two tables of one program differ, the most telling first; undefined: there is no table. Each subcommand, option and operand of either that
 * the other says otherwise. They may be very many, and some of them the same.
 */
export function* tableCalls(one: ProgramNode | undefined, other: ProgramNode | undefined): Generator<TableCall> {
  const name = one?.path ?? other?.path;
  if (name === undefined) return;
  for (const pair of pairsOf([name], one, other)) yield* plainCalls(pair);
  for (const pair of pairsOf([name], one, other)) yield* optionCalls(pair, shortUses);
  for (const pair of pairsOf([name], one, other)) yield* optionCalls(pair, allUses);
}

function* pairsOf(words: readonly string[], one: ProgramNode | undefined, other: ProgramNode | undefined): Generator<Pair> {
  const nodes = [one, other].filter((node) => node !== undefined);
  const isOther = one === undefined || other === undefined || shapeOf(one) !== shapeOf(other);
  const names = [...new Set(nodes.flatMap(({ options }) => [...options.keys()]))];
  const options = names.filter((name) => isOther || !isSameOption(one?.options.get(name), other?.options.get(name)));
  if (isOther || options.length > 0) yield { words, nodes, isOther, options };
  const children = new Set(nodes.flatMap((node) => [...node.children.keys()]));
  for (const child of children) yield* pairsOf([...words, child], one?.children.get(child), other?.children.get(child));
  const beginning = (node: ProgramNode | undefined, prefix: string): ProgramNode | undefined => node?.beginnings.find((each) => each.prefix === prefix)?.node;
  const prefixes = new Set(nodes.flatMap((node) => node.beginnings.map(({ prefix }) => prefix)));
  for (const prefix of prefixes) yield* pairsOf([...words, `${prefix}a`], beginning(one, prefix), beginning(other, prefix));
}

/** What a node says beside its options and subcommands. */
function shapeOf({ operands, effects, traits, host, fetches, analyser, reviewer }: ProgramNode): string {
  return JSON.stringify([operands, effects, [...traits].toSorted(), host, fetches, analyser, reviewer]);
}

/** Whatever other names they have. */
function isSameOption(one: OptionSpec | undefined, other: OptionSpec | undefined): boolean {
  if (one === other) return true;
  return one !== undefined && other !== undefined && JSON.stringify({ ...one, names: [] }) === JSON.stringify({ ...other, names: [] });
}

function* plainCalls({ words, nodes, isOther }: Pair): Generator<TableCall> {
  if (!isOther) return;
  for (const node of nodes) for (const operands of operandLists(node)) yield { words: [...words, ...operands] };
  yield { words, isOpen: true };
  yield { words: [...words, "--zz"] };
}

/** No operand, each number of them, one too many or repeated, and each with every word that tells what becomes of it. */
function* operandLists({ operands }: ProgramNode): Generator<readonly string[]> {
  const plain = operands.map(({ role }) => tellingWords(role)[0]);
  for (let count = 0; count <= plain.length; count += 1) yield plain.slice(0, count).flat();
  yield [...plain, plain.at(-1) ?? ["a"]].flat();
  for (const [index, { role }] of operands.entries()) for (const word of tellingWords(role).slice(1)) yield plain.toSpliced(index, 1, word).flat();
}

function allOperands({ operands }: ProgramNode): readonly string[] {
  return operands.flatMap(({ role }) => tellingWords(role)[0]);
}

type Uses = (name: string, spec: OptionSpec) => readonly (readonly string[])[];

function* optionCalls({ words, nodes, options }: Pair, usesOf: Uses): Generator<TableCall> {
  for (const name of options) {
    for (const spec of nodes.flatMap((node) => node.options.get(name) ?? [])) {
      for (const use of usesOf(name, spec)) {
        for (const node of nodes) yield { words: [...words, ...use, ...allOperands(node)] };
        if (usesOf === shortUses) continue;
        yield { words: [...words, ...use] };
        if (spec.suppliesFirst) for (const node of nodes) yield { words: [...words, ...use, ...allOperands({ ...node, operands: node.operands.slice(1) })] };
      }
    }
  }
}

/** The option once, as it is mostly written. */
function shortUses(name: string, spec: OptionSpec): readonly (readonly string[])[] {
  return allUses(name, spec).slice(0, 1);
}

/** The option alone, with each value that tells what becomes of it, apart and attached. */
function allUses(name: string, { value }: OptionSpec): readonly (readonly string[])[] {
  if (name === "-#") return [["-5"]];
  if (value.kind === "none") return [[name]];
  const second = value.kind === "role" && value.second !== null ? tellingWords(value.second)[0] : [];
  const values = value.kind === "role" ? tellingWords(value.role) : [...value.values.map((each) => [each.replace(/\*$/u, "a")]), ["zz"]];
  const isApart = !value.isOptional && !(value.kind === "one-of" && value.isAttached);
  return [...values.flatMap((words) => [...(isApart ? [[name, ...words, ...second]] : []), [attached(name, words), ...second]]), ...(isApart ? [] : [[name]])];
}

function attached(name: string, [first = "", ...others]: readonly string[]): string {
  const value = [first, ...others].join(" ");
  return /^[-+][^-]$/u.test(name) ? `${name}${value}` : `${name}=${value}`;
}
