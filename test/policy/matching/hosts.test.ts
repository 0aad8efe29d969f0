import { expect, test } from "vitest";
import { canonicalHost, hostMatches, hostPatternCovers, isHostPattern } from "../../../src/policy/matching/hosts.ts";

test.each([
  ["api.example.org", "api.example.org", true],
  ["api.example.org", "API.example.org.", true],
  ["api.example.org", "xapi.example.org", false],
  ["api.example.org", "api.example.org.evil.com", false],
  ["*.example.org", "a.example.org", true],
  ["*.example.org", "example.org", false],
  ["*.example.org", "a.b.example.org", false],
  ["*.*.example.org", "a.b.example.org", true],
  ["*.example.org", "evil.com\u0000.example.org", false],
  ["*.example.org", ".example.org", false],
  ["*.example.org", "a@b.example.org", false],
  ["*.example.org", "аpi.example.org", false],
  ["192.0.2.1", "192.0.2.1", true],
  ["192.0.2.1", "3221225985", false],
  ["*", "a.b.example.org", true],
  ["*", "192.0.2.1", false],
  ["*", "localhost", false],
  ["*", "printer.local", false],
  ["*", "metadata.google.internal", false],
  ["*", "127.1", false],
  ["*", "a.0x7f", false],
])("%j names %j: %j", (pattern, host, expected) => {
  expect(hostMatches(pattern, host)).toBe(expected);
});

test.each([
  ["", null],
  [".", null],
  ["a..b", null],
  ["a b", null],
  [`${"a".repeat(64)}.org`, null],
  ["-a.org", null],
  ["[::1]", "::1"],
  ["LOCALHOST", "localhost"],
])("the canonical form of %j is %j", (host, expected) => {
  expect(canonicalHost(host)).toBe(expected);
});

test.each([
  ["example.org", true],
  ["*.example.org", true],
  ["*", true],
  ["*:8443", true],
  ["127.1", false],
  ["192.0.2.01", false],
  ["192.0.2.256", false],
  ["*.2.0.192", false],
  ["*.org", false],
  ["a.*.org", false],
  ["Example.org", false],
  ["example.org.", false],
  ["example.org:443", true],
  ["example.org:0", false],
  ["example.org:65536", false],
  ["::ffff:192.0.2.1", false],
  ["https://example.org", false],
  ["localhost", false],
])("%j is an entry: %j", (pattern, expected) => {
  expect(isHostPattern(pattern)).toBe(expected);
});

test("a wider entry covers a narrower one, and not the other way round", () => {
  expect([
    hostPatternCovers("*.example.org", "a.example.org"),
    hostPatternCovers("a.example.org", "*.example.org"),
    hostPatternCovers("*.example.org", "a.b.example.org"),
  ]).toEqual([true, false, false]);
});

test.each([
  ["api.example.org", 443, true],
  ["api.example.org", 80, true],
  ["api.example.org", 8443, false],
  ["api.example.org:8443", 8443, true],
  ["api.example.org:8443", 443, false],
  ["api.example.org:8443", null, true],
  ["*:8443", 8443, true],
])("%j allows port %j: %j", (entry, port, expected) => {
  expect(hostMatches(entry, "api.example.org", port)).toBe(expected);
});

test.each([
  ["*", "*.example.org", true],
  ["*", "192.0.2.1", false],
  ["*", "a.example.org:22", false],
  ["a.example.org", "a.example.org:443", true],
  ["a.example.org:443", "a.example.org", false],
])("%j covers %j: %j", (wider, narrower, expected) => {
  expect(hostPatternCovers(wider, narrower)).toBe(expected);
});
