import { readingsOf } from "../../../policy/matching/url-paths.ts";
import type { Target } from "../hosts/target.ts";
import type { Refusal } from "../refusal.ts";
import { strangersModule } from "./go-modules.ts";
import type { RegistryOrigin } from "./origin.ts";
import { originsAt } from "./origin.ts";
import { isRegistryPath } from "./shapes.ts";

/** One request as the proxy read it. */
export type AskedOfRegistry = {
  readonly target: Target;
  readonly method: string;
  /** Origin form, with its query. */
  readonly path: string;
  readonly rawHeaders: readonly string[];
  readonly isEncrypted: boolean;
};

/** What is asked of a registry, and how it goes out: nothing of it is the client's but method, path, and which of a few formats it reads. */
export type RegistryRequest = {
  readonly origin: RegistryOrigin;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  /** What a name is counted by. */
  readonly name: string;
  /** The registry asks somebody else for it, who may have every name: that it is there shows nothing. */
  readonly isStrangers: boolean;
};

/** Judges a request to an address of a registry: metadata and archives are read there, and nothing else is done. */
export function judgeRegistryRequest(origins: readonly RegistryOrigin[], asked: AskedOfRegistry): RegistryRequest | { readonly refusal: Refusal } {
  const { method, rawHeaders, target } = asked;
  if ((method !== "GET" && method !== "HEAD") || hasBody(rawHeaders)) return { refusal: "registry-request" };
  const found = originOf(origins, asked);
  if (found === null) return { refusal: "registry-request" };
  const { origin } = found;
  const strangers = origin.registry === "go" && origin.base !== null ? strangersModule(found.path.slice(origin.base.length)) : null;
  const name = strangers ?? `${target.host}:${String(target.port)}${found.path}`;
  return { ...found, name, isStrangers: strangers !== null, headers: headersFor(origin, rawHeaders) };
}

/** The address of a registry that a path belongs to, and the path as it goes out. A query or a fragment is no part of a path: with one it is nobody's. */
export function originOf(
  origins: readonly RegistryOrigin[],
  { target, path, isEncrypted }: Pick<AskedOfRegistry, "target" | "path" | "isEncrypted">,
): { readonly origin: RegistryOrigin; readonly path: string } | null {
  const readings = readingsOf(path);
  if (readings === null) return null;
  const fitting = originsAt(origins, target)
    .filter((origin) => origin.isEncrypted === isEncrypted && readings.every((reading) => isRegistryPath(origin.registry, origin.base, reading)))
    // The nearest, as of two registries below one host each has its own credential.
    .toSorted((one, other) => (other.base ?? "").length - (one.base ?? "").length);
  const origin = fitting.find(({ base }) => base !== null && readings.every((reading) => reading.startsWith(base))) ?? fitting[0];
  return origin === undefined ? null : { origin, path: readings[0] };
}

function hasBody(rawHeaders: readonly string[]): boolean {
  return rawHeaders.some((text, index) => {
    if (index % 2 === 1) return false;
    const name = text.toLowerCase();
    return name === "transfer-encoding" || name === "trailer" || (name === "content-length" && rawHeaders[index + 1]?.trim() !== "0");
  });
}

/** Formats of metadata that a client may ask for; what it wrote itself goes nowhere. */
const FORMATS: readonly (readonly [string, string])[] = [
  ["application/vnd.npm.install-v1+json", "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*"],
  ["application/vnd.pypi.simple.v1+json", "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01"],
];

function headersFor({ registry }: RegistryOrigin, rawHeaders: readonly string[]): readonly (readonly [string, string])[] {
  const said = (name: string): string => rawHeaders.filter((_text, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name).join(",");
  const known = registry === "npm" ? FORMATS[0] : registry === "pypi" ? FORMATS[1] : undefined;
  const accept = known !== undefined && said("accept").includes(known[0]) ? known[1] : "*/*";
  const encoding = /\bgzip\b/u.test(said("accept-encoding")) ? "gzip" : "identity";
  return [
    ["User-Agent", "warder"],
    ["Accept", accept],
    ["Accept-Encoding", encoding],
  ];
}
