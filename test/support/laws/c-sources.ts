import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import type { Violations } from "./laws.ts";

/** A file in C, as far as the laws look at it. */
export type CFile = {
  /** From the root of the tree. */
  readonly path: string;
  /** Headers of our own that it includes, from the root of the tree. */
  readonly includes: readonly string[];
  /** Functions that other files may call. */
  readonly defined: ReadonlySet<string>;
  /** Functions of its own, those that nobody else sees included. */
  readonly own: ReadonlySet<string>;
  /** Functions that a header declares. */
  readonly declared: ReadonlySet<string>;
  /** Names that are called, or handed on as a value. */
  readonly used: ReadonlySet<string>;
};

/** The files of one program: its `main.c`, what its list `sources` names, and every header beside them. */
export function readProgram(root: string, folder: string): readonly CFile[] {
  const listed = readFileSync(join(root, folder, "sources"), "utf8")
    .trim()
    .split("\n");
  const sources = ["main.c", ...listed].map((name) => normalize(join(folder, name)));
  const folders = [...new Set(sources.map((path) => dirname(path)))];
  const headers = folders.flatMap((path) =>
    readdirSync(join(root, path))
      .filter((name) => name.endsWith(".h"))
      .map((name) => join(path, name)),
  );
  return [...sources, ...headers].map((path) => scanC(path, readFileSync(join(root, path), "utf8")));
}

/** A scan of the text, not a parse: it knows the way in which these programs are written, a definition beginning at the start of a line. */
export function scanC(path: string, text: string): CFile {
  const includes = [...text.matchAll(/^#include "([^"]+)"/gm)].map(([, name = ""]) => normalize(join(dirname(path), name)));
  const code = text.replaceAll(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, " ").replaceAll(/^#(?:\\\n|[^\n])*/gm, "");
  const outer = outsideBraces(code);
  const own = new Set<string>();
  const defined = new Set<string>();
  for (const [, before = "", name = ""] of outer.matchAll(/([^;{}()]*)\b(\w+)\s*\([^;{}]*\)\s*\{/g)) {
    own.add(name);
    if (!/\bstatic\b/.test(before)) defined.add(name);
  }
  const declared = new Set([...outer.matchAll(/\b(\w+)\s*\([^;{}]*\)\s*;/g)].map(([, name = ""]) => name));
  // A header calls nothing: what looks like that declares it.
  const names = path.endsWith(".h") ? [] : code.matchAll(/\b(\w+)\s*(?=\()|(?<=[(,=]\s*&?)\b([A-Za-z_]\w*)\s*(?=[,;)}])/g);
  return { path, includes, defined, own, declared, used: new Set([...names].map(([, called, handed]) => called ?? handed ?? "")) };
}

/** What stands at the top of a file; of what stands in braces only the brace that opens it. */
function outsideBraces(code: string): string {
  let depth = 0;
  let outer = "";
  for (const character of code) {
    if (character === "}") depth -= 1;
    if (depth === 0) outer += character;
    if (character === "{") depth += 1;
  }
  return outer;
}

/** Which functions of which other file a file uses. */
function usesOf(file: CFile, files: readonly CFile[]): ReadonlyMap<string, readonly string[]> {
  const foreign = [...file.used].filter((name) => !file.own.has(name));
  return new Map(
    files
      .filter((other) => other !== file)
      .map((other) => [other.path, foreign.filter((name) => other.defined.has(name))] as const)
      .filter(([, names]) => names.length > 0),
  );
}

/** Files in C that need each other are one file, or one of them is in the wrong place: what is below gets handed in whom to call. */
export function circlesInC(files: readonly CFile[]): Violations {
  const uses = new Map(files.map((file) => [file.path, usesOf(file, files)]));
  const finished = new Set<string>();
  const violations: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) violations.push([...trail.slice(start), path].join(" → "));
    if (start !== -1 || finished.has(path)) return;
    for (const next of uses.get(path)?.keys() ?? []) visit(next, [...trail, path]);
    finished.add(path);
  };
  for (const { path } of files) visit(path, []);
  return violations;
}

/** A file in C says by its includes what it needs: each function that it uses is declared in a header that it includes itself. */
export function usesWithoutInclude(files: readonly CFile[]): Violations {
  const headers = new Map(files.filter(({ path }) => path.endsWith(".h")).map((file) => [file.path, file.declared]));
  return files.flatMap((file) => {
    const known = new Set(file.includes.flatMap((path) => [...(headers.get(path) ?? [])]));
    return [...usesOf(file, files)].flatMap(([path, names]) =>
      names.filter((name) => !known.has(name)).map((name) => `${file.path}: uses ${name} of ${path}, and includes no header that declares it`),
    );
  });
}
