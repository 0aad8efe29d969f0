import { expect, test } from "vitest";
import { isPublicAddress } from "../../../../src/sandbox/egress/hosts/public-address.ts";

test.each(["192.0.43.8", "1.1.1.1", "223.255.255.1", "2606:4700::1111", "2001:4860:4860::8888", "2a00:1450:4001:81b::200e"])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ["this network", "0.0.0.0"],
  ["private", "10.0.0.1"],
  ["private", "172.31.255.255"],
  ["private", "192.168.0.1"],
  ["loopback", "127.0.0.1"],
  ["loopback, far in", "127.255.0.3"],
  ["link-local, with the metadata services", "169.254.169.254"],
  ["shared (RFC 6598), with a metadata service", "100.100.100.200"],
  ["a cloud platform's own", "168.63.129.16"],
  ["protocol assignments", "192.0.0.192"],
  ["documentation", "198.51.100.1"],
  ["benchmarks", "198.18.0.1"],
  ["6to4 relays", "192.88.99.1"],
  ["multicast", "224.0.0.251"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["unspecified", "::"],
  ["loopback", "::1"],
  ["IPv4-mapped", "::ffff:192.0.43.8"],
  ["IPv4-mapped in hexadecimal", "::ffff:7f00:1"],
  ["IPv4-compatible", "::7f00:1"],
  ["IPv4-translated", "::ffff:0:7f00:1"],
  ["NAT64", "64:ff9b::a00:1"],
  ["NAT64 of a local network", "64:ff9b:1::a00:1"],
  ["6to4", "2002:a00:1::"],
  ["Teredo", "2001::1"],
  ["unique local, with a metadata service", "fd00:ec2::254"],
  ["link-local", "fe80::1"],
  ["site-local", "fec0::1"],
  ["multicast", "ff02::1"],
  ["documentation", "2001:db8::1"],
  ["discard", "100::1"],
  ["segment routing", "5f00::1"],
  ["a zone", "2606:4700::1111%eth0"],
  ["decimal", "2130706433"],
  ["octal", "0177.0.0.1"],
  ["nothing", ""],
])("%s: %s is not public", (_what, address) => {
  expect(isPublicAddress(address)).toBe(false);
});
