import type { z } from "zod";
import { matchesGlob, parseGlob, type Glob } from "../../policy/matching/glob.ts";
import { showPath } from "../contract/location.ts";
import { endingError, trustedError, untrustedText } from "../contract/result.ts";
import type { globSearchSchema } from "../contract/input-schemas.ts";
import { renderNames } from "./output.ts";
import type { ToolContext, ToolResult } from "../contract/tool.ts";

type GlobInput = z.output<typeof globSearchSchema>;

const MAX_DEPTH = 64;
const MAX_ENTRIES = 100_000;
/** Of the alternatives that braces make. */
const MAX_ALTERNATIVES = 64;
/** Of characters held against parts of patterns: about a second. */
const MAX_STEPS = 20_000_000;

/** `glob_search` in a sandbox without ripgrep: the sandbox lists, and the names are held against the pattern here, in time that grows with their length alone. */
export async function listedGlob(input: GlobInput, path: string, context: ToolContext): Promise<ToolResult> {
  const matcher = matcherOf(input.pattern);
  if (typeof matcher === "string") return trustedError(`Failed: there is no ripgrep (rg) in this sandbox, and without it ${matcher}. Use a simpler pattern.`);
  const shownPath = showPath(path, context);
  const outcome = await context.handles.files.list(path, MAX_DEPTH, MAX_ENTRIES);
  if (outcome.kind !== "completed") return endingError(outcome, `listing ${shownPath}`);
  if (outcome.result.kind !== "list") return trustedError("Failed: the sandbox answered with something else.");
  const { entries, isTruncated } = outcome.result;
  const above = path === "/" ? "" : path;
  const files = entries.filter(({ type, name }) => type === "file" && !`/${name}`.includes("/.git/")).map(({ name }) => `${above}/${name}`);
  // As ripgrep does: a pattern is that of the path from the workspace.
  const found = files.filter((file) => matcher.matches(file.startsWith(`${context.workspace}/`) ? file.slice(context.workspace.length + 1) : file.slice(1)));
  const cut = isTruncated || matcher.isExhausted() ? "\n[Not everything was looked at: there is more, or it lies deeper, than one search sees; narrow it]" : "";
  const notes = `${cut}\n[Found without ripgrep: also what .gitignore names]`;
  if (found.length === 0) return untrustedText(`No file matches below ${shownPath}.${notes}`, { files: 0 });
  const show = (file: string): string => showPath(file, context).replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  const { text } = renderNames(found.toSorted(), { mode: "files", maxPerFile: 1, maxFiles: input.max_files ?? 200, show });
  return untrustedText(`${text}${notes}`, { files: found.length });
}

type Matcher = {
  /** Of a path, relative and without a slash at its end. Nothing matches once the matcher is exhausted. */
  readonly matches: (path: string) => boolean;
  readonly isExhausted: () => boolean;
};

/** What a pattern means; or what of it cannot be read. */
function matcherOf(pattern: string): Matcher | string {
  const alternatives = braced(pattern);
  if (alternatives === null) return `braces that do not close, or make more than ${MAX_ALTERNATIVES} patterns, cannot be read`;
  const globs = alternatives.map((text) => namesOf(text));
  const stepsOfEach = Math.max(
    1,
    globs.flat().reduce((sum, glob) => sum + (glob?.length ?? 1), 0),
  );
  let steps = 0;
  return {
    matches: (path) => {
      steps += path.length * stepsOfEach;
      if (steps > MAX_STEPS) return false;
      const names = path.split("/");
      return globs.some((glob) => matchesNames(glob, names));
    },
    isExhausted: () => steps > MAX_STEPS,
  };
}

/** Names as globs, `null` for `**`. A pattern without a slash is that of a name at any depth; groups of bash are plain text, as to ripgrep. */
function namesOf(pattern: string): readonly (Glob | null)[] {
  const anchored = pattern.includes("/") ? pattern.replace(/^\//u, "") : `**/${pattern}`;
  return anchored.split("/").map((name) => (name === "**" ? null : parseGlob(name.replaceAll("(", "\\("))));
}

/** Each name is looked at once for each place of the pattern, however many stars it has. */
function matchesNames(globs: readonly (Glob | null)[], names: readonly string[]): boolean {
  let reached = new Set([0]);
  const withRests = (places: Set<number>): Set<number> => {
    for (const place of places) if (globs[place] === null) places.add(place + 1);
    return places;
  };
  for (const name of names) {
    const next = new Set<number>();
    for (const place of withRests(reached)) {
      const glob = globs[place];
      if (glob === null) next.add(place);
      else if (glob !== undefined && matchesGlob(glob, name)) next.add(place + 1);
    }
    reached = next;
  }
  // `a/**` names what is in a, and `**/` at the end no file.
  return withRests(reached).has(globs.length);
}

/** The patterns that braces stand for; null where they do not close, or stand for too many. */
function braced(pattern: string): readonly string[] | null {
  const open = unescaped(pattern, "{", 0);
  if (open < 0) return unescaped(pattern, "}", 0) < 0 ? [pattern] : null;
  let depth = 0;
  let from = open + 1;
  const parts: string[] = [];
  for (let at = open; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === "\\") at += 1;
    else if (character === "{") depth += 1;
    else if (character === "," && depth === 1) {
      parts.push(pattern.slice(from, at));
      from = at + 1;
    } else if (character === "}" && (depth -= 1) === 0) {
      parts.push(pattern.slice(from, at));
      const made: string[] = [];
      for (const part of parts) {
        const rest = braced(pattern.slice(0, open) + part + pattern.slice(at + 1));
        if (rest === null || made.length + rest.length > MAX_ALTERNATIVES) return null;
        made.push(...rest);
      }
      return made;
    }
  }
  return null;
}

function unescaped(text: string, wanted: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === wanted) return at;
  }
  return -1;
}
