import { makeVisibleLine } from "../../base/text.ts";
import type { SearchEngine } from "../contract/tool.ts";

/** One result, each part in one visible line within its bound. */
export type SearchResult = { readonly title: string; readonly url: string; readonly host: string; readonly snippet: string };

const MAX_TITLE = 200;
const MAX_SNIPPET = 500;
const MAX_URL = 1000;

type Shape = {
  /** Where the list is. */ readonly list: readonly string[];
  readonly snippet: string;
  /** Texts are HTML. */ readonly isMarkup: boolean;
};

const SHAPES: Readonly<Record<SearchEngine["kind"], Shape>> = {
  // https://docs.searxng.org/dev/search_api.html
  searxng: { list: ["results"], snippet: "content", isMarkup: false },
  // https://api-dashboard.search.brave.com/documentation/services/web-search
  brave: { list: ["web", "results"], snippet: "description", isMarkup: true },
  plain: { list: ["results"], snippet: "snippet", isMarkup: false },
};

/** The address that an engine is asked at. */
export function searchUrl({ kind, url }: SearchEngine, query: string, count: number): string {
  const asked = new URL(url);
  asked.hash = "";
  asked.searchParams.set("q", query);
  if (kind === "searxng") asked.searchParams.set("format", "json");
  else asked.searchParams.set("count", String(count));
  return asked.href;
}

/** What an engine found, `most` at most. Entries without a title or an address that could be fetched are left out. Null: it is not the engine's answer. */
export function readResults({ kind }: SearchEngine, body: Uint8Array, most: number): readonly SearchResult[] | null {
  const { list, snippet, isMarkup } = SHAPES[kind];
  const answer = jsonOf(body);
  const found = list.reduce<unknown>(fieldOf, answer);
  // Where Brave finds nothing, it leaves the list out.
  if (!Array.isArray(found)) return kind === "brave" && fieldOf(answer, "type") === "search" && fieldOf(answer, "web") === undefined ? [] : null;
  const results: SearchResult[] = [];
  for (const entry of found) {
    if (results.length === most) break;
    const url = addressOf(fieldOf(entry, "url"));
    const title = lineOf(fieldOf(entry, "title"), MAX_TITLE, isMarkup);
    if (url !== null && title !== "") results.push({ title, url: url.href, host: url.host, snippet: lineOf(fieldOf(entry, snippet), MAX_SNIPPET, isMarkup) });
  }
  return results;
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function addressOf(value: unknown): URL | null {
  const url = typeof value === "string" && value.length <= MAX_URL ? URL.parse(value) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:") || url.username !== "" || url.password !== "") return null;
  return url.href.length <= MAX_URL ? url : null;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'", nbsp: " " };

function lineOf(value: unknown, most: number, isMarkup: boolean): string {
  if (typeof value !== "string") return "";
  // Of a longer text no more is looked at than could be shown.
  const start = value.slice(0, most * 4);
  const text = isMarkup
    ? start.replaceAll(/<[^<>]{0,200}>/gu, "").replaceAll(/&(#39|#x27|[a-z]{2,4});/gu, (whole, name: string) => ENTITIES[name] ?? whole)
    : start;
  const line = makeVisibleLine(text.replaceAll(/\s+/gu, " ").trim());
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}
