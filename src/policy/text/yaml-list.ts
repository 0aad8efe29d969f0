import { isMap, isNode, isScalar, isSeq, type Node, type Pair, visit, type YAMLMap, type YAMLSeq } from "yaml";
import { parseBounded } from "./bounded-parser.ts";

/**
 * A YAML text with entries added at the end of a list, `outer.inner`, which is made where it is not there; everything else stays as it is, comments too.
 * Each entry is its lines, the first of them without `- `. Null: the text writes the list, or what holds it, in braces or brackets, or ends in a way that leaves
 * no place for more (`...`, `|+`).
 */
export function appendedToList(source: string, [outer, inner]: readonly [string, string], entries: readonly (readonly string[])[]): string | null {
  const parsed = parseBounded(source);
  const root = "document" in parsed ? parsed.document.contents : null;
  if (!isMap(root) || root.flow === true || !("document" in parsed) || parsed.document.directives.docEnd || keepsEmptyLines(source, root)) return null;
  const holder = valueOf(root, outer);
  if (holder === null) {
    const margin = marginOf(source, keyOf(root.items[0]));
    return withAtEnd(source, [`${margin}${outer}:`, `${margin}  ${inner}:`, ...entries.flatMap((lines) => itemLines(lines, `${margin}    `))]);
  }
  if (!isMap(holder) || holder.flow === true) return null;
  const list = valueOf(holder, inner);
  if (list === null) {
    const margin = marginOf(source, keyOf(holder.items[0]));
    return withAfter(source, holder, [`${margin}${inner}:`, ...entries.flatMap((lines) => itemLines(lines, `${margin}  `))]);
  }
  if (!isSeq(list) || list.flow === true) return null;
  const margin = marginOf(source, list);
  return withAfter(
    source,
    list,
    entries.flatMap((lines) => itemLines(lines, margin)),
  );
}

/**
 * A YAML text without the item of a list that begins at a place (1-based), and without the comment right above it, unless it is the first. Comments behind it stay.
 * Null: there is no such item, it is the only one, or the list stands in brackets.
 */
export function withoutItem(source: string, { line, column }: { readonly line: number; readonly column: number }): string | null {
  const parsed = parseBounded(source);
  if (!("document" in parsed)) return null;
  const offset = (parsed.lines.lineStarts[line - 1] ?? Infinity) + column - 1;
  let found: { readonly list: YAMLSeq; readonly index: number } | null = null;
  visit(parsed.document, {
    Seq(_, list) {
      const index = list.items.findIndex((item) => isNode(item) && item.range?.[0] === offset);
      if (index < 0) return undefined;
      found = { list, index };
      return visit.BREAK;
    },
  });
  return found === null ? null : withoutItemOf(source, found);
}

function withoutItemOf(source: string, { list, index }: { readonly list: YAMLSeq; readonly index: number }): string | null {
  const item = list.items[index];
  if (list.flow === true || list.items.length < 2 || !isNode(item) || item.range === null || item.range === undefined) return null;
  const lines = source.split("\n");
  const rowOf = (at: number): number => source.slice(0, at).split("\n").length - 1;
  let first = rowOf(item.range[0]);
  const last = rowOf(source.slice(0, endOf(item)).trimEnd().length);
  const margin = (lines[first] ?? "").search(/-/u);
  // Two items never share a line in block style, but for `- - a`.
  if (!/^ *- (?!- )/u.test(lines[first] ?? "")) return null;
  const isComment = (row: number): boolean => (lines[row] ?? "").search(/\S/u) === margin && (lines[row] ?? "")[margin] === "#";
  if (index > 0) while (isComment(first - 1)) first -= 1;
  return [...lines.slice(0, first), ...lines.slice(last + 1)].join("\n");
}

/** Where the text of a node ends. The range of a list or map in block style has also the comments behind it that stand further in. */
function endOf(node: Node): number {
  const last = isSeq(node) && node.flow !== true ? node.items.at(-1) : null;
  const pair = isMap(node) && node.flow !== true ? node.items.at(-1) : undefined;
  // A value that is not written has no place of its own.
  const value = pair !== undefined && isNode(pair.value) && !(isScalar(pair.value) && pair.value.source === "") ? pair.value : keyOf(pair);
  const inner = isNode(last) ? last : value;
  return inner === null ? (node.range?.[1] ?? 0) : endOf(inner);
}

/** Whether the empty lines behind a text that ends so are a part of a value. */
function keepsEmptyLines(source: string, map: YAMLMap): boolean {
  let last = "";
  visit(map, { Scalar: (_, { range }) => void (last = source.slice(range?.[0] ?? 0)) });
  return /^[|>]\d*\+/u.test(last);
}

function valueOf(map: YAMLMap, key: string): Node | null {
  const value = map.get(key, true);
  return value ?? null;
}

function keyOf(pair: Pair | undefined): Node | null {
  return (pair?.key as Node | null | undefined) ?? null;
}

function itemLines(lines: readonly string[], margin: string): readonly string[] {
  return lines.map((line, index) => `${margin}${index === 0 ? "- " : "  "}${line}`);
}

/** What stands before the first key, or the first dash, on its line. */
function marginOf(source: string, node: Node | null): string {
  const start = node?.range?.[0] ?? 0;
  return /^[ ]*/u.exec(source.slice(source.lastIndexOf("\n", start - 1) + 1))?.[0] ?? "";
}

/** Behind the line on which the node's own text ends, with the comment that stands there. */
function withAfter(source: string, node: Node, lines: readonly string[]): string {
  const written = source.slice(0, node.range?.[1] ?? source.length).trimEnd().length;
  const end = source.indexOf("\n", written);
  if (end === -1) return withAtEnd(source, lines);
  return `${source.slice(0, end + 1)}${lines.join("\n")}\n${source.slice(end + 1)}`;
}

function withAtEnd(source: string, lines: readonly string[]): string {
  return `${source === "" || source.endsWith("\n") ? source : `${source}\n`}${lines.join("\n")}\n`;
}
