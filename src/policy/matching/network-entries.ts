import type { Credential, HostEntry, NetworkSettings } from "../network.ts";
import { hostMatches, hostPatternCovers } from "./hosts.ts";
import { pathPatternCovers } from "./url-paths.ts";

/** How a host and port are open: `whole`, to requests that one of these entries matches, or (null) not at all. */
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

/** Whether anything is open at all: a host, or a registry. */
export function hasNetwork({ allow, registries = [] }: Pick<NetworkSettings, "allow" | "registries">): boolean {
  return allow.length > 0 || registries.length > 0;
}

/** Whether the proxy must see the requests within TLS to some host. */
export function needsTermination({ refined = [], credentials = [], registries = [] }: NetworkSettings): boolean {
  return refined.length > 0 || credentials.length > 0 || registries.length > 0;
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
