import { AgentError } from "../base/errors.ts";
import type { TableBlock } from "./notation.ts";
import { parseProgram } from "./notation.ts";
import type { ProgramNode } from "./table.ts";

/** One file of tables: its name, and its text, which opens on the file's second line. */
export type Family = { readonly file: string; readonly text: string };

/** What is known of programs, by name. */
export type Catalogue = {
  /** The table of a program, parsed when it is first asked for; undefined when there is none. */
  find(name: string): ProgramNode | undefined;
  readonly names: readonly string[];
};

/** The template's first line is empty and stands on line 2 of its file, behind a docstring. */
const TEMPLATE_LINE = 2;

/**
 * An index of tables that parses nothing until a program is asked for, and looks into no more files than it must: in their
 * order, until one has the program. `names` looks into all of them. Throws `broken-invariant`, with file and line, for a program
 * that is defined twice in what was looked into.
 */
export function createCatalogue(families: readonly Family[]): Catalogue {
  const blocks = new Map<string, TableBlock>();
  let next = 0;
  const indexNext = (): boolean => {
    const family = families[next];
    next += 1;
    if (family !== undefined) indexFamily(family, blocks);
    return family !== undefined;
  };
  const parsed = new Map<string, ProgramNode>();
  return {
    get names() {
      while (indexNext());
      return [...blocks.keys()];
    },
    find(name) {
      const known = parsed.get(name);
      if (known !== undefined) return known;
      let block = blocks.get(name);
      while (block === undefined && indexNext()) block = blocks.get(name);
      if (block === undefined) return undefined;
      for (const [each, node] of parseProgram(block)) parsed.set(each, node);
      return parsed.get(name);
    },
  };
}

function indexFamily(family: Family, blocks: Map<string, TableBlock>): void {
  const lines = family.text.split("\n");
  const lists = new Map<string, readonly string[]>();
  let start = -1;
  for (let index = 0; index <= lines.length; index += 1) {
    const line = lines[index];
    if (line !== undefined && !isHead(line)) continue;
    if (start >= 0) addBlock(family, { lines: lines.slice(start, index), start, lists }, blocks);
    start = -1;
    const list = line?.startsWith("@") === true ? /^(@[\w-]+) = (.*)$/.exec(line) : null;
    if (list !== null) lists.set(list[1] ?? "", (list[2] ?? "").trim().split(/\s+/));
    else start = index;
  }
}

/** Whether a program's table begins on the line, or a list: most lines are indented. */
function isHead(line: string): boolean {
  const first = line.charAt(0);
  return first !== " " && first !== "#" && /\S/.test(first);
}

type Lines = { readonly lines: readonly string[]; readonly start: number; readonly lists: ReadonlyMap<string, readonly string[]> };

function addBlock(family: Family, { lines, start, lists }: Lines, blocks: Map<string, TableBlock>): void {
  const firstLine = start + TEMPLATE_LINE;
  const block: TableBlock = { file: family.file, firstLine, lines, lists };
  const head = (lines[0] ?? "").split(/\s*:(?:\s|$)/)[0] ?? "";
  for (const name of head.split(/\s+/)) {
    if (blocks.has(name)) throw new AgentError("broken-invariant", `${family.file}:${String(firstLine)}: ${name} is defined twice`);
    blocks.set(name, block);
  }
}
