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

/** Labels as they were kept. What is no label of this Warder's says nothing, and counts as both. */
export function readLabels(kept: unknown): readonly Label[] | null {
  return Array.isArray(kept) && kept.every(isLabel) ? kept.map(labelOf) : null;
}

function isLabel(value: unknown): value is Label {
  if (typeof value !== "object" || value === null) return false;
  const { trust, isSensitive, source, call, run } = value as Record<string, unknown>;
  return (trust === "trusted" || trust === "untrusted") && typeof isSensitive === "boolean" && [source, call, run].every((each) => typeof each === "string");
}
