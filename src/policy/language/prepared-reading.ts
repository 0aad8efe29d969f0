import type { SourcePosition } from "../decision.ts";
import type { ReadPolicy } from "./document.ts";

/** Where a value stands (line and column, from 1), its keys and what is in it. */
export type PreparedPlace = {
  readonly at: readonly [line: number, column: number];
  readonly keys?: Readonly<Record<string, readonly [line: number, column: number]>>;
  readonly inner?: Readonly<Record<string, PreparedPlace>>;
};

/** A policy file that was parsed and validated, as plain data: a cache for as long as the text is the same. The bundle holds one for each shipped policy. */
export type PreparedReading = { readonly document: ReadPolicy["document"]; readonly places: PreparedPlace };

type Path = readonly PropertyKey[];

/** The plain form of a reading. */
export function prepareReading({ document, text }: ReadPolicy): PreparedReading {
  return { document, places: preparePlace(text, [], text.value) };
}

function preparePlace(text: ReadPolicy["text"], path: Path, value: unknown): PreparedPlace {
  const { line, column } = text.at(path);
  if (typeof value !== "object" || value === null) return { at: [line, column] };
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  const inner = Object.fromEntries(entries.map(([key, child]) => [String(key), preparePlace(text, [...path, key], child)]));
  if (Array.isArray(value)) return { at: [line, column], inner };
  const keys = Object.keys(value).map((key) => {
    const position = text.atKey(path, key);
    return [key, [position.line, position.column]] as const;
  });
  return { at: [line, column], keys: Object.fromEntries(keys), inner };
}

/** The reading again, under the name that decisions and diagnostics show. */
export function reviveReading({ document, places }: PreparedReading, file: string): ReadPolicy {
  const position = ([line, column]: readonly [number, number]): SourcePosition => ({ file, line, column });
  return {
    document,
    text: {
      value: document,
      at: (path) => position(nearest(places, path).place.at),
      atKey: (path, key) => {
        const { place } = nearest(places, path);
        return position(place.keys !== undefined && Object.hasOwn(place.keys, key) ? (place.keys[key] ?? place.at) : place.at);
      },
      has: (path) => nearest(places, path).isThere,
    },
  };
}

/** The place of the value at a path, or of the nearest one above it. */
function nearest(top: PreparedPlace, path: Path): { readonly place: PreparedPlace; readonly isThere: boolean } {
  let place = top;
  for (const key of path) {
    const inner = place.inner !== undefined && Object.hasOwn(place.inner, key) ? place.inner[String(key)] : undefined;
    if (inner === undefined) return { place, isThere: false };
    place = inner;
  }
  return { place, isThere: true };
}
