/** One entry of `network: allow`: a host pattern, and the methods and paths that it is limited to (null: not limited). */
export type HostEntry = {
  /** As `hostMatches` of matching/hosts.ts reads it, port included. */
  readonly host: string;
  readonly methods: readonly string[] | null;
  /** Patterns, as matching/url-paths.ts reads them. */
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

/** Registries of packages whose protocols Warder knows. */
export const REGISTRIES = ["npm", "pypi", "debian", "crates", "go", "maven"] as const;

export type RegistryName = (typeof REGISTRIES)[number];

/** A registry that may be read from. */
export type RegistryUse = {
  readonly name: RegistryName;
  /** The egress proxy adds what the person's own client signs in with. */
  readonly credentials: boolean;
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
  /** Where packages may be read from: names that are looked up on the person's machine, no hosts. */
  readonly registries?: readonly RegistryUse[];
};

/** What holds of traffic where a policy states nothing. */
export const TRAFFIC_DEFAULTS = {
  connection: { bytesUp: 256 * 1024 ** 2, bytesDown: 4 * 1024 ** 3 },
  host: { connections: 64 },
  run: { connections: 64 },
} as const satisfies NetworkLimits;
