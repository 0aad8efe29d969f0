import { makeVisibleLine } from "../base/text.ts";

/**
 * Where a value came from. It belongs to a value, and stays with it: in the history, in an artifact, in a memory, on its way from a sub-agent. What a run
 * has seen is all labels of what its model was given; a value without any is Warder's own words, a person's or the policy's.
 */
export type Label = {
  readonly trust: "trusted" | "untrusted";
  readonly isSensitive: boolean;
  /** `file /w/notes.md`, `command`, `host example.org`, `tool x__y`…: one visible line. */
  readonly source: string;
  /** The call whose result it was first a label of, and its run. */
  readonly call: string;
  readonly run: string;
};

/** What a run may have seen: words that somebody else may have written, or what must not get out. */
export const SIGHTS = ["tainted", "sensitive"] as const;
export type Sight = (typeof SIGHTS)[number];

const MAX_SOURCE = 200;
const MAX_NAME = 100;

/** A label made of words that nobody has checked yet. */
export function labelOf({ trust, isSensitive, source, call, run }: Label): Label {
  return { trust, isSensitive, source: line(source, MAX_SOURCE), call: line(call, MAX_NAME), run: line(run, MAX_NAME) };
}

function line(text: string, most: number): string {
  const visible = makeVisibleLine(text);
  return visible.length <= most ? visible : `${visible.slice(0, most - 1).toWellFormed()}…`;
}

/** The first label by which a run has seen what is tainted, or sensitive. */
export function firstSeen(sight: Sight, labels: readonly Label[]): Label | undefined {
  return labels.find((label) => (sight === "tainted" ? label.trust === "untrusted" : label.isSensitive));
}

/** A condition as a person reads it. One that names nothing always holds. */
export function whenText(when: readonly Sight[]): string {
  return when.length === 0 ? "always" : when.join(" and ");
}

/** Why a condition holds: the first label of each sight, or that nobody knows. */
export function whyHeld(when: readonly Sight[], labels: readonly Label[] | undefined): string {
  if (when.length === 0) return "It counts whatever else is said.";
  if (labels === undefined) return "It counts here because nobody knows what the model was given.";
  return when
    .flatMap((sight) => {
      const label = firstSeen(sight, labels);
      return label === undefined ? [] : [`It counts here because the model was given what is ${SEEN_AS[sight]}: ${sourceText(label)}.`];
    })
    .join(" ");
}

const SEEN_AS: Readonly<Record<Sight, string>> = { tainted: "untrusted", sensitive: "sensitive" };

/** `file /w/notes.md (call c1 of run-1)`. */
function sourceText({ source, call, run }: Label): string {
  return `${source} (call ${call} of ${run})`;
}

/** For a person: `untrusted, sensitive: file /w/a.csv (call c1 of run-1)`. */
export function labelText(label: Label): string {
  return `${label.isSensitive ? `${label.trust}, sensitive` : label.trust}: ${sourceText(label)}`;
}

/** Whether a condition holds: all that it names was seen. What nobody knows was (law 7). */
export function holds(when: readonly Sight[], labels: readonly Label[] | undefined): boolean {
  return labels === undefined || when.every((sight) => firstSeen(sight, labels) !== undefined);
}

/** Each once, in their order: the source of a value counts, not how often it came. At most so many, of which the first of each sight stays. */
export function distinctLabels(labels: readonly Label[], most: number): readonly Label[] {
  const known = new Map<string, Label>();
  for (const label of labels) {
    const key = `${label.trust} ${label.isSensitive} ${label.run} ${label.source}`;
    if (!known.has(key)) known.set(key, label);
  }
  const all = [...known.values()];
  if (all.length <= most) return all;
  const first = new Set(SIGHTS.map((sight) => firstSeen(sight, all)));
  return [...all.filter((label) => first.has(label)), ...all.filter((label) => !first.has(label))].slice(0, most);
}

/** Labels of somebody who was given what these name, for a verdict on what would be decided then. */
export function supposedLabels(seen: readonly Sight[]): readonly Label[] {
  return seen.map((sight) => ({
    trust: sight === "tainted" ? "untrusted" : "trusted",
    isSensitive: sight === "sensitive",
    source: "what is supposed here",
    call: "none",
    run: "no run",
  }));
}

/** Labels as they were kept. What is no label of this Warder's says nothing, and counts as both. */
export function readLabels(kept: unknown): readonly Label[] | null {
  return Array.isArray(kept) && kept.every(isLabel) ? kept.map(labelOf) : null;
}

function isLabel(value: unknown): value is Label {
  if (typeof value !== "object" || value === null) return false;
  const { trust, isSensitive, source, call, run } = value as Record<string, unknown>;
  return (trust === "trusted" || trust === "untrusted") && typeof isSensitive === "boolean" && [source, call, run].every((each) => typeof each === "string");
}
