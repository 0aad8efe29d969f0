import { LIMITS } from "../../model/limits.ts";
import type { PathOperand, SimpleCommand, Word } from "../../model/model.ts";
import { literalPrefix, escapeGlob } from "../../model/words.ts";

/** Where relative paths start: an absolute directory, or null when it is not known. */
export type PathContext = { readonly directory: string | null; readonly home: string };

export function pathContext(simple: SimpleCommand, home: string): PathContext {
  return { directory: simple.cwd.kind === "known" ? simple.cwd.path : null, home };
}

/** The path that a word names, absolute and lexically normalised. */
export function pathOperand(word: Word, context: PathContext): PathOperand {
  if (word.kind === "literal") return literalPath(word.value, context);
  if (word.kind === "dynamic") {
    const prefix = word.prefix === "" ? null : absolute(word.prefix, context);
    return { kind: "dynamic", prefix: prefix === null ? "" : normalisePrefix(prefix) };
  }
  return patternPath(word, context);
}

type ListedPath = { /** What the word names. */ readonly whole: PathOperand; /** A directory whose names are read for it. */ readonly listed: PathOperand };

/**
 * The directories whose names a shell reads for a word that it expands as a pattern: the one where the pattern begins, and what its wildcards match up to
 * the last of them. Where nobody knows the working directory, nothing is said of it, as of `ls`.
 */
export function listedPaths(word: Word, context: PathContext): readonly ListedPath[] {
  const whole = pathOperand(withoutHome(word), context);
  if (whole.kind !== "pattern") {
    const isHere = word.kind === "pattern" && context.directory === null && !/^\/|(?:^|\/)\.\.(?:\/|$)/.test(word.glob);
    return isHere ? [] : [{ whole, listed: whole }];
  }
  const { directory, glob } = whole;
  const start = directory === "/" ? "" : escapeGlob(directory);
  const names = glob.slice(start.length + 1).split("/");
  const last = names.findLastIndex((name) => /[*?[(]/.test(name.replace(/\\[^]/g, "")));
  const first = { whole, listed: { kind: "literal", path: directory } } as const;
  if (last <= 0) return [first];
  return [first, { whole, listed: { kind: "pattern", directory, glob: `${start}/${names.slice(0, last).join("/")}` } }];
}

/** Whether a tilde stands at a word's beginning. */
export function beginsWithTilde(word: Word): boolean {
  return (word.kind === "literal" ? word.value : word.kind === "pattern" ? word.glob : word.prefix).startsWith("~");
}

/** A word whose tilde is no home, but a name in the working directory. */
export function withoutHome(word: Word): Word {
  if (word.kind === "literal") return { ...word, value: word.value.replace(/^~/, "./~") };
  if (word.kind === "pattern") return { ...word, glob: word.glob.replace(/^~/, "./~") };
  return { ...word, prefix: word.prefix.replace(/^~/, "./~") };
}

/** The path of a text, as {@link pathOperand}. */
export function literalPath(text: string, context: PathContext): PathOperand {
  const path = text === "." ? context.directory : absolute(text, context);
  return path === null ? { kind: "dynamic", prefix: "" } : { kind: "literal", path: normalise(path) };
}

/** `directory` joined with a relative path; an absolute one replaces it. Null: it cannot be known. */
export function changeDirectory(word: Word, context: PathContext): string | null {
  if (word.kind !== "literal") return null;
  const path = absolute(word.value, context);
  const directory = path === null ? null : normalise(path);
  return directory !== null && isFollowed(directory) ? directory : null;
}

/** Whether the path of a directory is short enough to be followed further. */
export function isFollowed(directory: string): boolean {
  return directory.length <= LIMITS.maxDirectoryCharacters;
}

/**
 * A quoted `~` is no home for the shell, and is resolved as one nevertheless where the program may do so itself: the home is the
 * stricter of both.
 */
function absolute(text: string, context: PathContext): string | null {
  if (text === "~") return context.home;
  if (text.startsWith("~/")) return `${context.home}/${text.slice(2)}`;
  if (text.startsWith("~")) return null;
  if (text.startsWith("/")) return text;
  return context.directory === null ? null : `${context.directory}/${text}`;
}

function patternPath(word: Word & { kind: "pattern" }, context: PathContext): PathOperand {
  const start = absolute(word.glob, context);
  const prefix = absolute(literalPrefix(word), context);
  if (start === null || prefix === null) return { kind: "dynamic", prefix: "" };
  const directory = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  // A `..` behind a wildcard may leave the directory that the pattern begins with.
  if (/(?:^|\/)\.\.(?:\/|$)/.test(start.slice(directory.length))) return { kind: "dynamic", prefix: "" };
  const named = normalise(directory);
  // A directory whose name looks like a pattern is one all the same.
  return { kind: "pattern", directory: named, glob: `${escapeGlob(named).replace(/\/$/, "")}/${start.slice(globOffset(start, directory))}` };
}

/** Where the pattern part of an absolute glob begins; its literal part may hold escapes. */
function globOffset(glob: string, directory: string): number {
  const depth = directory.split("/").length - 1;
  let at = 0;
  for (let seen = 0; seen < depth; at += 1) if (glob[at] === "/") seen += 1;
  return at;
}

/** The same for a path that goes on in an unknown way: its last part may become any name. */
function normalisePrefix(prefix: string): string {
  const last = prefix.lastIndexOf("/") + 1;
  return `${normalise(prefix.slice(0, last)).replace(/\/$/, "")}/${prefix.slice(last)}`;
}

/** What is to be resolved: most paths have nothing of it. */
const UNTIDY = /\/(?:\/|$|\.\.?(?:\/|$))/;

/** Resolves `.`, `..` and repeated slashes of an absolute path, in the text alone. */
export function normalise(path: string): string {
  if (path.startsWith("/") && !UNTIDY.test(path)) return path;
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
