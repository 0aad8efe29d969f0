import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** Public by its range, and yet the host's own: the address under which a cloud's machines reach their platform. */
const PLATFORM_ADDRESSES: ReadonlySet<string> = new Set(["168.63.129.16"]);

/**
 * Whether an address is one of the public internet. Not: private, loopback, link-local (and so the metadata services), shared,
 * multicast, reserved, documentation. Of IPv6 only global unicast (2000::/3) without what carries an IPv4 address or a tunnel
 * (v4-mapped, v4-compatible, NAT64, 6to4, Teredo): those lead wherever the inner address does.
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes("%") || PLATFORM_ADDRESSES.has(address) || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  if (parsed.kind() === "ipv4") return ipaddr.IPv4.isValidFourPartDecimal(address);
  // The library calls ::/96 and much that nobody assigned unicast.
  return (parsed.toByteArray()[0] ?? 0) >> 5 === 1;
}

/**
 * The addresses that this machine has itself, public or not: a service that no firewall lets anybody reach from outside is reached under them
 * from here. Asked for each time: they change.
 */
export function ownAddresses(): ReadonlySet<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? []));
}
