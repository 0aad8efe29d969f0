import { AgentError } from "../base/errors.ts";
import { getOrCreate } from "./get-or-create.ts";
import { effectNamed, NotationFault, parseOption, roleNamed } from "./option-notation.ts";
import { PROJECT_NAMES } from "./projects.ts";
import type { AnalyserName, NodeEffect, OperandSpec, OptionSpec, ProgramNode, ReviewerName, Trait } from "./table.ts";
import { ANALYSERS, PACKAGE_SOURCES, REVIEWERS, TRAITS } from "./table.ts";

/** Lines of one program's table, and where they stand. */
export type TableBlock = {
  readonly file: string;
  /** The line of the file on which `lines[0]` stands, from 1. */
  readonly firstLine: number;
  readonly lines: readonly string[];
  /** Named lists of subcommands: `@read` → `list`, `show`. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
};

/** A node that is still being filled. */
type Draft = Omit<{ -readonly [Key in keyof ProgramNode]: ProgramNode[Key] }, "options" | "children" | "beginnings"> & {
  options: Map<string, OptionSpec>;
  inherited: Map<string, OptionSpec>;
  children: Map<string, Draft>;
  beginnings: { prefix: string; node: Draft }[];
  /** A path passed through it; no line of its own has been read yet. */
  isImplied: boolean;
};

/**
 * The nodes of one block, by program name. Throws `broken-invariant` with file and line for what the
 * notation does not allow: an unknown role, effect or trait, an option or subcommand that is defined twice.
 */
export function parseProgram(block: TableBlock): Map<string, ProgramNode> {
  const roots = new Map<string, Draft>();
  /** The drafts that lines one level deeper belong to, by depth. A line with several names makes several. */
  const open: Draft[][] = [];
  for (const [index, line] of block.lines.entries()) {
    try {
      readLine(line, { block, roots, open });
    } catch (fault) {
      if (!(fault instanceof NotationFault)) throw fault;
      throw new AgentError("broken-invariant", `${block.file}:${String(block.firstLine + index)}: ${fault.message}`, { cause: fault });
    }
  }
  const joined: Joined = new Map();
  for (const root of roots.values()) inherit(root, new Map(), joined);
  return roots;
}

type Place = { readonly block: TableBlock; readonly roots: Map<string, Draft>; readonly open: Draft[][] };

/** What a line says behind its names; the nodes of all its names share it. */
type Shape = Omit<Draft, "path" | "children" | "beginnings" | "isImplied">;

function readLine(line: string, place: Place): void {
  if (line.trim() === "" || line.trimStart().startsWith("#")) return;
  const indent = line.length - line.trimStart().length;
  if (indent % 2 !== 0) throw new NotationFault("a level is two spaces");
  const depth = indent / 2;
  const body = line.trim();
  if (body.startsWith("|")) return continueOptions(body, place.open[depth - 1], place.block);
  const [head, rest = ""] = splitOnce(body, /\s*:(?:\s+|$)/);
  const parents = depth === 0 ? null : place.open[depth - 1];
  if (parents === undefined) throw new NotationFault("a line is indented deeper than its parent");
  const names = head.split(/\s+/).flatMap((name) => (name.startsWith("@") ? listNamed(name, place.block) : [name]));
  if (names.includes("..") && (parents === null || rest !== "")) throw new NotationFault('".." is the line above, and says nothing of its own');
  const shape = parseShape(names[0] ?? "", rest, place.block);
  place.open.length = depth;
  place.open[depth] =
    parents === null
      ? rootsOf(names, shape, place)
      : parents.flatMap((parent) => names.map((name) => (name === ".." ? parent : addChild(parent, name.split("/"), shape))));
}

function rootsOf(names: readonly string[], shape: Shape, place: Place): Draft[] {
  return names.map((name) => {
    if (place.roots.has(name)) throw new NotationFault(`${name} is defined twice`);
    const node = nodeOf(name, shape);
    place.roots.set(name, node);
    return node;
  });
}

/** Most nodes are leaves, and a cloud has thousands: they share what is empty until something is added. */
const NO_CHILDREN: Map<string, Draft> = new Map();
const NO_BEGINNINGS: { prefix: string; node: Draft }[] = [];

function nodeOf(path: string, shape: Shape): Draft {
  return { ...shape, path, children: NO_CHILDREN, beginnings: NO_BEGINNINGS, isImplied: false };
}

function listNamed(name: string, block: TableBlock): readonly string[] {
  const list = block.lists.get(name);
  if (list === undefined) throw new NotationFault(`unknown list "${name}"`);
  return list;
}

/** `compute/disks` passes through the group `compute`, which it makes when there is none. */
function addChild(parent: Draft, path: readonly string[], shape: Shape): Draft {
  const [name = "", ...deeper] = path;
  if (deeper.length > 0) {
    const group = parent.children.get(name) ?? { ...nodeOf(`${parent.path} ${name}`, emptyShape()), isImplied: true };
    addTo(parent, name, group);
    return addChild(group, deeper, shape);
  }
  const known = parent.children.get(name);
  if (known?.isImplied === true) return Object.assign(known, shape, { isImplied: false });
  const node = nodeOf(`${parent.path} ${name}`, shape);
  if (name.endsWith("*")) {
    const prefix = name.slice(0, -1);
    if (parent.beginnings.some((entry) => entry.prefix === prefix)) throw new NotationFault(`${node.path} is defined twice`);
    parent.beginnings = [...parent.beginnings, { prefix, node }];
  } else {
    if (parent.children.has(name)) throw new NotationFault(`${node.path} is defined twice`);
    addTo(parent, name, node);
  }
  return node;
}

function addTo(parent: Draft, name: string, child: Draft): void {
  if (parent.children === NO_CHILDREN) parent.children = new Map();
  parent.children.set(name, child);
}

function emptyShape(): Shape {
  return { ...parseSpec(""), options: new Map(), inherited: new Map() };
}

function parseShape(label: string, rest: string, block: TableBlock): Shape {
  const [text, options = ""] = splitOnce(rest, /(?:^|\s)(?=\|)/);
  const shape: Shape = { ...parseSpec(text), options: new Map(), inherited: new Map() };
  if (options !== "") addOptions(shape, { text: options, label, block });
  return shape;
}

type Spec = Omit<Shape, "options" | "inherited">;

const specs = new Map<string, Spec>();

/** What stands before the options. Read once for each text: nodes that say the same share it. */
function parseSpec(text: string): Spec {
  return getOrCreate(specs, text, readSpec);
}

function readSpec(spec: string): Spec {
  const operands: OperandSpec[] = [];
  const effects: NodeEffect[] = [];
  const traits: Trait[] = [];
  let analyser: AnalyserName | null = null;
  let reviewer: ReviewerName | null = null;
  let host: string | null = null;
  let fetches: ProgramNode["fetches"] = null;
  for (const token of spec.split(/\s+/).filter((word) => word !== "")) {
    if (token.startsWith("!")) effects.push(parseEffect(token.slice(1)));
    else if (token.startsWith("at:")) host = token.slice(3);
    else if (token.startsWith("fetches:")) fetches = parseFetch(token.slice(8));
    else if (token.startsWith("by:")) analyser = oneOf(ANALYSERS, token.slice(3), "reader");
    else if (token.startsWith("with:")) reviewer = oneOf(REVIEWERS, token.slice(5), "reviewer");
    else if ((TRAITS as readonly string[]).includes(token)) traits.push(token as Trait);
    else operands.push(parseOperand(token));
  }
  if (operands.filter((operand) => operand.repeats).length > 1) throw new NotationFault("only one operand may repeat");
  return { operands, effects, traits: traitsOf(traits), host, fetches, analyser, reviewer };
}

const sets = new Map<string, ReadonlySet<Trait>>();

/** The one set of these traits. */
function traitsOf(traits: readonly Trait[]): ReadonlySet<Trait> {
  return getOrCreate(sets, traits.toSorted().join(" "), () => new Set(traits));
}

const operandSpecs = new Map<string, OperandSpec>();

function parseOperand(token: string): OperandSpec {
  return getOrCreate(operandSpecs, token, readOperand);
}

function readOperand(token: string): OperandSpec {
  return { role: roleNamed(token.replace(/\*$/, "")), repeats: token.endsWith("*") };
}

function parseEffect(text: string): NodeEffect {
  const [effect, project] = splitOnce(text, /\//);
  const [kind, from] = splitOnce(effect, /@/);
  const through = project === undefined ? null : oneOf(PROJECT_NAMES, project, "kind of project");
  return { kind: effectNamed(kind), from: operandCount(from), isLifted: from !== undefined, through };
}

function parseFetch(text: string): ProgramNode["fetches"] {
  const [source, from] = splitOnce(text, /@/);
  return { source: oneOf(PACKAGE_SOURCES, source, "source of packages"), from: operandCount(from) };
}

function operandCount(text: string | undefined): number {
  if (text !== undefined && !/^\d$/.test(text)) throw new NotationFault(`"@${text}" is no number of operands`);
  return Number(text ?? 0);
}

function oneOf<Name extends string>(names: readonly Name[], word: string, what: string): Name {
  const found = names.find((name) => name === word);
  if (found === undefined) throw new NotationFault(`unknown ${what} "${word}"`);
  return found;
}

function continueOptions(body: string, nodes: readonly Draft[] | undefined, block: TableBlock): void {
  const [first] = nodes ?? [];
  if (first === undefined) throw new NotationFault("options without a program");
  addOptions(first, { text: body, label: first.path, block });
}

/** `| own options || options of this node and of every subcommand`. */
function addOptions(shape: Shape, { text, label, block }: { readonly text: string; readonly label: string; readonly block: TableBlock }): void {
  let target = shape.options;
  for (const token of text.split(/\s+/)) {
    if (token === "|") target = shape.options;
    else if (token === "||") target = shape.inherited;
    else if (token !== "") for (const each of token.startsWith("@") ? listNamed(token, block) : [token]) addOption(shape, target, { token: each, label });
  }
}

function addOption(shape: Shape, target: Map<string, OptionSpec>, { token, label }: { readonly token: string; readonly label: string }): void {
  const option = parseOption(token);
  for (const name of option.names) {
    if (shape.options.has(name) || shape.inherited.has(name)) throw new NotationFault(`${label} ${name} is defined twice`);
    target.set(name, option);
  }
}

type Options = ReadonlyMap<string, OptionSpec>;
/** What was joined already: own options, and those they were joined with. */
type Joined = Map<Options, Map<Options, Map<string, OptionSpec>>>;

/** A subcommand's own line wins over what it inherits. The nodes of one line under one parent share the result. */
function inherit(node: Draft, from: Options, joined: Joined): void {
  const passed = node.inherited.size === 0 ? from : join(node.inherited, from, joined);
  node.options = passed.size === 0 ? node.options : join(node.options, passed, joined);
  for (const child of node.children.values()) inherit(child, passed, joined);
  for (const { node: child } of node.beginnings) inherit(child, passed, joined);
}

function join(own: Options, from: Options, joined: Joined): Map<string, OptionSpec> {
  const joinedWithOwn = getOrCreate(joined, own, () => new Map<Options, Map<string, OptionSpec>>());
  return getOrCreate(joinedWithOwn, from, () => new Map([...from, ...own]));
}

function splitOnce(text: string, separator: RegExp): [string, string | undefined] {
  const match = separator.exec(text);
  if (match === null) return [text, undefined];
  return [text.slice(0, match.index), text.slice(match.index + match[0].length)];
}
