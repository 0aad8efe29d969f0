import { isMap, isNode, isScalar, isSeq, visit, type Document, type Node, type Pair, type YAMLMap } from "yaml";
import { makeVisible } from "../../base/text.ts";
import type { SourcePosition } from "../decision.ts";
import { parseBounded } from "./bounded-parser.ts";
import { errorAt, type PolicyDiagnostic } from "./diagnostic.ts";
import { MAX_KIBIBYTES_OF_A_FILE, sizeText } from "./file-size.ts";

/** A YAML text's plain value, and where each part of it stands. */
export type YamlText = {
  readonly value: unknown;
  /** Position of the value at a path; of the nearest one above it when there is none. */
  readonly at: (path: readonly PropertyKey[]) => SourcePosition;
  /** Position of a key of the map at a path. */
  readonly atKey: (path: readonly PropertyKey[], key: string) => SourcePosition;
  /** Whether something stands at the path. */
  readonly has: (path: readonly PropertyKey[]) => boolean;
};

const MAX_ALIASES = 20;

/**
 * Reads one YAML 1.2 document, strictly: errors and warnings of the parser, another version of YAML, unknown tags, duplicate keys, keys
 * that no map can hold, many aliases, invisible characters and numbers that do not mean what they look like (`0777`) are diagnostics.
 */
export function readYaml(
  file: string,
  source: string,
  maxKibibytes = MAX_KIBIBYTES_OF_A_FILE,
): { readonly text: YamlText } | { readonly diagnostics: readonly PolicyDiagnostic[] } {
  const start: SourcePosition = { file, line: 1, column: 1 };
  if (source.length > maxKibibytes * 1024) return { diagnostics: [errorAt(start, `The file is longer than ${sizeText(maxKibibytes)}.`)] };
  const hidden = hiddenCharacter(source);
  const parsed = parseBounded(source);
  const positionAt = (offset: number): SourcePosition => {
    const { line, col } = parsed.lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  if ("excess" in parsed) return { diagnostics: [errorAt(positionAt(parsed.at), parsed.excess, { remedy: parsed.remedy })] };
  const { document, secondAt } = parsed;
  // Behind the first fault of syntax the parser guesses, and what it says of the rest is mostly about its guess.
  const diagnostics = [...document.errors.slice(0, 1), ...document.warnings].map((problem) =>
    errorAt(positionAt(problem.pos[0]), `The file is not valid YAML: ${sentence(problem.message)}`),
  );
  if (secondAt !== null && document.errors.length === 0)
    diagnostics.push(
      errorAt(positionAt(secondAt), "The file holds multiple documents.", { remedy: "Keep one: leave out the `---` and what stands behind it." }),
    );
  if (hidden !== null) {
    diagnostics.unshift(
      errorAt(positionAt(hidden), "The file holds an invisible or control character.", {
        why: "What a reviewer sees would not be what is read.",
        remedy: "Remove it, or write it as an escape in double quotes.",
      }),
    );
  }
  diagnostics.push(...otherVersion(document, positionAt(Math.max(source.search(/^%YAML/mu), 0))));
  diagnostics.push(...misleadingParts(document, positionAt));
  if (diagnostics.length > 0) return { diagnostics };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    // The one thing that `toJS` throws for a document without errors: aliases that multiply.
    if (error instanceof ReferenceError) return { diagnostics: [errorAt(start, `The file uses too many aliases (at most ${MAX_ALIASES}).`)] };
    throw error;
  }
  return {
    text: {
      value,
      at: (path) => positionAt(offsetOf(document, path)),
      atKey: (path, key) => positionAt(offsetOfKey(document, path, key)),
      has: (path) => document.hasIn(path),
    },
  };
}

function sentence(message: string): string {
  return /[.!?]$/u.test(message) ? message : `${message}.`;
}

/** Much longer texts exhaust the stack of the engine's expressions. */
const SLICE = 16_384;

/** Index of the first character that would not be seen as it is; CR before LF is a line end. Null when there is none. */
function hiddenCharacter(source: string): number | null {
  const plain = source.replaceAll("\r\n", " \n");
  for (let start = 0; start < plain.length;) {
    // A pair of surrogates stays together.
    const end = start + SLICE + (/[\ud800-\udbff]/.test(plain.charAt(start + SLICE - 1)) ? 1 : 0);
    const slice = plain.slice(start, end);
    if (makeVisible(slice) !== slice) return start + hiddenIn(slice);
    start = end;
  }
  return null;
}

function hiddenIn(slice: string): number {
  let index = 0;
  for (const character of slice) {
    if (makeVisible(character) !== character) return index;
    index += character.length;
  }
  return 0;
}

/** In YAML 1.1, which a directive may ask for, `no` is false, `<<` merges and `1:30` is a number. */
function otherVersion(document: Document, at: SourcePosition): PolicyDiagnostic[] {
  const version = document.directives?.yaml.version ?? "1.2";
  if (version === "1.2") return [];
  return [errorAt(at, `The file says that it is YAML ${version}.`, { why: "The same text means something else there.", remedy: "Leave the directive out." })];
}

function numberFault(source: string, value: number, at: SourcePosition): PolicyDiagnostic {
  if (/^-(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/u.test(source))
    return errorAt(at, `The number ${source} is below zero.`, {
      why: "Every number of this file counts or bounds something, and nothing is bounded by less than nothing.",
      remedy: "Write 0 where nothing at all is allowed; leave the key out where there is to be no such limit.",
    });
  return errorAt(at, `The number ${source} is read as ${value}.`, {
    why: "Octal, hexadecimal, exponents and leading zeros are easily misread.",
    remedy: "Write it in plain decimal, or quote it when it is a text.",
  });
}

function misleadingParts(document: Document, positionAt: (offset: number) => SourcePosition): PolicyDiagnostic[] {
  const found: PolicyDiagnostic[] = [];
  visit(document, {
    // The parser would hold each key against every other one, which takes a minute where somebody writes twenty thousand.
    Map(_, node) {
      const names = new Set<unknown>();
      for (const { key } of node.items) {
        if (!isScalar(key)) continue;
        if (names.has(key.value)) found.push(errorAt(positionAt(key.range?.[0] ?? 0), "The file is not valid YAML: Map keys must be unique."));
        names.add(key.value);
      }
    },
    Scalar(key, node) {
      // A schema never hears of it: maps of JavaScript have no such key of their own.
      if (key === "key" && node.value === "__proto__") found.push(errorAt(positionAt(node.range?.[0] ?? 0), "`__proto__` is no key of any map."));
      if (typeof node.value !== "number" || node.source === undefined || /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/u.test(node.source)) return;
      found.push(numberFault(node.source, node.value, positionAt(node.range?.[0] ?? 0)));
    },
  });
  return found;
}

const known = new WeakMap<YAMLMap, ReadonlyMap<unknown, Pair>>();

/** The pairs of a map by their keys; of the same key the first. */
function pairsOf(map: YAMLMap): ReadonlyMap<unknown, Pair> {
  let pairs = known.get(map);
  if (pairs === undefined) {
    pairs = new Map(map.items.toReversed().flatMap((pair) => (isScalar(pair.key) ? [[pair.key.value, pair] as const] : [])));
    known.set(map, pairs);
  }
  return pairs;
}

function nodeAt(document: Document, path: readonly PropertyKey[]): Node | null {
  let node: unknown = document.contents;
  let last: Node | null = isNode(node) ? node : null;
  for (const key of path) {
    if (isMap(node)) node = pairsOf(node).get(key)?.value;
    else if (isSeq(node)) node = node.items[Number(key)];
    else break;
    if (!isNode(node)) break;
    last = node;
  }
  return last;
}

function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  return nodeAt(document, path)?.range?.[0] ?? 0;
}

function offsetOfKey(document: Document, path: readonly PropertyKey[], key: string): number {
  const map = nodeAt(document, path);
  const pair = isMap(map) ? pairsOf(map).get(key) : undefined;
  return isScalar(pair?.key) ? (pair.key.range?.[0] ?? 0) : (map?.range?.[0] ?? 0);
}
