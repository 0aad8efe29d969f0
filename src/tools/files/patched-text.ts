import type { Hunk, Patch } from "./patch-text.ts";
import { linesFrom } from "./text-file.ts";

export type Patched = { readonly kind: "patched"; readonly text: string } | { readonly kind: "unmatched"; readonly hunk: number; readonly problem: string };

/** Lines compared for one file: more is no patch that somebody meant. */
const MAX_COMPARED = 20_000_000;
/** Outer lines of context that may differ, as `patch` has it. */
const MAX_FUZZ = 2;

type Line = { readonly text: string; readonly end: string };
type Found = { readonly at: number; /** Lines of context left out above and below. */ readonly fuzz: number };
type Reading = (text: string) => string;

const exactly: Reading = (text) => text;
const READINGS: Readonly<Record<Patch["matching"], readonly Reading[]>> = {
  exact: [exactly],
  loose: [exactly, (text) => text.trimEnd(), (text) => text.trim(), (text) => plainSigns(text.trim())],
};

/** Dashes, quotes and spaces that look like those of ASCII are those. */
function plainSigns(text: string): string {
  return text
    .replaceAll(/[\u2010-\u2015\u2212]/gu, "-")
    .replaceAll(/[\u2018-\u201B]/gu, "'")
    .replaceAll(/[\u201C-\u201F]/gu, '"')
    .replaceAll(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/gu, " ");
}

/** The text with the hunks made, each below the one before. Lines of context stay as the file has them, and so do its line endings. */
export function patchText(text: string, hunks: readonly Hunk[], matching: Patch["matching"]): Patched {
  const lines = [...linesFrom(text)].map(split);
  const search = createSearch(lines, READINGS[matching]);
  const ending = lines.find(({ end }) => end !== "")?.end ?? "\n";
  const made: Line[] = [];
  let [from, drift] = [0, 0];
  for (const [index, hunk] of hunks.entries()) {
    const place = placeOf(hunk, { search, from, drift, matching, count: lines.length });
    if (typeof place === "string") return { kind: "unmatched", hunk: index + 1, problem: place };
    const kept = trimmed(hunk, place.fuzz);
    if (hunk.line !== null) drift = place.at - place.fuzz - (hunk.line - 1);
    made.push(...lines.slice(from, place.at));
    let at = place.at;
    for (const { sign, text: line } of kept) {
      if (sign === " ") made.push(lines[at] ?? { text: line, end: ending });
      if (sign === "+") made.push({ text: line.replace(/\r$/u, ""), end: ending });
      if (sign !== "+") at += 1;
    }
    from = at;
    if (hunk.endsOpen && at >= lines.length) closeLast(made, "");
  }
  made.push(...lines.slice(from));
  const last = made.length - 1;
  return { kind: "patched", text: made.map(({ text: line, end }, index) => line + (index < last && end === "" ? ending : end)).join("") };
}

function split(line: string): Line {
  const [end = ""] = /\r?\n$/u.exec(line) ?? [];
  return { text: line.slice(0, line.length - end.length), end };
}

function closeLast(lines: Line[], end: string): void {
  const last = lines.pop();
  if (last !== undefined) lines.push({ text: last.text, end });
}

/** The lines of a hunk without its outermost lines of context. */
function trimmed({ lines }: Hunk, fuzz: number): Hunk["lines"] {
  const first = lines.findIndex(({ sign }) => sign !== " ");
  const last = lines.findLastIndex(({ sign }) => sign !== " ");
  return fuzz === 0 ? lines : lines.slice(Math.min(fuzz, first), Math.max(lines.length - fuzz, last + 1));
}

type Search = {
  /** Where the lines stand, from `from` on; -1: nowhere. `near`: the nearest to it. */
  readonly find: (wanted: readonly string[], from: number, near: number | null) => number;
  readonly isAt: (wanted: readonly string[], at: number) => boolean;
  readonly isSpent: () => boolean;
};

function createSearch(lines: readonly Line[], readings: readonly Reading[]): Search {
  let compared = 0;
  const read = readings.map((reading) => ({ reading, lines: null as readonly string[] | null }));
  const fits = (there: readonly string[], wanted: readonly string[], at: number): boolean => {
    if (at < 0 || at + wanted.length > there.length) return false;
    for (const [index, line] of wanted.entries()) {
      compared += 1;
      if (there[at + index] !== line) return false;
    }
    return true;
  };
  const inEach = (wanted: readonly string[], look: (there: readonly string[], as: readonly string[]) => number): number => {
    for (const each of read) {
      each.lines ??= lines.map(({ text }) => each.reading(text));
      const at = look(
        each.lines,
        wanted.map((line) => each.reading(line.replace(/\r$/u, ""))),
      );
      if (at >= 0) return at;
    }
    return -1;
  };
  return {
    isSpent: () => compared > MAX_COMPARED,
    isAt: (wanted, at) => inEach(wanted, (there, as) => (fits(there, as, at) ? at : -1)) >= 0,
    find: (wanted, from, near) =>
      inEach(wanted, (there, as) => {
        const start = near === null ? from : Math.max(from, near);
        for (let distance = 0; start + distance <= there.length || start - distance >= from; distance += 1) {
          if (compared > MAX_COMPARED) return -1;
          if (fits(there, as, start + distance)) return start + distance;
          if (distance > 0 && start - distance >= from && fits(there, as, start - distance)) return start - distance;
        }
        return -1;
      }),
  };
}

type Looking = { readonly search: Search; readonly from: number; readonly drift: number; readonly matching: Patch["matching"]; readonly count: number };

function placeOf(hunk: Hunk, { search, from, drift, matching, count }: Looking): Found | string {
  let begin = from;
  for (const anchor of hunk.anchors) {
    const at = search.find([anchor], begin, null);
    if (at < 0) return search.isSpent() ? TOO_MUCH : `no line below the place before is "${shown(anchor)}"`;
    begin = at + 1;
  }
  const near = hunk.line === null ? null : hunk.line - 1 + drift;
  for (let fuzz = 0; fuzz <= (matching === "exact" ? MAX_FUZZ : 0); fuzz += 1) {
    const kept = trimmed(hunk, fuzz);
    const wanted = kept.filter(({ sign }) => sign !== "+").map(({ text }) => text);
    const above = fuzz === 0 ? 0 : hunk.lines.findIndex((line) => line === kept[0]);
    if (wanted.length === 0 && fuzz > 0) break;
    if (wanted.length === 0) return { at: emptyPlace(hunk, begin, count), fuzz: 0 };
    if (hunk.isAtEnd && search.isAt(wanted, count - wanted.length) && count - wanted.length >= begin) return { at: count - wanted.length, fuzz: above };
    const at = search.find(wanted, begin, near === null ? null : near + above);
    if (at >= 0) return { at, fuzz: above };
    if (search.isSpent()) return TOO_MUCH;
  }
  const first = hunk.lines.find(({ sign }) => sign !== "+");
  return `its lines, from "${shown(first?.text ?? "")}" on, do not stand together in the file below line ${begin}`;
}

const TOO_MUCH = "the file and the patch repeat themselves too much to be compared";

/** Lines that are added to nothing: below their anchor, at the line that is named, or at the end. */
function emptyPlace({ anchors, line }: Hunk, begin: number, count: number): number {
  if (line !== null) return Math.max(begin, Math.min(count, line));
  return anchors.length > 0 ? begin : count;
}

function shown(line: string): string {
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}
