import { Readable } from "node:stream";
import { NoAnswer, openExchange, type WayOut } from "./perform.ts";

/** What a client of a protocol over HTTP calls in the place of `fetch`. It follows no redirect. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * `fetch` through a session's egress proxy, which judges each request, resolves its host and refuses private addresses. The body comes as it arrives, also
 * one that never ends. Rejects with what the proxy says of a request that it refuses.
 */
export function fetchThrough(way: WayOut): Fetch {
  return async (input, init = {}) => {
    const url = new URL(input);
    if (url.protocol !== "https:" && url.protocol !== "http:") throw new TypeError(`${url.protocol} is no protocol that is spoken here`);
    const method = init.method ?? "GET";
    const headers = [...new Headers(init.headers)].map(([name, value]) => ({ name, value }));
    const signal = init.signal ?? new AbortController().signal;
    try {
      const { answer, end } = await openExchange({ method, url: url.href, headers, body: textOf(init.body) }, way, signal);
      const status = answer.statusCode ?? 0;
      const isEmpty = WITHOUT_BODY.has(status) || method === "HEAD";
      if (isEmpty) end();
      else answer.once("close", end);
      const pairs = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) => values.map((value): [string, string] => [name, value]));
      return new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>), { status, headers: pairs });
    } catch (error) {
      if (error instanceof NoAnswer) throw new TypeError(`${url.host}: ${error.result.reason}`, { cause: error });
      throw error;
    }
  };
}

function textOf(body: RequestInit["body"]): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === "string" || body instanceof URLSearchParams) return String(body);
  throw new TypeError("A body is text here.");
}
