import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Catalogue } from "../../../src/programs/catalogue.ts";
import { digestOf } from "../../shared/digest.ts";
import { REAL_PROGRAMS } from "./execution/stub-root.ts";

const CHECKOUT = fileURLToPath(new URL("../../..", import.meta.url));

/** What makes the texts. */
const GENERATOR = [
  "scripts.ts",
  "idioms.ts",
  "combinations.ts",
  "steps.ts",
  "uses.ts",
  "inputs.ts",
  "parameters.ts",
  "oddities.ts",
  "words.ts",
  "vocabulary.ts",
].map((name) => `toolbox/fuzz/shell/texts/${name}`);
/** What runs them, and what is held against the analysis. */
const ORACLE = [
  "toolbox/fuzz/shell/campaign.ts",
  "toolbox/fuzz/shell/texts/mutation.ts",
  "toolbox/shared/random.ts",
  "toolbox/fuzz/shell/subject.ts",
  "toolbox/fuzz/shell/verdict.ts",
  "toolbox/fuzz/shell/execution/runner.c",
  "toolbox/fuzz/shell/execution/stub.h",
];
/** Where all of it lay in earlier checkouts. */
const FORMER_FOLDER = "scripts/fuzz";
/** What reads the tables. */
const TABLES = ["catalogue.ts", "get-or-create.ts", "notation.ts", "option-notation.ts", "table.ts", "effect.ts"].map((name) => `src/programs/${name}`);

/**
 * The digest of what the fuzzer tests, as 64 hexadecimal digits: the shell analysis, the parser's version, the tables of the programs
 * that the generator names or that start others, and the fuzzer itself. Counts of runs add up while it stays the same.
 *
 * The tables of other programs are left out: the vectors that are mutated name some, but their stubs start and write
 * nothing, so no table of theirs can hide a finding or make one. The vectors are left out too: they are inputs, as seeds are.
 */
export function shellDigest(catalogue: Catalogue): string {
  const texts = sourcesBelow("src/shell");
  for (const path of [...TABLES, ...GENERATOR, ...ORACLE, "node_modules/unbash/package.json"]) texts.push(path, read(path));
  for (const name of vocabularyOf(catalogue)) texts.push(name, serialise(catalogue.find(name)));
  return digestOf(texts);
}

/** The path of a part of the fuzzer in a checkout, which may be an earlier one. */
export function placeIn(checkout: string, path: string): string {
  return existsSync(join(checkout, path)) ? join(checkout, path) : join(checkout, FORMER_FOLDER, basename(path));
}

/** The digest of what runs the texts of a checkout, and of what is held against the analysis there, wherever its files lie. */
export function oracleDigest(checkout: string = CHECKOUT): string {
  return digestOf(ORACLE.flatMap((path) => [basename(path), withoutPlaces(readFileSync(placeIn(checkout, path), "utf8"))]));
}

/** The programs that have a table and that the generator names or the stub root really runs, in their order. */
export function vocabularyOf(catalogue: Catalogue): readonly string[] {
  const words = new Set(GENERATOR.flatMap((path) => withoutComments(read(path)).match(/[\w.[+-]+/g) ?? []));
  return catalogue.names.filter((name) => words.has(name) || REAL_PROGRAMS.has(name)).toSorted();
}

/** Imports and ways up say where files lie, which is no part of what they do. */
function withoutPlaces(source: string): string {
  return source.replace(/^import\s[^;]*;\n/gmu, "").replaceAll("../", "");
}

function withoutComments(source: string): string {
  return source.replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
}

/** A table as a text; what is no plain object becomes a list. */
function serialise(node: unknown): string {
  return JSON.stringify(node, (_key, value: unknown) => (value instanceof Map || value instanceof Set ? [...value] : value)) ?? "";
}

function sourcesBelow(folder: string): string[] {
  const names = readdirSync(join(CHECKOUT, folder), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return names.toSorted().flatMap((name) => [`${folder}/${name}`, read(`${folder}/${name}`)]);
}

function read(path: string): string {
  return readFileSync(join(CHECKOUT, path), "utf8");
}
