import { type MeaningOf, missing, searching } from "./meaning.ts";
import { placesOf } from "./spelled-path.ts";

const LEADS_OUT = /\.\.|(?:^|[{,(|])[\s@\\]*[~/]|file:/u;

/** A pattern of file names: all below its directory is read, and all below the directory that the pattern itself leads to. `keys`: of the directory. */
export function globbing(patternKey: string, ...keys: readonly string[]): MeaningOf {
  const below = searching("glob_search", ...keys);
  return (input, place) => {
    const [meant, pattern] = [below(input, place), input[patternKey]];
    if ("problem" in meant || typeof pattern !== "string" || !LEADS_OUT.test(pattern)) return meant;
    const head = /^[^*?[{(!]*\//u.exec(pattern)?.[0] ?? "";
    const bases = meant.requests.flatMap((request) => (request.kind === "read" ? [request.path] : []));
    const places = bases.map((workspace) => placesOf(head, { ...place, workspace }));
    // Behind a wildcard, or in one of several choices, it may lead anywhere.
    if (LEADS_OUT.test(pattern.slice(head.length)) || places.includes(null)) return missing([patternKey], "a pattern below one directory");
    const further = places.flatMap((each) => each ?? []).map((path) => ({ kind: "read", path, isRecursive: true }) as const);
    return { ...meant, requests: [...meant.requests, ...further] };
  };
}
