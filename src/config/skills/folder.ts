import { closeSync, constants, fstatSync, openSync, opendirSync, readSync, type Stats } from "node:fs";
import { join } from "node:path";
import { digestOf, sha256 } from "../../base/digest.ts";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";

/** The file of a skill that says what it is for and how it is done. */
export const MAIN_FILE = "SKILL.md";

const MAX_FILES = 300;
const MAX_DEPTH = 5;
const MAX_FILE_BYTES = 256 * 1024;
const MAX_BYTES = 4 * 1024 * 1024;
/** Of a file or directory: what a person reads as it is, and a model writes back. */
const NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9._ -]{0,98}[A-Za-z0-9_-])?$/u;

/** `text`: as a person is shown it and a model is given it; null where it is none. */
export type SkillFile = { readonly path: string; readonly bytes: number; readonly sha256: string; readonly text: string | null };

/** All that lies in a skill's folder, by path in order, and the digest of that. */
export type SkillFolder = { readonly files: readonly SkillFile[]; readonly digest: string };

type Fault = { readonly problem: string };

/** Reads a folder whole. `problem`: what of it no skill may have, as a clause. */
export function readSkillFolder(directory: string): SkillFolder | Fault {
  const files: SkillFile[] = [];
  const problem = gather(directory, [], files);
  if (problem !== null) return { problem };
  const inOrder = files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return { files: inOrder, digest: digestOf(inOrder.map(({ path, sha256: digest }) => [path, digest])) };
}

function gather(directory: string, below: readonly string[], files: SkillFile[]): string | null {
  if (below.length > MAX_DEPTH) return `${below.join("/")} lies deeper than ${String(MAX_DEPTH)} directories`;
  const place = opened(() => opendirSync(join(directory, ...below)));
  if (typeof place === "string") return `${below.length === 0 ? "it" : below.join("/")} ${place}`;
  try {
    for (let entry = place.readSync(); entry !== null; entry = place.readSync()) {
      const path = [...below, entry.name].join("/");
      if (!NAME.test(entry.name)) return `${makeVisibleLine(path).slice(0, 200)} has a name with other characters than letters, digits, spaces and . _ -`;
      if (!entry.isDirectory() && !entry.isFile()) return `${path} is a ${entry.isSymbolicLink() ? "link" : "special file"}`;
      const problem = entry.isDirectory() ? gather(directory, [...below, entry.name], files) : add(directory, path, files);
      if (problem !== null) return problem;
    }
    return null;
  } finally {
    place.closeSync();
  }
}

function add(directory: string, path: string, files: SkillFile[]): string | null {
  if (files.length >= MAX_FILES) return `it has more than ${String(MAX_FILES)} files`;
  const file = readSkillFile(directory, path);
  if ("problem" in file) return `${path} ${file.problem}`;
  files.push(file);
  return files.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_BYTES ? `it has more than ${String(MAX_BYTES / 1024 ** 2)} MiB of files` : null;
}

/** Reads one file of a folder. It follows no link in its last part, waits for nothing, and reads no more than a skill may have. */
export function readSkillFile(directory: string, path: string): SkillFile | Fault {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
  const file = opened(() => openSync(join(directory, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (typeof file === "string") return { problem: file };
  try {
    const problem = faultOf(fstatSync(file));
    if (problem !== null) return { problem };
    const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) read = readSync(file, bytes, length, bytes.length - length, null);
    if (length > MAX_FILE_BYTES) return { problem: TOO_LONG };
    const content = bytes.subarray(0, length);
    return { path, bytes: length, sha256: sha256(content), text: textOf(content) };
  } finally {
    closeSync(file);
  }
}

const TOO_LONG = `is longer than ${String(MAX_FILE_BYTES / 1024)} KiB`;

function faultOf(status: Stats): string | null {
  if (!status.isFile()) return "is no regular file";
  if (status.nlink !== 1) return "has a second name (a hard link)";
  if (status.uid !== 0 && status.uid !== process.getuid?.()) return "belongs to somebody else";
  if ((status.mode & 0o002) !== 0) return "may be changed by everybody; run: chmod o-w on it";
  return status.size > MAX_FILE_BYTES ? TOO_LONG : null;
}

function opened<T>(open: () => T): T | string {
  try {
    return open();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "") throw error;
    return code === "ELOOP" ? "is a link" : code === "ENOENT" ? "is not there" : `cannot be opened (${code})`;
  }
}

/** What nobody would see is shown by its number, to a person and to a model alike. */
function textOf(content: Buffer): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    return text.includes("\0") ? null : makeVisible(text.replaceAll("\r\n", "\n"));
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
