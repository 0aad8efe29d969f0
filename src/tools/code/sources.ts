import type { Outcome } from "../../sandbox/outcome.ts";
import { EXTENSIONS, languageOf, PATTERN_EXTENSIONS } from "../../sandbox/syntax/languages.ts";
import type { SourceText } from "../../sandbox/syntax/task.ts";
import { decodeTextFile } from "../files/text-file.ts";
import { search } from "../search/ripgrep.ts";
import { showPath } from "../contract/location.ts";
import { endingError, trustedError } from "../contract/result.ts";
import type { ToolContext, ToolResult } from "../contract/tool.ts";

/** Of one call. */
const MOST_FILES = 200;
const MOST_BYTES = 8 * 1024 * 1024;
/** Larger ones are generated, and nobody reads their outline. */
const MOST_FILE_BYTES = 1024 * 1024;
const MOST_LISTED = 1000;

/** What a call reads. `notes`: what it left out, a line each. */
export type Sources =
  | { readonly kind: "sources"; readonly files: readonly SourceText[]; readonly notes: readonly string[] }
  | { readonly kind: "ended"; readonly result: ToolResult };

type Listing =
  | { readonly kind: "listed"; readonly paths: readonly string[]; readonly notes: readonly string[] }
  | { readonly kind: "ended"; readonly result: ToolResult };

/** `name`: files alone that have it in them. `isPattern`: of languages that patterns are searched for in. */
type Wanted = { readonly name: string | null; readonly isPattern: boolean };

/** The source files at or below a path. */
export async function readSources(context: ToolContext, path: string, wanted: Wanted): Promise<Sources> {
  if (languageOf(path) !== null) {
    const one = await context.handles.files.read(path, 0, MOST_FILE_BYTES);
    if (!(one.kind === "failed" && one.code === "is-directory")) return oneSource(one, path, context);
  }
  const listing = await list(context, path, wanted);
  if (listing.kind === "ended") return listing;
  const known = listing.paths.filter((file) => languageOf(file) !== null);
  if (known.length === 0 && listing.paths.includes(path)) return { kind: "ended", result: unknownLanguage() };
  return await readAll(context, known, listing.notes);
}

function unknownLanguage(): ToolResult {
  return trustedError(`Failed: this file's name has none of the endings whose language can be read: ${EXTENSIONS.map((ending) => `.${ending}`).join(" ")}.`);
}

function oneSource(outcome: Outcome, path: string, context: ToolContext): Sources {
  const shown = showPath(path, context);
  if (outcome.kind !== "completed") return { kind: "ended", result: endingError(outcome, `reading ${shown}`) };
  const source = sourceOf(outcome, path);
  return typeof source === "string" ? { kind: "ended", result: trustedError(`Failed: the file ${source}.`) } : { kind: "sources", files: [source], notes: [] };
}

async function readAll(context: ToolContext, paths: readonly string[], noted: readonly string[]): Promise<Sources> {
  const files: SourceText[] = [];
  const notes = [...noted];
  let bytes = 0;
  for (const [index, path] of paths.entries()) {
    if (index >= MOST_FILES || bytes >= MOST_BYTES || context.signal.aborted) {
      notes.push(`${paths.length - index} more files were not read: name a directory below, or a file`);
      break;
    }
    const outcome = await context.handles.files.read(path, 0, MOST_FILE_BYTES);
    if (outcome.kind === "denied") return { kind: "ended", result: endingError(outcome, `reading ${showPath(path, context)}`) };
    const source = sourceOf(outcome, path);
    if (typeof source === "string") notes.push(`${showPath(path, context)} ${source}`);
    else {
      files.push(source);
      bytes += source.text.length;
    }
  }
  return { kind: "sources", files, notes };
}

/** Why there is no text to read, as the file's predicate. */
function sourceOf(outcome: Outcome, path: string): SourceText | string {
  if (outcome.kind !== "completed" || outcome.result.kind !== "read-file") return "cannot be read";
  if (outcome.result.size > MOST_FILE_BYTES) return `is longer than is parsed (${MOST_FILE_BYTES} bytes)`;
  const decoded = decodeTextFile(outcome.result.bytes);
  return decoded === null ? "is binary" : { path, language: languageOf(path) ?? "", text: decoded.text };
}

async function list(context: ToolContext, path: string, { name, isPattern }: Wanted): Promise<Listing> {
  const which = name === null ? ["--files"] : ["--files-with-matches", "--fixed-strings", `--regexp=${name}`];
  const globs = (isPattern ? PATTERN_EXTENSIONS : EXTENSIONS).map((extension) => `--glob=*.${extension}`);
  // What was installed is nobody's own code, and there is much of it. It can be asked about by its path.
  const installed = path.includes("/node_modules") ? [] : ["--glob=!**/node_modules/**"];
  const found = await search(context, path, [...which, "--color=never", "--hidden", "--sort=path", "--null", ...globs, ...installed, "--glob=!**/.git/**"]);
  if (found.kind === "ended") return found;
  if (found.kind === "no-ripgrep") return await listByEntries(context, path);
  const { stdout, skipped, ending } = found;
  const paths = stdout.text
    .split("\0")
    .map((file) => file.replace(/^\n/u, ""))
    // What was cut out of the middle left the half of a name.
    .filter((file) => file === path || file.startsWith(path === "/" ? path : `${path}/`));
  return { kind: "listed", paths, notes: [skipped, ending].map((note) => note.trim().replace(/^\[|\]$/gu, "")).filter((note) => note !== "") };
}

/** In a sandbox without ripgrep: what a listing shows, names in .gitignore too. */
async function listByEntries(context: ToolContext, path: string): Promise<Listing> {
  const outcome = await context.handles.files.list(path, 10, MOST_LISTED);
  if (outcome.kind === "failed" && outcome.code === "not-a-directory") return { kind: "listed", paths: [path], notes: [] };
  if (outcome.kind !== "completed") return { kind: "ended", result: endingError(outcome, `listing ${showPath(path, context)}`) };
  if (outcome.result.kind !== "list") return { kind: "ended", result: trustedError("Failed: the sandbox answered with something else.") };
  const { entries, isTruncated } = outcome.result;
  const paths = entries.filter((entry) => entry.type === "file" && !/(?:^|\/)(?:\.git|node_modules)\//u.test(entry.name)).map(({ name }) => `${path}/${name}`);
  return { kind: "listed", paths: paths.toSorted(), notes: isTruncated ? [`not everything was listed: more than ${MOST_LISTED} entries`] : [] };
}
