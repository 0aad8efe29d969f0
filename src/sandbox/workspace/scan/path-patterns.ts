import { PathPatternSet } from "../../../policy/matching/path-patterns.ts";

/** What a policy's patterns say of paths. */
export type PathPatterns = {
  /** Whether a path, or everything below it, is meant: `**\/hooks/**` means the directory `hooks` too. */
  covers(path: string): boolean;
};

/** Compiles absolute patterns exactly as the policy layer reads them: what is refused by name and what is masked is the same. */
export function compilePatterns(patterns: readonly string[]): PathPatterns {
  const compiled = new PathPatternSet(patterns.map((pattern) => ({ pattern, at: { file: "", line: 0, column: 0 } })));
  return { covers: (path) => compiled.find(path) !== null };
}
