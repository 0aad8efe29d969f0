/** Headers of requests that move none of them to another method, path or host: RFC 9110 and 9111, browsers, tracing, and how clients sign in. */
const NAMES: ReadonlySet<string> = new Set(
  `a-im accept access-control-request-headers access-control-request-method api-key apikey authorization baggage cache-control cargo-protocol client-id connection cookie date dnt
  early-data etag expect from git-protocol host idempotency-key job-token keep-alive last-event-id link max-forwards mcp-protocol-version mcp-session-id origin
  pragma prefer priority private-token proxy-authorization proxy-connection range referer request-id request-range save-data signature signature-input te traceparent
  tracestate trailer transfer-encoding upgrade-insecure-requests user-agent user-agent-family via x-access-token x-amzn-trace-id x-api-key x-auth-token
  x-client-request-id x-correlation-id x-csrf-token x-gitlab-token x-goog-api-key x-request-id x-requested-with x-trace-id x-xsrf-token`.split(/\s+/u),
);
/** What such names begin with: of HTTP itself, and of clients that mark their requests. */
const BEGINNINGS: readonly string[] = `accept- anthropic- content- docker- if- npm- openai- pacote- sec-ch- sec-fetch- sec-gpc sentry- x-amz- x-b3- x-datadog-
  x-github- x-goog- x-ms- x-stainless-`.split(/\s+/u);

/** What begins like those and names another path, as the source of a copy does. */
const MOVES = /(?:^|-)(?:copy|rename|move)-source(?:-|$)|(?:^|-)(?:location|redirect|rewrite|override|original)(?:-|$)/u;

/**
 * Whether every header of a request is one that is known to move it nowhere, or in `reserved`, which the proxy writes itself. A server may take any
 * other for the request's method, path or host, and no list of those is complete.
 */
export function hasKnownHeaders(rawHeaders: readonly string[], reserved: readonly string[]): boolean {
  return rawHeaders.every((text, index) => {
    if (index % 2 === 1) return true;
    const name = canonicalHeader(text);
    return NAMES.has(name) || reserved.includes(name) || (BEGINNINGS.some((start) => name.startsWith(start)) && !MOVES.test(name));
  });
}

/** A header's name as a server may read it: CGI makes one of `-` and `_`, and some servers of every sign. */
export function canonicalHeader(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/gu, "-");
}
