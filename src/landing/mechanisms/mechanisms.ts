import { BUILDS } from "./builds.ts";
import { GIT_AND_CI, isGitHook } from "./git-and-ci.ts";
import { type Matcher, matcherOf, type Mechanism, type Row, rowsOf } from "./notation.ts";
import { PACKAGES } from "./packages.ts";
import { SURROUNDINGS } from "./surroundings.ts";

export { isGitHook };

/** What programs of the host do with a file, as their manuals say. */
export type Known = { readonly kind: string; readonly because: string; readonly programs: string; readonly source: string };

/** Every known mechanism. A file that none of them names is not harmless: see review/plain.ts. */
export const MECHANISMS: readonly Mechanism[] = [...GIT_AND_CI, ...SURROUNDINGS, ...PACKAGES, ...BUILDS];

type Compiled = {
  /** Of all patterns: most files are none of them. */ readonly any: Matcher;
  readonly kinds: readonly (Mechanism & { readonly matcher: Matcher; readonly compiledRows: readonly (Row & { readonly matcher: Matcher })[] })[];
};

let compiled: Compiled | null = null;

/** Made when the first file is looked at: most commands look at none. */
function compile(): Compiled {
  const kinds = MECHANISMS.map((mechanism) => {
    const rows = rowsOf(mechanism).map((row) => ({ ...row, matcher: matcherOf(row.patterns) }));
    return { ...mechanism, matcher: matcherOf(rows.flatMap(({ patterns }) => patterns)), compiledRows: rows };
  });
  return { any: matcherOf(kinds.flatMap(({ compiledRows }) => compiledRows.flatMap(({ patterns }) => patterns))), kinds };
}

/** What a file of this relative path is to programs of the host, the worst first, or null. */
export function knownAt(path: string): Known | null {
  return find((matcher) => matcher.isMatch(path));
}

/** What a link of this path could hold under names that programs know: `.github`, `gradle`. */
export function knownBelow(path: string): Known | null {
  return find((matcher) => matcher.isAbove(path));
}

function find(isMeant: (matcher: Matcher) => boolean): Known | null {
  const { any, kinds } = (compiled ??= compile());
  const mechanism = isMeant(any) ? kinds.find(({ matcher }) => isMeant(matcher)) : undefined;
  if (mechanism === undefined) return null;
  const row = mechanism.compiledRows.find(({ matcher }) => isMeant(matcher));
  return { kind: mechanism.kind, because: mechanism.because, programs: row?.programs ?? "", source: row?.source ?? "" };
}
