import type { SimpleCommand, Word } from "../../shell/model/model.ts";
import { isMeasured, type Facts } from "../facts.ts";
import { normalisePath } from "../matching/paths.ts";

/** The words of a command that go up (`..`), by the path that they name; null when none does. */
type Climbs = { readonly byPath: ReadonlyMap<string, Climb>; readonly all: Climb };

/** `fromName`: behind a name (`a/..`), which may be a link. `fromDirectory`: from the working directory (`../a`), which may be one. */
type Climb = { readonly fromName: boolean; readonly fromDirectory: boolean };

/** From so many words on, the result is cached for the command: it may have a unit for each word. */
const MANY_WORDS = 16;
const known = new WeakMap<SimpleCommand, Climbs | null>();

/**
 * Whether a command names a path by going up (`..`) from a place that may be a link. The analysis resolves `..` in the text, the
 * system after following links: `cat link/../shadow` is another file when `link` leads elsewhere, and so is `../shadow`
 * after `cd link`.
 */
export function climbsFromLink(command: SimpleCommand, path: string, facts: Pick<Facts, "paths">): boolean {
  const climbs = climbsOf(command);
  if (climbs === null) return false;
  const { cwd } = command;
  if (cwd.kind !== "known") return true;
  const fact = facts.paths.get(cwd.path);
  const isRealDirectory = isMeasured(fact) && fact.real === cwd.path;
  const { fromName, fromDirectory } = climbs.byPath.get(path) ?? climbs.all;
  return fromName || (fromDirectory && !isRealDirectory);
}

function climbsOf(command: SimpleCommand): Climbs | null {
  if (command.argv.length + command.redirections.length < MANY_WORDS) return readClimbs(command);
  let found = known.get(command);
  if (found === undefined) {
    found = readClimbs(command);
    known.set(command, found);
  }
  return found;
}

function readClimbs(command: SimpleCommand): Climbs | null {
  if (!mayClimb(command)) return null;
  const { cwd } = command;
  const byPath = new Map<string, Climb>();
  let all: Climb = { fromName: false, fromDirectory: false };
  for (const word of wordsOf(command).flatMap(texts)) {
    const climb = { fromName: climbsFromName(word), fromDirectory: word.startsWith("..") };
    all = either(all, climb);
    const path = normalisePath(word.startsWith("/") || cwd.kind !== "known" ? word : `${cwd.path}/${word}`);
    byPath.set(path, either(byPath.get(path) ?? climb, climb));
  }
  return { byPath, all };
}

function either(one: Climb, other: Climb): Climb {
  return { fromName: one.fromName || other.fromName, fromDirectory: one.fromDirectory || other.fromDirectory };
}

/** `main..HEAD` goes nowhere up. */
const CLIMB = /\.\.(?:\/|$)/;

function mayClimb(command: SimpleCommand): boolean {
  for (const word of wordsOf(command)) {
    const text = textOf(word);
    if (text.includes("..") && CLIMB.test(text)) return true;
  }
  return false;
}

/** Words that may name a path: of what is assigned, those that a loop or an array takes from a directory. */
function wordsOf({ argv, assignments, redirections }: SimpleCommand): readonly Word[] {
  const assigned = argv.length > 0 ? [] : assignments.flatMap(({ value }) => value ?? []);
  if (assigned.length === 0 && redirections.length === 0) return argv;
  return [...argv, ...assigned, ...redirections.map(({ target }) => target)];
}

function textOf(word: Word): string {
  return word.kind === "literal" ? word.value : word.kind === "pattern" ? word.glob : word.prefix;
}

/** `a/..`, and not `../../a`. */
function climbsFromName(word: string): boolean {
  const components = word.split("/").filter((component) => component !== "" && component !== ".");
  const lastClimb = components.lastIndexOf("..");
  return components.slice(0, Math.max(lastClimb, 0)).some((component) => component !== "..");
}

/** A climb that begins behind something else: `-C../a`, `HEAD:../a`. */
const ATTACHED = /[^/.]\.\.(?:\/|$)/;

/** What of a word may be a path: all of it, what follows `=` in an option, and a climb that is attached to its letter. */
function texts(word: Word): string[] {
  const text = textOf(word);
  const equals = text.indexOf("=");
  const attached = text.search(ATTACHED);
  return [text, ...(equals < 0 ? [] : [text.slice(equals + 1)]), ...(attached < 0 ? [] : [text.slice(attached + 1)])];
}
