import { sha256 } from "../../base/digest.ts";
import type { Redact } from "./redact.ts";

/** The longest text that is stored whole: commands and paths, not the contents of files. */
const MAX_WHOLE_CHARACTERS = 2_000;
const PREVIEW_CHARACTERS = 400;
/** Of a longer text the beginning alone is searched for secrets: no more of it is shown. */
const SEARCHED_CHARACTERS = 65_536;
const MAX_DEPTH = 12;
const MAX_ENTRIES = 200;

/** What stands in a record for a long text: enough to recognise it and to prove it, not the text. */
export type Excerpt = { readonly sha256: string; readonly characters: number; readonly preview: string };

/** A value as it may be stored: secrets redacted, long texts as {@link Excerpt}, depth and width bounded. */
export function storedValue(value: unknown, redact: Redact, depth = 0): unknown {
  if (typeof value === "string") return storedText(value, redact);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : value.toString();
  // Nothing that JSON could carry: only a fault of ours brings it here, and it must not stop a record.
  if (typeof value !== "object") return `[${typeof value}]`;
  if (depth >= MAX_DEPTH) return "[nested too deeply]";
  if (Array.isArray(value)) {
    const kept: unknown[] = value.slice(0, MAX_ENTRIES).map((entry) => storedValue(entry, redact, depth + 1));
    return value.length > MAX_ENTRIES ? [...kept, `[${value.length - MAX_ENTRIES} more]`] : kept;
  }
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  const kept = entries.slice(0, MAX_ENTRIES).map(([key, entry]) => [storedBeginning(key, redact, 200), storedValue(entry, redact, depth + 1)]);
  if (entries.length > MAX_ENTRIES) kept.push(["[more]", entries.length - MAX_ENTRIES]);
  return Object.fromEntries(kept);
}

/** The beginning of a text, of at most so many characters. Redacted before it is cut: half a secret is one that nobody knows. */
export function storedBeginning(text: string, redact: Redact, maxCharacters = 1_000): string {
  return redact(text.toWellFormed()).slice(0, maxCharacters).toWellFormed();
}

/** A text as it may be stored: whole and redacted when it is short, else an excerpt. */
export function storedText(text: string, redact: Redact): string | Excerpt {
  // A lone surrogate has no UTF-8 form: what is stored must be what is hashed.
  const wellFormed = text.toWellFormed();
  const redacted = redact(wellFormed.slice(0, SEARCHED_CHARACTERS).toWellFormed());
  if (wellFormed.length <= SEARCHED_CHARACTERS && redacted.length <= MAX_WHOLE_CHARACTERS) return redacted;
  return { sha256: sha256(wellFormed), characters: wellFormed.length, preview: redacted.slice(0, PREVIEW_CHARACTERS).toWellFormed() };
}
