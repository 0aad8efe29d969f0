import type { Beginning } from "../../app/begin/init.ts";

/** What stands in a project's folder. */
export function foundLines({ project }: Beginning): readonly string[] {
  const { kinds, lockFiles, tests, ci, filled } = project;
  const list = (words: readonly string[]): string => (words.length === 0 ? "none" : words.join(", "));
  return [
    `Found: ${list(kinds.map(({ name }) => name))}; lock files: ${list(lockFiles)}; CI: ${list(ci)}; tests: ${list(tests)}`,
    ...filled.map((name) => `note: ${name} was made on this machine, and what is compiled in it often does not run in the sandbox`),
  ];
}

/** What a person has to know where changes do not wait. */
export function landingLines(isTransactional: boolean): readonly string[] {
  return isTransactional ? [] : ["note: no transactional workspace opens here, so changes land at once; why: warder doctor"];
}
