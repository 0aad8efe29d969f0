import { Transform } from "node:stream";
import { mayGoOn, patternsOf, readAt, type Readings, readingsOf, type SecretPattern, startsOf } from "./pattern.ts";

/** Removes secrets from a server's answer, in every way of writing them that pattern.ts knows. */
export type Redactor = {
  /** Of a text of bytes (latin1), as a header is. */
  readonly text: (text: string) => string;
  /**
   * Of a text of bytes that comes in parts: each gives what may go on, and holds back no more than what may turn out to be a secret.
   * `onFound` is told the name of each that is taken out.
   */
  readonly parts: (onFound?: (id: string) => void) => RedactedParts;
  /** Of a body. */
  readonly stream: () => Transform;
};

export type RedactedParts = {
  push(part: string): string;
  /** What was held back; with `isCut`, without what may be the beginning of a secret. */ end(isCut?: boolean): string;
};

/** `secrets`: values by the name that stands in their place. Null: there is nothing to take out. */
export function createRedactor(secrets: ReadonlyMap<string, string>): Redactor | null {
  if (secrets.size === 0) return null;
  const patterns = [...secrets].flatMap(([id, value]) => patternsOf(id, value));
  const sought: Sought = { patterns, starts: startsOf(patterns) };
  return {
    text: (text) => scan(text, sought, true).clean,
    parts: (onFound) => partsOf({ ...sought, onFound }),
    stream: () => {
      const parts = partsOf(sought);
      return new Transform({
        transform(part: Buffer, _encoding, done) {
          done(null, Buffer.from(parts.push(part.toString("latin1")), "latin1"));
        },
        flush(done) {
          done(null, Buffer.from(parts.end(), "latin1"));
        },
      });
    },
  };
}

function partsOf(sought: Sought): RedactedParts {
  let held = "";
  return {
    push: (part) => {
      const { clean, rest } = scan(held + part, sought, false);
      held = rest;
      return clean;
    },
    end: (isCut = false) => {
      const { clean } = scan(held, sought, !isCut);
      held = "";
      return clean;
    },
  };
}

type Sought = { readonly patterns: readonly SecretPattern[]; readonly starts: RegExp; readonly onFound?: ((id: string) => void) | undefined };

/** What may go on, and from where on more must be seen first. */
function scan(text: string, { patterns, starts, onFound }: Sought, isWhole: boolean): { readonly clean: string; readonly rest: string } {
  const lower = text.toLowerCase();
  const readings = readingsOf(lower);
  let clean = "";
  let from = 0;
  for (starts.lastIndex = 0; ;) {
    const found = starts.exec(lower);
    if (found === null) return { clean: clean + text.slice(from), rest: "" };
    const match = longestAt(lower, found.index, { patterns, readings, isWhole });
    if (match === "unfinished") return { clean: clean + text.slice(from, found.index), rest: text.slice(found.index) };
    if (match === null) continue;
    onFound?.(match.id);
    clean += `${text.slice(from, found.index)}[redacted: ${match.id}]`;
    from = match.end;
    starts.lastIndex = match.end;
  }
}

type Place = { readonly patterns: readonly SecretPattern[]; readonly readings: Readings; readonly isWhole: boolean };
type Match = { readonly id: string; readonly end: number };

/** The longest secret that stands here. `unfinished`: one may, when more is known, and it could be longer. */
function longestAt(text: string, at: number, { patterns, readings, isWhole }: Place): Match | "unfinished" | null {
  if (!isWhole && mayGoOn(text, at)) return "unfinished";
  const firsts = readings(at);
  let longest: Match | null = null;
  for (const pattern of patterns) {
    if (!firsts.some(({ character }) => pattern.characters.startsWith(character))) continue;
    const end = readAt(text, at, { ...pattern, isWhole }, readings);
    if (end === "unfinished") return "unfinished";
    if (end !== null && end > (longest?.end ?? 0)) longest = { id: pattern.id, end };
  }
  return longest;
}
