import { errorAt } from "../text/diagnostic.ts";
import { canonicalHost, hostPatternCovers, isAddress, isHostPattern, looksLikeAddress } from "../matching/hosts.ts";
import type { Credential, HostEntry, NetworkLimits, RegistryUse, SecretSource, TrafficLimit } from "../network.ts";
import { rootPath } from "./path-expansion.ts";
import { bytes } from "../text/quantity.ts";
import { type Path, type Reading, readList, requireSound } from "./reading-context.ts";
import { pathPatternFault } from "../matching/url-paths.ts";
import type { NetworkDocument } from "./schema.ts";
import type { Stated, StatedValues } from "./statement.ts";

const NETWORK: Path = ["sandbox", "network"];

type StatedNetwork = { readonly [Key in "network" | "credentials" | "networkLimits" | "hostNames" | "registries"]: Stated<StatedValues[Key]> | undefined };

/** A child's paths are compared with its parent's, each with each. */
const MAX_REQUEST_PATHS = 1_000;

/** What a file states of the network, with a problem for everything that cannot be meant. */
export function readNetwork(document: NetworkDocument | undefined, reading: Reading): StatedNetwork {
  if (requestPathsOf(document) > MAX_REQUEST_PATHS) {
    const message = `\`sandbox.network\` names more than ${MAX_REQUEST_PATHS} paths.`;
    reading.problems.push(errorAt(reading.at(NETWORK), message, { remedy: "Name directories: `/v1/**` stands for all that lies below." }));
    return { network: undefined, credentials: undefined, networkLimits: undefined, hostNames: undefined, registries: undefined };
  }
  const stated = <T>(value: T | undefined, ...path: string[]): Stated<T> | undefined =>
    value === undefined ? undefined : { value, at: reading.at([...NETWORK, ...path]) };
  return {
    network: stated(document?.allow && readEntries(document.allow, reading)),
    credentials: stated(document?.credentials && readCredentials(document.credentials, reading), "credentials"),
    networkLimits: stated(document?.limits && readLimits(document.limits), "limits"),
    hostNames: stated(document?.names && readNames(document.names, reading), "names"),
    registries: stated(document?.registries && readRegistries(document.registries, reading), "registries"),
  };
}

function requestPathsOf({ allow = [], credentials = [] }: NetworkDocument = {}): number {
  const lists = [...allow.map((entry) => (typeof entry === "string" ? [] : (entry.paths ?? []))), ...credentials.map(({ paths }) => paths)];
  return lists.reduce((sum, paths) => sum + paths.length, 0);
}

const READING_METHODS: readonly string[] = ["GET", "HEAD"];

function readEntries(entries: NonNullable<NetworkDocument["allow"]>, reading: Reading): readonly HostEntry[] {
  const path = [...NETWORK, "allow"];
  const read = entries.map((entry, index): HostEntry => {
    const at = [...path, index];
    if (typeof entry === "string") {
      requireSound(entry, at, reading, hostFault);
      return { host: entry, methods: null, paths: null };
    }
    requireSound(entry.host, [...at, "host"], reading, (host) => (host.includes(":") ? "the port stands under `port`" : hostFault(host)));
    const paths = entry.paths === undefined ? null : readList(entry.paths, [...at, "paths"], reading, pathPatternFault);
    return {
      host: entry.port === undefined ? entry.host : `${entry.host}:${String(entry.port)}`,
      methods: entry.methods ?? (paths === null ? null : READING_METHODS),
      paths,
    };
  });
  for (const [index, entry] of read.entries()) {
    const wider = isWhole(entry) ? undefined : read.find((other) => isWhole(other) && partsOf(entry).some((part) => hostPatternCovers(other.host, part)));
    if (wider === undefined) continue;
    reading.problems.push(
      errorAt(reading.at([...path, index]), `The methods and paths of \`${entry.host}\` limit nothing: \`${wider.host}\` opens all of it.`, {
        remedy: "Leave out the one or the other.",
      }),
    );
  }
  return read;
}

/** An entry that names no port is one for each of the ports of the Web: what opens either of them leaves its limits to the other alone. */
function partsOf({ host }: HostEntry): readonly string[] {
  return host.includes(":") ? [host] : [host, `${host}:80`, `${host}:443`];
}

function isWhole({ methods, paths }: HostEntry): boolean {
  return methods === null && paths === null;
}

function readCredentials(credentials: NonNullable<NetworkDocument["credentials"]>, reading: Reading): readonly Credential[] {
  return credentials.map((credential, index): Credential => {
    const at = [...NETWORK, "credentials", index];
    if (credentials.findIndex(({ id }) => id === credential.id) !== index)
      reading.problems.push(errorAt(reading.at([...at, "id"]), `The credential \`${credential.id}\` is stated twice.`));
    requireSound(credential.host, [...at, "host"], reading, nameFault);
    return {
      id: credential.id,
      secret: readSource(credential.secret, [...at, "secret"], reading),
      host: credential.host,
      port: credential.port ?? 443,
      methods: credential.methods,
      paths: readList(credential.paths, [...at, "paths"], reading, pathPatternFault),
      header: readHeader(credential.header, [...at, "header"], reading),
      otherwise: credential.otherwise ?? "refuse",
    };
  });
}

function readSource({ env, file }: { readonly env?: string | undefined; readonly file?: string | undefined }, path: Path, reading: Reading): SecretSource {
  if ((env === undefined) === (file === undefined)) reading.problems.push(errorAt(reading.at(path), "A secret comes from exactly one of `env` and `file`."));
  if (env !== undefined) {
    requireSound(env, [...path, "env"], reading, (name) => (/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u.test(name) ? null : "it is no name of a variable"));
    return { kind: "variable", name: env };
  }
  if (file !== undefined)
    requireSound(file, [...path, "file"], reading, (place) => (/^~?\//u.test(place) ? null : "it is no file's path: write `~/…` or an absolute one"));
  return { kind: "file", path: (file === undefined ? null : rootPath(file, reading.context)) ?? "" };
}

// What the proxy writes itself, or what would change how a message is read.
const OWN_HEADERS: ReadonlySet<string> = new Set(
  "host connection content-length transfer-encoding te trailer upgrade expect keep-alive proxy-connection proxy-authorization accept-encoding content-encoding range if-range".split(
    " ",
  ),
);

function readHeader(header: Readonly<Record<string, string>>, path: Path, reading: Reading): Credential["header"] {
  const [[name, value] = ["", ""], ...others] = Object.entries(header);
  const fault =
    others.length > 0 || name === ""
      ? "it must be one header"
      : !/^[A-Za-z][A-Za-z0-9-]{0,63}$/u.test(name) || OWN_HEADERS.has(name.toLowerCase())
        ? "it is no header that a credential can stand in"
        : !/^[\x20-\x7e]+$/u.test(value) || value.trim() !== value || value.split(/\{secret\}|\{basic [\x21-\x39\x3b-\x7a\x7e]+\}/u).length !== 2
          ? "the value must hold `{secret}` or `{basic USER}`, once, in visible ASCII"
          : null;
  if (fault !== null) reading.problems.push(errorAt(reading.at(path), `The header ${JSON.stringify(name)} cannot be set: ${fault}.`));
  return { name: name.toLowerCase(), value };
}

function readNames(names: Readonly<Record<string, string>>, reading: Reading): Readonly<Record<string, string>> {
  for (const [name, address] of Object.entries(names)) {
    const path = [...NETWORK, "names", name];
    requireSound(name, path, reading, nameFault);
    requireSound(address, path, reading, (text) => (isAddress(text) ? null : "it is no IPv4 address"));
  }
  return names;
}

function readRegistries(entries: NonNullable<NetworkDocument["registries"]>, reading: Reading): readonly RegistryUse[] {
  const uses = entries.map((entry): RegistryUse => (typeof entry === "string" ? { name: entry, credentials: false } : entry));
  for (const [index, { name }] of uses.entries()) {
    if (uses.findIndex((other) => other.name === name) === index) continue;
    reading.problems.push(errorAt(reading.at([...NETWORK, "registries", index]), `The registry \`${name}\` is stated twice.`));
  }
  return uses;
}

function readLimits(limits: NonNullable<NetworkDocument["limits"]>): NetworkLimits {
  const { connection, host, run } = limits;
  return { ...(connection && { connection: limitOf(connection) }), ...(host && { host: limitOf(host) }), ...(run && { run: limitOf(run) }) };
}

function limitOf(limit: NonNullable<NonNullable<NetworkDocument["limits"]>["run"]>): TrafficLimit {
  const up = limit["bytes-up"] === undefined ? null : bytes(limit["bytes-up"]);
  const down = limit["bytes-down"] === undefined ? null : bytes(limit["bytes-down"]);
  const { connections } = limit;
  const requests = limit["requests-per-minute"];
  return {
    ...(up === null ? {} : { bytesUp: up }),
    ...(down === null ? {} : { bytesDown: down }),
    ...(requests === undefined ? {} : { requestsPerMinute: requests }),
    ...(connections === undefined ? {} : { connections }),
  };
}

function nameFault(host: string): string | null {
  return host.includes(".") && !looksLikeAddress(host) && !host.includes(":") && canonicalHost(host) === host && host === host.toLowerCase()
    ? null
    : "it is one lower-case name with a dot: no wildcard, no address, no port";
}

function hostFault(host: string): string | null {
  return isHostPattern(host)
    ? null
    : "it is no host: a lower-case name with a dot, one whose first label is `*`, an IPv4 address or `*` alone, perhaps with `:PORT`; no scheme or path";
}
