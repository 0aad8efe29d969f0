import { compilePatterns, type PathPatterns } from "../../sandbox/workspace/scan/path-patterns.ts";

/** A kind of file that programs of the host obey or execute later, without anybody who reads it first. */
export type Mechanism = {
  /** Stable: scripts read it. */
  readonly kind: string;
  readonly because: string;
  /**
   * A line a row, further lines indented deeper: programs | where their manual says so | patterns. A pattern is a file below any directory of the
   * workspace, or with `/**` all that is in a directory of that name. In lower case it means other letters too, as some file systems tell no difference.
   */
  readonly rows: string;
};

/** One row of the table. */
export type Row = { readonly programs: string; readonly source: string; readonly patterns: readonly string[] };

const TREE = "/**";

export function rowsOf({ rows }: Pick<Mechanism, "rows">): readonly Row[] {
  const joined: string[] = [];
  for (const line of rows.split("\n").map((each) => each.trim())) {
    if (line === "") continue;
    if (line.includes(" | ") || joined.length === 0) joined.push(line);
    else joined.push(`${joined.pop() ?? ""} ${line}`);
  }
  return joined.map((line) => {
    const [programs = "", source = "", patterns = "", ...more] = line.split(" | ");
    if (patterns === "" || more.length > 0) throw new TypeError(`"${line.slice(0, 60)}" is no row of programs, source and patterns.`);
    return { programs, source, patterns: patterns.split(/\s+/u) };
  });
}

/** Tells which relative paths some patterns mean. */
export type Matcher = {
  isMatch(path: string): boolean;
  /** Whether a directory of this path would hold what the patterns mean: `.github` for `.github/workflows/**`. */
  isAbove(path: string): boolean;
};

export function matcherOf(patterns: readonly string[]): Matcher {
  const trees = patterns.filter((pattern) => pattern.endsWith(TREE));
  // A pattern without `/**` means no directory: it is held against just as many last names as it has, so that nothing matches above.
  const names = [
    ...Map.groupBy(
      patterns.filter((pattern) => !pattern.endsWith(TREE)),
      (pattern) => pattern.split("/").length,
    ),
  ].map(([length, some]) => ({ length, sets: setsOf(some, "/") }));
  const below = setsOf(trees, "/**/");
  const above = [...Map.groupBy(patterns.flatMap(prefixesOf), (prefix) => prefix.split("/").length)].map(([length, some]) => ({
    length,
    sets: setsOf(some, "/"),
  }));
  const endsIn = (groups: typeof names, path: string): boolean => {
    const parts = path.split("/");
    return groups.some(({ length, sets }) => parts.length >= length && covers(sets, `/${parts.slice(-length).join("/")}`));
  };
  return {
    isMatch: (path) => endsIn(names, path) || covers(below, `/${path}`),
    isAbove: (path) => endsIn(above, path),
  };
}

type Sets = { readonly exact: PathPatterns | null; readonly folded: PathPatterns | null };

function setsOf(patterns: readonly string[], start: string): Sets {
  const isExact = (pattern: string): boolean => /[A-Z]/u.test(pattern);
  const compiled = (some: readonly string[]): PathPatterns | null => (some.length === 0 ? null : compilePatterns(some.map((pattern) => start + pattern)));
  return { exact: compiled(patterns.filter(isExact)), folded: compiled(patterns.filter((pattern) => !isExact(pattern))) };
}

function covers({ exact, folded }: Sets, path: string): boolean {
  return exact?.covers(path) === true || folded?.covers(path.toLowerCase()) === true;
}

function prefixesOf(pattern: string): readonly string[] {
  const parts = pattern.split("/").slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join("/"));
}
