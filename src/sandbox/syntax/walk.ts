import type { Node, Tree, TreeCursor } from "@vscode/tree-sitter-wasm";
import { LANGUAGES, type LanguageTable } from "./languages.ts";
import { type Definition, type FileAnswer, MOST_DEFINITIONS, MOST_USES, type Place, shownLine, type SourceText } from "./task.ts";

const NO_TABLE: LanguageTable = { grammar: "", extensions: [], kinds: {} };
/** Deeper definitions are not listed. */
const MOST_DEPTH = 16;
/** A name is told as far as this. */
const MOST_NAME_CHARACTERS = 200;
/** Of a chain of declarators (`int *(*f)(void)`), and of the nodes around one that counts at the top alone. */
const MOST_STEPS = 32;
/** Between two looks at the clock. */
const VISITS = 1024;

export type Walk = {
  readonly source: SourceText;
  readonly tree: Tree;
  /** Null: every definition and no use. */ readonly name: string | null;
  readonly isOver: () => boolean;
};

/** Every definition of a tree, or those of a name and where it is used. Goes from node to node without recursion: a text may nest as deeply as it is long. */
export function walk({ source, tree, name, isOver }: Walk): FileAnswer {
  const table = LANGUAGES[source.language] ?? NO_TABLE;
  const lines = source.text.split("\n");
  const definitions: Definition[] = [];
  const uses: Place[] = [];
  const open: number[] = [];
  let isCut = false;
  const cursor = tree.walk();
  for (let visits = 1; ; visits += 1) {
    if (visits % VISITS === 0 && isOver()) {
      isCut = true;
      break;
    }
    const from = cursor.startIndex;
    while (open.length > 0 && from >= (open.at(-1) ?? 0)) open.pop();
    const kind = cursor.nodeIsNamed ? kindOf(table, cursor) : null;
    const found = kind === null ? null : definitionOf(cursor.currentNode, kind, { lines, depth: open.length });
    if (found !== null) {
      if (name === null || isCalled(found.name, name)) definitions.push(found);
      if (open.length < MOST_DEPTH) open.push(cursor.endIndex);
    }
    if (name !== null && isUse(cursor, name)) uses.push(placeOf(cursor, lines));
    if (definitions.length >= MOST_DEFINITIONS || uses.length >= MOST_USES) {
      isCut = true;
      break;
    }
    if (!advance(cursor)) break;
  }
  cursor.delete();
  return { path: source.path, problem: null, definitions, uses, rewritten: null, isCut, hasErrors: tree.rootNode.hasError };
}

/** To the first child, the next sibling, or the next sibling of what is around. False: there is nothing more. */
function advance(cursor: TreeCursor): boolean {
  if (cursor.gotoFirstChild()) return true;
  while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return false;
  return true;
}

function kindOf(table: LanguageTable, cursor: TreeCursor): string | null {
  const { nodeType } = cursor;
  if (Object.hasOwn(table.kinds, nodeType)) return table.kinds[nodeType] ?? null;
  if (table.topLevel === undefined || !Object.hasOwn(table.topLevel, nodeType)) return null;
  const { currentNode } = cursor;
  if (!isAtTop(currentNode)) return null;
  const value = currentNode.childForFieldName("value")?.type ?? "";
  return /^(?:arrow_function|function_expression|generator_function)$/u.test(value)
    ? "function"
    : value === "class"
      ? "class"
      : (table.topLevel[nodeType] ?? null);
}

const AROUND = /^(?:export_statement|lexical_declaration|variable_declaration|expression_statement|const_declaration|var_declaration|var_spec_list)$/u;

function isAtTop(node: Node): boolean {
  let around = node.parent;
  for (let step = 0; around !== null && AROUND.test(around.type) && step < MOST_STEPS; step += 1) around = around.parent;
  return around !== null && around.parent === null;
}

function definitionOf(node: Node, kind: string, { lines, depth }: { readonly lines: readonly string[]; readonly depth: number }): Definition | null {
  if (/^(?:class|struct|union|enum)_specifier$/u.test(node.type) && node.childForFieldName("body") === null) return null;
  const name = nameOf(node);
  if (name === "") return null;
  const fromLine = node.startPosition.row;
  // What ends with a line's end ends in that line.
  const { row, column } = node.endPosition;
  const toLine = column === 0 && row > fromLine ? row - 1 : row;
  return { kind, name, depth, fromLine: fromLine + 1, toLine: toLine + 1, text: shownLine(lines[fromLine] ?? "") };
}

const NAME = /identifier$|^(?:name|constant|word|simple_name|function_name|section_name|setting_name|selectors|keyframes_name|keyword_query|feature_query)$/u;

/** What a node is called; "" for one without a name. */
function nameOf(node: Node): string {
  if (node.type === "impl_item") return [textOf(node, "trait"), textOf(node, "type")].filter((part) => part !== "").join(" for ");
  const named = node.childForFieldName("name") ?? node.childForFieldName("left");
  if (named !== null) return cut(named.text);
  let inner = node.childForFieldName("declarator");
  for (let step = 0; inner !== null && step < MOST_STEPS; step += 1) {
    const next = inner.childForFieldName("declarator") ?? inner.childForFieldName("name") ?? (NAME.test(inner.type) ? null : (inner.firstNamedChild ?? null));
    if (next === null || inner.type === "qualified_identifier") return cut(inner.text);
    inner = next;
  }
  for (let index = 0; index < Math.min(node.namedChildCount, MOST_STEPS); index += 1) {
    const child = node.namedChild(index);
    if (child !== null && NAME.test(child.type)) return cut(child.type === "section_name" ? child.text.replaceAll(/[[\]\s]/gu, "") : child.text);
  }
  return "";
}

/** `n::A::k` is called `k`, too, and `A.k` and `A\\B\\k`. */
function isCalled(full: string, name: string): boolean {
  return full === name || (full.endsWith(name) && /(?:::|[.\\ ])$/u.test(full.slice(0, full.length - name.length)));
}

function textOf(node: Node, field: string): string {
  return cut(node.childForFieldName(field)?.text ?? "");
}

function cut(text: string): string {
  return text.slice(0, MOST_NAME_CHARACTERS).trim();
}

const NO_NAME = /comment|string|text|content|literal/u;

/** A leaf that is exactly the name: not a word of a comment or of a string. */
function isUse(cursor: TreeCursor, name: string): boolean {
  if (cursor.endIndex - cursor.startIndex !== name.length || !cursor.nodeIsNamed || NO_NAME.test(cursor.nodeType)) return false;
  const { currentNode } = cursor;
  return currentNode.childCount === 0 && currentNode.text === name;
}

function placeOf(cursor: TreeCursor, lines: readonly string[]): Place {
  const { row, column } = cursor.startPosition;
  return { line: row + 1, column: column + 1, text: shownLine(lines[row] ?? "") };
}
