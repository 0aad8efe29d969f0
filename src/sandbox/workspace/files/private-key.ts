import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import type { KeylessFiles } from "./keyless-files.ts";

const { O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_RDONLY } = constants;

/** A chain of certificates fits before the key. */
const HEAD_BYTES = 16 * 1024;

/** What is in each key that is found below. Most files hold none of these, and nothing more is asked of them. */
const MARKS = [Buffer.from("PRIVATE KEY"), Buffer.from("AGE-SECRET-KEY-"), Buffer.from("PuTTY-User-Key-File-")];

/**
 * How a key begins: PEM, OpenSSH and PGP (a header, then a line of the key or of its head), PEM in one line of JSON or of an environment file, PuTTY, age.
 * A header that nothing follows is what documentation and parsers hold.
 */
const PEM = String.raw`-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----`;
const PEM_LINES = String.raw`${PEM}[ \t]*\r?\n[ \t]*(?:[A-Za-z0-9+/=]{24,}|Proc-Type:|Version:|Comment:|\r?\n)`;
const PEM_IN_ONE = String.raw`${PEM}(?:\\r)?\\n[A-Za-z0-9+/=]{24,}`;
const OTHERS = String.raw`PuTTY-User-Key-File-\d+:|AGE-SECRET-KEY-1[A-Z0-9]{50,}`;
const AT_THE_TOP = new RegExp(String.raw`^\s*(?:#[^\n]*\n\s*){0,20}(?:${PEM_LINES}|${OTHERS})`, "u");
const ON_A_LINE = new RegExp(
  String.raw`^[ \t]*(?:${PEM_LINES}|${OTHERS})|["'=][ \t]*(?:${PEM_IN_ONE}|AGE-SECRET-KEY-1[A-Z0-9]{50,})|=[ \t]*["']?${PEM_LINES}`,
  "mu",
);

/** Source and prose: a program that does not find its own file is of no use, so a key that such a file quotes is not hidden. */
const SOURCE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|pyi|ipynb|rb|php|pl|pm|go|rs|java|kt|kts|scala|groovy|clj|ex|exs|erl|hs|ml|fs|cs|vb|swift|m|mm|c|h|cc|cpp|cxx|hh|hpp|zig|nim|d|dart|lua|r|jl|sh|bash|zsh|fish|ps1|bat|sql|html?|css|scss|md|markdown|mdx|rst|adoc|tex|snap|patch|diff)$/iu;

/** What decides which heads need no further look: what {@link KeylessFiles} remembers holds for these alone. */
export const MARKED_BY = [String(HEAD_BYTES), ...MARKS.map(String)].join("\n");

/** Whether a file's head holds a private key: at its top whatever the file's name; further below if its name is none of source or prose. */
export function holdsPrivateKey(name: string, head: Buffer): boolean {
  return isMarked(head) && isKey(name, head);
}

function isMarked(head: Buffer): boolean {
  return MARKS.some((mark) => head.includes(mark));
}

function isKey(name: string, head: Buffer): boolean {
  const text = head.toString("latin1").replace(/^\u00EF\u00BB\u00BF/u, "");
  return AT_THE_TOP.test(text) || (!SOURCE.test(name) && ON_A_LINE.test(text));
}

const buffer = Buffer.alloc(HEAD_BYTES);

/** The same of a regular file; false for what cannot be read. Follows no link and waits for nobody. What holds no mark is told to `keyless`. */
export function holdsPrivateKeyAt(path: string, keyless: KeylessFiles | null): boolean {
  const found = readHead(path, keyless !== null);
  if (found === null) return false;
  const head = buffer.subarray(0, found.length);
  if (isMarked(head)) return isKey(path, head);
  if (found.stats !== null) keyless?.add(path, found.stats);
  return false;
}

function readHead(path: string, withStats: boolean): { readonly length: number; readonly stats: Stats | null } | null {
  try {
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    try {
      const stats = withStats ? fstatSync(file) : null;
      return { length: readSync(file, buffer, 0, HEAD_BYTES, 0), stats };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return null;
    throw error;
  }
}
