import { canonicalHost, hostMatches, isAddress, looksLikeAddress } from "../../../policy/matching/hosts.ts";
import type { Refusal } from "../refusal.ts";

/** Where a client wants to go: a canonical host and a port. */
export type Target = { readonly host: string; readonly port: number };

/** Reads `host:port` (`host` alone where a port is implied). Null for anything else: user names, paths, escapes, bytes beyond ASCII. */
export function parseAuthority(text: string, impliedPort: number | null): Target | null {
  const [, name = "", digits] = /^([A-Za-z0-9_.-]{1,254}|\[[0-9A-Fa-f:.]{2,45}\])(?::([0-9]{1,5}))?$/u.exec(text) ?? [];
  const host = name === "" ? null : canonicalHost(name);
  const port = digits === undefined ? impliedPort : Number(digits);
  return host === null || port === null || port < 1 || port > 65_535 ? null : { host, port };
}

/** As a request names it. */
export function authorityOf({ host, port }: Target, isEncrypted: boolean): string {
  return port === (isEncrypted ? 443 : 80) ? host : `${host}:${String(port)}`;
}

/**
 * Whether a policy's list lets a client go there, by the name alone. An address must be listed as it is; a name that a C library would
 * read as an address (`2130706433`, `0x7f.1`, `127.1`, `0177.0.0.1`) is refused whatever is listed.
 */
export function judgeTarget(target: Target, allow: readonly string[]): Refusal | null {
  const { host, port } = target;
  if (looksLikeAddress(host) && !isAddress(host)) return "address-form";
  return allow.some((entry) => hostMatches(entry, host, port)) ? null : "host-not-allowed";
}
