import type { SimpleCommand } from "../../shell/model/model.ts";
import { type CompiledRule, type CompiledWords, coversCommand, isExcepted, mayMatchCommand, viewCommand } from "../matching/command-rules.ts";
import { type Glob, globsIntersect, literalText } from "../matching/glob.ts";
import { type Budget, globSteps, matchSteps } from "./budget.ts";
import { classesWithin } from "./glob-classes.ts";
import { ANY_OPTION, ANY_WORD, beginReading, isRead, leadsOn, programOf, readingKey, readWord, type RuleReading } from "./rule-reading.ts";

/** The rules of a policy that are about a command, in their order. `isExcepted`: it is an exception as it stands here, and none behind a wrapper, say. */
export type Speakers = readonly { readonly compiled: CompiledRule; readonly isExcepted: boolean }[];

/** Commands about which the same rules of both policies speak, by a shortest one of them. */
export type RuleRegion = { readonly argv: readonly string[]; readonly before: Speakers; readonly after: Speakers };

export type RuleRegions = {
  readonly regions: readonly RuleRegion[];
  /** False: there may be more of them. */
  readonly isComplete: boolean;
};

/** The rules of one policy, found by the program that they speak about. */
export type RuleIndex = { readonly byProgram: ReadonlyMap<string | null, readonly CompiledRule[]> };

export function indexRules(rules: readonly CompiledRule[]): RuleIndex {
  return { byProgram: Map.groupBy(rules, programOf) };
}

/** Those that may speak about a command of the rule. */
function beside(rule: CompiledRule, { byProgram }: RuleIndex): readonly CompiledRule[] {
  const program = programOf(rule);
  return program === null ? [...byProgram.values()].flat() : [...(byProgram.get(program) ?? []), ...(byProgram.get(null) ?? [])];
}

type Node = { readonly argv: readonly string[]; readonly own: RuleReading; readonly others: readonly RuleReading[] };

const MAX_NODES = 3000;

type Sides = { readonly before: RuleIndex; readonly after: RuleIndex; readonly words: WordClasses; readonly budget: Budget };

/** Everything that a rule speaks about, told apart by what the other rules of both policies say of it: all of them are read side by side, word by word. */
export function regionsOf(rule: CompiledRule, { before, after, words, budget }: Sides): RuleRegions {
  if (budget.isSpent) return { regions: [], isComplete: false };
  const [older, newer] = [beside(rule, before), beside(rule, after)];
  const tokens = [...older, ...newer].reduce((sum, other) => sum + tokensOf(other), 0);
  const count = older.length + newer.length;
  const others = [
    ...[...new Set([...older, ...newer])].filter((other) => other !== rule).map((other) => beginReading(other)),
    ...[...new Set([rule, ...older, ...newer])].flatMap(({ exceptions }) => exceptions.map((exception) => beginReading(exception))),
  ];
  const regions = new Map<string, RuleRegion>();
  const seen = new Set<string>();
  let layer: Node[] = [{ argv: [], own: beginReading(rule), others }];
  let isComplete = true;
  while (layer.length > 0) {
    const next: Node[] = [];
    for (const node of layer) {
      if (!budget.take(count + tokens)) return { regions: [...regions.values()], isComplete: false };
      const children = childrenOf(node, words);
      if (children === null) isComplete = false;
      for (const child of children ?? []) {
        const characters = child.argv.reduce((sum, word) => sum + word.length, 0);
        if (!budget.take(2 * (count + matchSteps(characters, tokens)))) return { regions: [...regions.values()], isComplete: false };
        const key = [child.own, ...child.others].map((reading) => `${String(numberOf(reading.rule))}:${readingKey(reading)}`).join(";");
        if (seen.has(key)) continue;
        seen.add(key);
        if (seen.size > MAX_NODES) return { regions: [...regions.values()], isComplete: false };
        next.push(child);
        if (isRead(child.own)) noteRegion(child.argv, older, newer, regions);
      }
    }
    layer = next;
  }
  return { regions: [...regions.values()], isComplete };
}

function tokensOf({ words, exceptions }: CompiledRule): number {
  return [words, ...exceptions.map((exception) => exception.words)].flat().reduce((sum, { glob }) => sum + globSteps(glob), 1);
}

const numbers = new WeakMap<CompiledWords, number>();
let last = 0;

function numberOf(rule: CompiledWords): number {
  const known = numbers.get(rule);
  if (known !== undefined) return known;
  numbers.set(rule, (last += 1));
  return last;
}

/** One node for each class of words that may come next. Null: they are too many. */
function childrenOf({ argv, own, others }: Node, words: WordClasses): readonly Node[] | null {
  const wanted = others.map((other) => leadsOn(other));
  // Deny and ask rules leave options out alike, so these matter only where a rule names some.
  const next = leadsOn(
    own,
    wanted.some((globs) => globs.some(mayBeOption)),
  );
  const apart = distinct(wanted.flat());
  const children = new Map<string, Node>();
  for (const within of next) {
    // A program's name: what a path leads to is known by its last name, too.
    const classes = words.within(within, apart, argv.length === 0 ? "/" : "");
    if (classes === null) return null;
    for (const word of classes) {
      const mine = children.has(word) ? null : readWord(own, word);
      if (mine !== null) children.set(word, { argv: [...argv, word], own: mine, others: others.flatMap((other) => readWord(other, word) ?? []) });
    }
  }
  return [...children.values()];
}

/** A glob that is wanted where options may be left out, and one of them may match. */
function mayBeOption(glob: Glob): boolean {
  return glob !== ANY_OPTION && glob !== ANY_WORD && globsIntersect(glob, ANY_OPTION);
}

const keys = new WeakMap<Glob, string>();

function keyOf(glob: Glob): string {
  const known = keys.get(glob);
  if (known !== undefined) return known;
  const made = JSON.stringify(glob);
  keys.set(glob, made);
  return made;
}

/** Each once, but for the one that any word matches: it tells none apart. */
function distinct(globs: readonly Glob[]): readonly Glob[] {
  const found = new Map<string, Glob>();
  for (const glob of globs) if (glob !== ANY_WORD) found.set(keyOf(glob), glob);
  return [...found.keys()].toSorted().map((key) => found.get(key) as Glob);
}

/** A word of each class, kept: rules about one program ask for the same ones over and over. */
export class WordClasses {
  readonly #known = new Map<string, readonly string[] | null>();
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  within(within: Glob, apart: readonly Glob[], without: string): readonly string[] | null {
    const text = literalText(within);
    if (text !== null) return [text];
    const key = [without, keyOf(within), ...apart.map(keyOf)].join(" ");
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = classesWithin(within, apart, this.#budget, without)?.map(({ word }) => word) ?? null;
    this.#known.set(key, found);
    return found;
  }
}

function noteRegion(argv: readonly string[], older: readonly CompiledRule[], newer: readonly CompiledRule[], regions: Map<string, RuleRegion>): void {
  const command = plainCommand(argv);
  const region = { argv, before: speakersOf(command, older), after: speakersOf(command, newer) };
  const key = [region.before, region.after]
    .map((speakers) => speakers.map(({ compiled, isExcepted: isNone }) => `${String(numberOf(compiled))}${isNone ? "-" : ""}`).join())
    .join("|");
  if (!regions.has(key)) regions.set(key, region);
}

/** As the evaluator finds them. */
function speakersOf(command: SimpleCommand, rules: readonly CompiledRule[]): Speakers {
  const view = viewCommand(command);
  return rules
    .filter((compiled) => (compiled.rule.verdict === "allow" ? coversCommand(compiled, command) : mayMatchCommand(compiled, view)))
    .map((compiled) => ({ compiled, isExcepted: isExcepted(compiled, command) }));
}

const NOWHERE = { start: 0, end: 0 };

function plainCommand(argv: readonly string[]): SimpleCommand {
  return {
    argv: argv.map((value) => ({ kind: "literal", value, quoted: false, span: NOWHERE })),
    program: argv[0] ?? null,
    assignments: [],
    redirections: [],
    stdin: { kind: "inherited" },
    via: [],
    contexts: [],
    cwd: { kind: "known", path: "/" },
    span: NOWHERE,
  };
}
