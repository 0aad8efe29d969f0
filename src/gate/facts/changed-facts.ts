import type { PathFact } from "../../policy/facts.ts";
import type { Measured } from "./measure.ts";

/**
 * What is no longer as it was when the decision was made: a sentence, or null when nothing differs. Any
 * difference voids the ruling, because another path, another file or another link may be meant now.
 */
export function difference(before: Measured, now: Measured): string | null {
  for (const [path, fact] of before.paths) {
    const current = now.paths.get(path);
    if (current === undefined) return `${path} can no longer be measured`;
    if (!isSameFact(fact, current)) return `${path} is not what it was when this was decided`;
  }
  for (const [path, hash] of before.files) {
    if (now.files.get(path) !== hash) return `${path}, which this would run, read as configuration or write, was changed since this was decided`;
  }
  for (const [server, { paths, files }] of before.served) {
    const current = now.served.get(server);
    for (const [path, fact] of paths) {
      const found = current?.paths.get(path);
      if (found === undefined || !isSameFact(fact, found)) return `${path} is not what it was when this was decided`;
    }
    for (const [path, hash] of files)
      if (current?.files.get(path) !== hash) return `${path}, which the MCP server ${server} would write, was changed since this was decided`;
  }
  for (const [path, tables] of before.tables) {
    if (JSON.stringify(now.tables.get(path)) !== JSON.stringify(tables)) return `${path} has not the tables that it had when this was decided`;
  }
  for (const look of before.plain) if (!now.plain.has(look)) return `the names below ${look.slice(look.indexOf(" ") + 1)} are no longer all plain`;
  for (const directory of before.ordinary) if (!now.ordinary.has(directory)) return `a name in ${directory} may now be an option, and not a file`;
  for (const pattern of before.unmatched) if (!now.unmatched.has(pattern)) return `${pattern} may name a file, which it did not when this was decided`;
  for (const [look, steering] of before.repositories) {
    if (now.repositories.get(look) !== steering) return "the configuration of a repository, which git obeys here, was changed since this was decided";
  }
  return null;
}

function isSameFact(before: PathFact, now: PathFact): boolean {
  return before.real === now.real && before.type === now.type && (before.type !== "file" || before.links === now.links) && before.error === now.error;
}

/**
 * What the next action of a call starts from, after one that changed something. A path that leads elsewhere now, and a file that got further names, were
 * decided on by nobody: for these the old fact stays, so that the next measurement differs from it.
 */
export function afterOwnAction(before: Measured, now: Measured): Measured {
  const accepted = [...now.paths].map(([path, fact]): [string, PathFact] => {
    const was = before.paths.get(path);
    const isSamePlace = was === undefined || (was.real === fact.real && was.error === fact.error);
    const hasFurtherNames = fact.type === "file" && fact.links > 1 && fact.links !== was?.links;
    return [path, isSamePlace && !hasFurtherNames ? fact : (was ?? fact)];
  });
  return { ...now, paths: new Map(accepted) };
}
