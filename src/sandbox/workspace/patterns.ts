import { Minimatch } from "minimatch";

/** What a policy's patterns say of paths, with the options that the policy layer matches with. */
export type PathPatterns = {
  /** Whether a path, or everything below it, is meant: `**\/hooks/**` means the directory `hooks` too. */
  covers(path: string): boolean;
};

/** Compiles absolute minimatch patterns (`dot: true`). */
export function compilePatterns(patterns: readonly string[]): PathPatterns {
  const matchers = patterns.flatMap((pattern) => {
    // A pattern for all that lies in a directory is satisfied by one mount on the directory.
    const forms = pattern.endsWith("/**") && pattern !== "/**" ? [pattern, pattern.slice(0, -"/**".length)] : [pattern];
    return forms.map((form) => new Minimatch(form, { dot: true, nonegate: true, nocomment: true }));
  });
  return { covers: (path) => matchers.some((matcher) => matcher.match(path)) };
}
