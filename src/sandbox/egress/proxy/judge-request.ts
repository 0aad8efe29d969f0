import type { Credential, NetworkSettings } from "../../../policy/network.ts";
import { credentialsOf, opening } from "../../../policy/matching/network-entries.ts";
import { pathMatches, readingsOf } from "../../../policy/matching/url-paths.ts";
import { canonicalHeader, hasKnownHeaders } from "./known-headers.ts";
import type { RegistryRequest } from "../registries/judge.ts";
import type { Target } from "../hosts/target.ts";
import type { Refusal } from "../refusal.ts";

/** One request as the proxy read it. */
export type AskedRequest = {
  readonly target: Target;
  readonly method: string;
  /** Origin form, with its query. */
  readonly path: string;
  readonly rawHeaders: readonly string[];
  /** Whether it came within TLS that the proxy ended. */
  readonly isEncrypted: boolean;
};

export type JudgedRequest =
  | { readonly refusal: Refusal }
  | {
      /** As it goes to the server: what was judged, not what was written. */
      readonly path: string;
      /** What is added; the first of each header name. */
      readonly credentials: readonly Pick<Credential, "id" | "header">[];
      /** Lower case, with `-`: headers that the client may not write itself. */
      readonly reserved: readonly string[];
      /** Of a registry: all that is said of the client to it. Absent: what the client wrote goes out. */
      readonly registry?: RegistryRequest;
    };

// By these a server takes a request for another than it says: https://www.rfc-editor.org/rfc/rfc9110#section-9.1 knows none of them.
const OVERRIDES: ReadonlySet<string> = new Set([
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
  "x-original-method",
  "x-original-url",
  "x-original-uri",
  "x-rewrite-url",
  "x-forwarded-method",
  "x-forwarded-uri",
  "x-forwarded-path",
  "x-forwarded-prefix",
  "x-original-host",
  "x-forwarded-host",
  "x-forwarded-server",
  "x-host",
  "forwarded",
]);

/** Whether requests to the target are judged by more than its host and port, so that TLS to it must end here. */
export function isGuarded(network: NetworkSettings, { host, port }: Target): boolean {
  return opening(network, host, port) !== "whole" || credentialsOf(network, host, port).length > 0;
}

/** Judges a request to a target whose host and port are open. */
export function judgeRequest(network: NetworkSettings, request: AskedRequest): JudgedRequest {
  const { target, method, path } = request;
  if (!isGuarded(network, target)) return { path, credentials: [], reserved: [] };
  const [plain, query] = splitOnce(path, "?");
  const readings = readingsOf(plain);
  if (readings === null) return { refusal: "path-form" };
  if (hasOverride(request, query ?? "")) return { refusal: "method-override" };
  const credentials = credentialsOf(network, target.host, target.port);
  const reserved = credentials.map(({ header }) => header.name);
  if (!hasKnownHeaders(request.rawHeaders, reserved)) return { refusal: "unknown-header" };
  const matches = (scope: { readonly methods: readonly string[] | null; readonly paths: readonly string[] | null }): boolean =>
    (scope.methods?.includes(method) ?? true) && readings.every((reading) => scope.paths?.some((pattern) => pathMatches(pattern, reading)) ?? true);
  const open = opening(network, target.host, target.port);
  if (open !== "whole" && !(open ?? []).some(matches)) return { refusal: "request-not-allowed" };
  if (credentials.length > 0 && !request.isEncrypted) return { refusal: "credential-needs-tls" };
  const matching = credentials.filter(matches);
  if (matching.length === 0 && credentials.some(({ otherwise }) => otherwise === "refuse")) return { refusal: "credential-scope" };
  return {
    path: query === undefined ? readings[0] : `${readings[0]}?${query}`,
    credentials: matching.filter(({ header }, index) => matching.findIndex((other) => other.header.name === header.name) === index),
    reserved,
  };
}

function hasOverride({ rawHeaders, method }: AskedRequest, query: string): boolean {
  const names = rawHeaders.filter((_text, index) => index % 2 === 0).map(canonicalHeader);
  return names.some((name) => OVERRIDES.has(name)) || query.split(/[&;]/u).some((pair) => namesOther(unescaped(pair).toLowerCase(), method.toLowerCase()));
}

const METHODS: ReadonlySet<string> = new Set(
  "get head post put patch delete options trace connect query search report copy move merge link unlink lock unlock purge mkcol propfind proppatch".split(" "),
);

/** Whether one part of a query names a method: `_method` whatever it says, what else is called like one (`_HttpMethod`, a header's name) where it names another. */
function namesOther(pair: string, method: string): boolean {
  const [field, value = ""] = splitOnce(pair, "=");
  // `a[_method]` is one in a group, and PHP makes `_method` of `.method` and `[method`.
  const name = canonicalHeader(field.trim());
  if (/(?:^|-)-method(?:-|$)/u.test(name)) return true;
  // A server may cut off what stands around a word: blanks, a NUL, quotes.
  const word = value.replaceAll(/[^a-z]/gu, "");
  return METHODS.has(word) && word !== method && /method(?:-?override)?(?:-\d*)*$/u.test(name);
}

function unescaped(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/giu, (_whole, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

function splitOnce(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
