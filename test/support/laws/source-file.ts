import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export type Import = {
  /** As written. */
  readonly specifier: string;
  /** Path from the root of the tree, for relative imports; null for packages and node: modules. */
  readonly target: string | null;
  /** `import type` and `export type` vanish before anything runs. */
  readonly isTypeOnly: boolean;
  /** `import()`: loaded when it is come to. */
  readonly isLazy: boolean;
};

export type SourceFile = {
  /** From the root of the tree, such as `src/shell/text/parse.ts`. */
  readonly path: string;
  /** The folder below src, or "" for src/index.ts. */
  readonly layer: string;
  readonly lines: number;
  /** The text without comments; string literals stay. */
  readonly code: string;
  readonly imports: readonly Import[];
};

const STATEMENT = /\b(?<keyword>import|export)\s+(?<type>type\s+)?(?<names>[\w*{}\s,$]*?)\s*from\s*["'](?<specifier>[^"']+)["']/g;
const BARE = /(?:^|[;\n])\s*import\s*["'](?<specifier>[^"']+)["']/g;
const DYNAMIC = /\bimport\(\s*(?:["'](?<specifier>[^"']+)["']|(?<computed>[^"'\s)]))/g;

/** Every .ts file below a folder of the tree, read and scanned. */
export function readSources(root: string, folder: string): readonly SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted()
    .map((path) => scanSource(path, readFileSync(join(root, path), "utf8")));
}

/**
 * What the laws need to know of one file. A scan of the text, not a parse: it may see an import in a string literal, which is a false
 * alarm, and never misses one that oxfmt has formatted.
 */
export function scanSource(path: string, text: string): SourceFile {
  const code = withoutComments(text);
  const imports: Import[] = [];
  const add = (specifier: string, isTypeOnly: boolean, isLazy = false): void => {
    imports.push({ specifier, target: specifier.startsWith(".") ? normalize(join(dirname(path), specifier)) : null, isTypeOnly, isLazy });
  };
  for (const { groups } of code.matchAll(STATEMENT)) {
    const names = (groups?.["names"] ?? "").trim();
    const areAllTypes =
      /^\{[\s\S]*\}$/.test(names) &&
      names
        .slice(1, -1)
        .split(",")
        .every((name) => name.trim() === "" || name.trim().startsWith("type "));
    add(groups?.["specifier"] ?? "", groups?.["type"] !== undefined || areAllTypes);
  }
  for (const { groups } of code.matchAll(BARE)) add(groups?.["specifier"] ?? "", false);
  for (const { groups } of code.matchAll(DYNAMIC)) add(groups?.["specifier"] ?? "(computed)", false, true);
  const folders = path.split("/");
  return { path, layer: folders.length > 2 ? (folders[1] ?? "") : "", lines: text.replace(/\n$/, "").split("\n").length, code, imports };
}

/** Strings are matched first, so that what looks like a comment inside one stays. */
function withoutComments(text: string): string {
  return text.replaceAll(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|(?<![\\/[])\/\/[^\n]*/g,
    (_match, literal: string | undefined) => literal ?? " ",
  );
}
