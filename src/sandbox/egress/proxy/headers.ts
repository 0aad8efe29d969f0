import { canonicalHeader } from "./known-headers.ts";

// RFC 9110, 7.6.1, and what clients and servers send in their place.
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * The headers that go on to the other side, as pairs in their order. Not: those of one hop, those that `Connection` names, and those in
 * `dropped` (lower case, with `-`), which the proxy writes itself; of these, and of the framing, no spelling with `_` either.
 */
export function forwardedHeaders(rawHeaders: readonly string[], dropped: readonly string[] = []): readonly (readonly [string, string])[] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) pairs.push([rawHeaders[at] ?? "", rawHeaders[at + 1] ?? ""]);
  const named = new Set(
    pairs.filter(([name]) => name.toLowerCase() === "connection").flatMap(([, value]) => value.split(",").map((option) => option.trim().toLowerCase())),
  );
  // `Connection: content-length` would take the framing away.
  named.delete("content-length");
  return pairs.filter(([name]) => {
    const lower = name.toLowerCase();
    const canonical = canonicalHeader(name);
    // Nobody here reads `Content_Length` as one; a server that does would read other requests than were judged.
    const isFalseLength = canonical === "content-length" && lower !== canonical;
    return !HOP_BY_HOP.has(canonical) && !isFalseLength && !named.has(lower) && !dropped.includes(canonical);
  });
}
