import { hostMatches, hostPatternCovers } from "./matching/hosts.ts";
import { pathPatternCovers } from "./matching/url-paths.ts";

/** One entry of `network: allow` as it is stated: a host pattern, and the methods and paths it is limited to; null where it says nothing. */
export type HostEntry = {
  /** As {@link hostMatches} reads it, port included. */
  readonly host: string;
  readonly methods: readonly string[] | null;
  /** Patterns: request-paths.ts. */
  readonly paths: readonly string[] | null;
};

/** Where the value of a secret comes from: never the policy itself. */
export type SecretSource = { readonly kind: "variable"; readonly name: string } | { readonly kind: "file"; /** Absolute. */ readonly path: string };

/** A header that the egress proxy adds to the requests that match, and to no others. */
export type Credential = {
  readonly id: string;
  readonly secret: SecretSource;
  /** One name, without wildcards. */
  readonly host: string;
  readonly port: number;
  readonly methods: readonly string[];
  readonly paths: readonly string[];
  /** `value` holds `{secret}`, or `{basic USER}` for the base64 form of `USER:secret`. Name in lower case. */
  readonly header: { readonly name: string; readonly value: string };
  /** What becomes of a request to this host and port that no credential of it matches. */
  readonly otherwise: "refuse" | "pass";
};

/** What may go through the proxy, in bytes, in requests, and at once. Absent: no limit of the policy's. */
export type TrafficLimit = {
  readonly bytesUp?: number;
  readonly bytesDown?: number;
  readonly requestsPerMinute?: number;
  readonly connections?: number;
};

export type NetworkLimits = {
  readonly connection?: Pick<TrafficLimit, "bytesUp" | "bytesDown">;
  /** For each host name, whatever the port. */
  readonly host?: TrafficLimit;
  readonly run?: TrafficLimit;
};

/** The `sandbox.network` part of a policy. What is absent was not stated. */
export type NetworkSettings = {
  /** Every host pattern that is open at all. Empty: no network. */
  readonly allow: readonly string[];
  /** Those of them that are limited to methods and paths. */
  readonly refined?: readonly HostEntry[];
  readonly credentials?: readonly Credential[];
  readonly limits?: NetworkLimits;
  /** Addresses (IPv4) of host names, taken in place of DNS's. */
  readonly names?: Readonly<Record<string, string>>;
};

/** How a host and port are open: `whole`, or by these entries, of which a request needs one. Null: not at all. */
export function opening(network: NetworkSettings, host: string, port: number): "whole" | readonly HostEntry[] | null {
  const { allow, refined = [] } = network;
  const patterns = allow.filter((pattern) => hostMatches(pattern, host, port));
  if (patterns.length === 0) return null;
  // A pattern stands either alone or with its methods and paths: the reader of the policy refuses both at once.
  if (patterns.some((pattern) => refined.every((entry) => entry.host !== pattern))) return "whole";
  return refined.filter((entry) => patterns.includes(entry.host));
}

/** The credentials of a host and port, whatever the request. */
export function credentialsOf({ credentials = [] }: NetworkSettings, host: string, port: number): readonly Credential[] {
  return credentials.filter((credential) => credential.host === host && credential.port === port);
}

/** Whether the proxy must see the requests within TLS to some host. */
export function needsTermination({ refined = [], credentials = [] }: NetworkSettings): boolean {
  return refined.length > 0 || credentials.length > 0;
}

/** Whether everything that the narrower entry opens is opened by the wider one. */
export function entryCovers(wider: HostEntry, narrower: HostEntry): boolean {
  return hostPatternCovers(wider.host, narrower.host) && scopeCovers(wider, narrower);
}

/** Whether a credential gives no more than the other: the same secret in the same form, to the same or fewer requests. */
export function credentialCovers(wider: Credential, narrower: Credential): boolean {
  const { secret, header, otherwise } = wider;
  return (
    wider.id === narrower.id &&
    JSON.stringify(secret) === JSON.stringify(narrower.secret) &&
    header.name === narrower.header.name &&
    header.value === narrower.header.value &&
    wider.host === narrower.host &&
    wider.port === narrower.port &&
    (otherwise === "pass" || narrower.otherwise === "refuse") &&
    scopeCovers(wider, narrower)
  );
}

const EVERY_PATH: readonly string[] = ["/**"];

type Scope = Pick<HostEntry, "methods" | "paths">;

/** Whether the narrower names no request that the wider does not name. */
export function scopeCovers(wider: Scope, narrower: Scope): boolean {
  const hasMethods = wider.methods === null || (narrower.methods?.every((method) => wider.methods?.includes(method)) ?? false);
  const hasPaths = wider.paths === null || (narrower.paths ?? EVERY_PATH).every((path) => wider.paths?.some((other) => pathPatternCovers(other, path)));
  return hasMethods && hasPaths;
}

/** Both lists' entries that the other list covers: what is left when both must allow. */
export function intersectionBy<T>(covers: (wider: T, narrower: T) => boolean): (parent: readonly T[], child: readonly T[]) => readonly T[] {
  return (parent, child) => [
    ...child.filter((entry) => parent.some((wider) => covers(wider, entry))),
    ...parent.filter((entry) => child.some((wider) => covers(wider, entry)) && !child.some((other) => covers(entry, other) && covers(other, entry))),
  ];
}

/** The names to which both give the same address. */
export function commonNames(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(other).filter(([name, address]) => one[name] === address));
}

/** The smaller of each number that either states. */
export function tighterLimits(one: NetworkLimits, other: NetworkLimits): NetworkLimits {
  const scopes = ["connection", "host", "run"] as const;
  const keys = ["bytesUp", "bytesDown", "requestsPerMinute", "connections"] as const;
  const tighter = (scope: (typeof scopes)[number]): TrafficLimit => {
    const [left, right]: readonly TrafficLimit[] = [one[scope] ?? {}, other[scope] ?? {}];
    const numbers = keys.map((key) => [key, Math.min(left?.[key] ?? Infinity, right?.[key] ?? Infinity)] as const);
    return Object.fromEntries(numbers.filter(([, value]) => value !== Infinity));
  };
  return Object.fromEntries(scopes.map((scope) => [scope, tighter(scope)] as const).filter(([, limit]) => Object.keys(limit).length > 0));
}
