import { isMap, isNode, isScalar, isSeq, type Node, type Pair, type YAMLMap } from "yaml";
import { parseBounded } from "./bounded-parser.ts";

/** 1-based. */
export type TextPlace = { readonly line: number; readonly column: number };

/** A key or a value in a text. */
export type YamlPart = {
  /** Of the value, or of the value of the key. */
  readonly path: readonly (string | number)[];
  readonly isKey: boolean;
  /** The keys of the map that a key stands in. */
  readonly siblings: readonly string[];
  /** As it is read, without quotes. */
  readonly text: string;
  /** Where it begins, and where the first character behind it stands. */
  readonly from: TextPlace;
  readonly to: TextPlace;
};

/** The key or value at a place of a text, in block or flow style; null where there is none, or where the text is too much for a file of ours. */
export function yamlPartAt(source: string, { line, column }: TextPlace): YamlPart | null {
  const parsed = parseBounded(source);
  if ("excess" in parsed) return null;
  const start = parsed.lines.lineStarts[line - 1];
  if (start === undefined) return null;
  const offset = start + column - 1;
  const holds = (node: unknown): node is Node => {
    const [from, to] = (isNode(node) ? node.range : null) ?? [Infinity, 0];
    return from <= offset && offset <= to;
  };
  const place = (at: number): TextPlace => {
    const { line: row, col } = parsed.lines.linePos(at);
    return { line: row, column: col };
  };
  const path: (string | number)[] = [];
  const partOf = (part: Node, map?: YAMLMap): YamlPart | null => {
    if (!isScalar(part)) return null;
    const [from, to] = part.range ?? [0, 0];
    const siblings = (map?.items ?? []).flatMap(({ key }) => (isScalar(key) && key !== part ? [String(key.value)] : []));
    return { path, isKey: map !== undefined, siblings, text: String(part.value), from: place(from), to: place(to) };
  };
  let node: unknown = parsed.document.contents;
  while (holds(node)) {
    if (isMap(node)) {
      const pair: Pair | undefined = node.items.find(({ key, value }) => holds(key) || holds(value));
      if (!isScalar(pair?.key)) return null;
      path.push(String(pair.key.value));
      if (holds(pair.key)) return partOf(pair.key, node);
      node = pair.value;
    } else if (isSeq(node)) {
      const index = node.items.findIndex(holds);
      path.push(index);
      node = node.items[index];
    } else return partOf(node);
  }
  return null;
}
