import type { Parameter } from "./binding.ts";
import { isJson, Refusal } from "./document.ts";

type Plain = string | number | boolean | null;

/** Of one argument. */
const MAX_PAIRS = 500;
const MAX_DEPTH = 6;

/** A text as a part of a path, a query, a form or a cookie: nothing in it separates anything. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/gu, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

const isPlain = (value: unknown): value is Plain => value === null || ["string", "number", "boolean"].includes(typeof value);

function plain(value: unknown): string {
  if (isPlain(value)) return String(value);
  throw new Refusal("a list or an object in it has another list or object in it, which cannot be sent like this");
}

type Write = (text: string) => string;

/** What stands for a parameter of a path. */
export function pathText(parameter: Parameter, value: unknown): string {
  const text =
    parameter.style === "label" ? `.${joined(value, parameter, { write: encoded, separator: parameter.explode ? "." : "," })}` : simple(parameter, value);
  if (text === "") throw new Refusal("it is empty, and would be another address");
  return text;
}

function simple(parameter: Parameter, value: unknown): string {
  return parameter.style === "json" ? encoded(JSON.stringify(value)) : joined(value, parameter, { write: encoded, separator: "," });
}

/** A header's value. */
export function headerText(parameter: Parameter, value: unknown): string {
  return parameter.style === "json" ? JSON.stringify(value) : joined(value, parameter, { write: (text) => text, separator: "," });
}

export const cookieText = (parameter: Parameter, value: unknown): string => `${encoded(parameter.name)}=${simple({ ...parameter, explode: false }, value)}`;

/** List and object in one text: `a,b` and `k,v`, or `k=v` where it is exploded. */
function joined(value: unknown, { explode }: Parameter, { write, separator }: { readonly write: Write; readonly separator: string }): string {
  if (Array.isArray(value)) return value.map((each: unknown) => write(plain(each))).join(separator);
  if (!isJson(value)) return write(plain(value));
  return Object.entries(value)
    .map(([key, each]) => `${write(key)}${explode ? "=" : separator}${write(plain(each))}`)
    .join(separator);
}

const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: "%20", pipeDelimited: "%7C" };

/** `name=value` of a query or a form, one or several. */
export function pairsOf({ name, style, explode }: Pick<Parameter, "name" | "style" | "explode">, value: unknown): readonly string[] {
  const own = encoded(name);
  if (style === "json") return [`${own}=${encoded(JSON.stringify(value))}`];
  if (style === "deepObject") return bounded(deepPairs(name, value, 0));
  if (Array.isArray(value)) {
    const texts = value.map((each: unknown) => encoded(plain(each)));
    return bounded(explode ? texts.map((text) => `${own}=${text}`) : [`${own}=${texts.join(SEPARATORS[style] ?? ",")}`]);
  }
  if (!isJson(value)) return [`${own}=${encoded(plain(value))}`];
  const entries = Object.entries(value).map(([key, each]) => [encoded(key), encoded(plain(each))] as const);
  return bounded(explode ? entries.map((entry) => entry.join("=")) : [`${own}=${entries.flat().join(SEPARATORS[style] ?? ",")}`]);
}

function deepPairs(name: string, value: unknown, depth: number): readonly string[] {
  if (isPlain(value)) return [`${encoded(name)}=${encoded(String(value))}`];
  if (depth >= MAX_DEPTH || typeof value !== "object") throw new Refusal("it is nested too deep to be sent");
  return Object.entries(value).flatMap(([key, each]) => deepPairs(`${name}[${key}]`, each, depth + 1));
}

function bounded(pairs: readonly string[]): readonly string[] {
  if (pairs.length > MAX_PAIRS) throw new Refusal(`it has more than ${String(MAX_PAIRS)} values`);
  return pairs;
}
