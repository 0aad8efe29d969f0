import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { isWithin } from "../../policy/matching/paths.ts";

// A program that Warder starts on the host for a person must not be one that an agent could have written.

/** A place, among those that the words of a command could name, in which an agent may write; undefined: there is none. Any end of a word may be a path, and a program is started in `/`. */
export function writablePlaceIn(argv: readonly string[], writable: readonly string[]): string | undefined {
  return argv.flatMap((word) => Array.from({ length: word.length }, (_, at) => resolve("/", word.slice(at)))).find((path) => liesIn(path, writable));
}

/** The PATH of a program that is started: without directories that an agent may write to, or that depend on where it runs. */
export function pathApart(writable: readonly string[]): string {
  const places = (process.env["PATH"] ?? "").split(":");
  return places.filter((place) => isAbsolute(place) && !liesIn(place, writable)).join(":");
}

/** By its name, or where links lead. */
export function liesIn(path: string, places: readonly string[]): boolean {
  return places.some((place) => isWithin(path, place) || isWithin(realPath(path), realPath(place)));
}

/** With links resolved as far as the path exists. */
export function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : resolve(realPath(parent), path.slice(parent === "/" ? 1 : parent.length + 1));
}
