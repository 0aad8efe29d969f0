import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalPath, pathMatches, pathPatternCovers, pathPatternFault, readingsOf } from "../../../src/policy/matching/url-paths.ts";

test.each([
  ["/", "/"],
  ["/v1/items", "/v1/items"],
  ["/v1/items/", "/v1/items/"],
  ["/v1/%69tems", "/v1/items"],
  ["/a%20b/%c3%a9", "/a%20b/%C3%A9"],
  ["/a:b@c,(d)!$&'*+=~-._", "/a:b@c,(d)!$&'*+=~-._"],
  ["/...", "/..."],
])("%j is read as %j", (path, canonical) => {
  expect(canonicalPath(path)).toBe(canonical);
});

test.each([
  ["a relative path", "v1"],
  ["the asterisk form", "*"],
  ["an absolute form", "http://a.example.org/"],
  ["a way up", "/v1/../admin"],
  ["an escaped way up", "/v1/%2e%2e/admin"],
  ["a half escaped way up", "/v1/.%2E/admin"],
  ["a way up at the end", "/v1/.."],
  ["no way", "/v1/./a"],
  ["a way up behind which a server cuts a blank off", "/v1/..%20/admin"],
  ["a way up before which a server cuts blanks off", "/v1/%09%c2%a0../admin"],
  ["a blank that a server cuts off", "/v1/%20/admin"],
  ["an empty component", "/v1//admin"],
  ["two slashes first", "//other.example.org/v1"],
  ["an escaped slash", "/v1%2fadmin"],
  ["an escaped slash in capitals", "/v1/..%2Fadmin"],
  ["a backslash", "/v1\\..\\admin"],
  ["an escaped backslash", "/v1/..%5cadmin"],
  ["a path parameter", "/v1/..;/admin"],
  ["a path parameter that is cut off", "/v1;a=b/items"],
  ["an escaped semicolon", "/v1/..%3b/admin"],
  ["an escape of an escape", "/v1/%252e%252e/admin"],
  ["an escape of an escaped slash", "/v1%252fadmin"],
  ["an overlong slash", "/v1%c0%afadmin"],
  ["an overlong dot", "/v1/%c0%ae%c0%ae/admin"],
  ["an escape in UTF-16", "/v1/%u002e%u002e/admin"],
  ["an escape without digits", "/v1/%zz"],
  ["an escape that ends", "/v1/%2"],
  ["a NUL", "/v1/a%00.png"],
  ["a line end", "/v1/a%0d%0aHost:b"],
  ["a look-alike of a slash", "/v1%ef%bc%8fadmin"],
  ["look-alikes of dots", "/v1/%ef%bc%8e%ef%bc%8e/admin"],
  ["one look-alike of two dots", "/v1/%e2%80%a5/admin"],
  ["a look-alike of a percent sign", "/v1/%ef%bc%852e"],
  ["a byte beyond ASCII", "/v1/\u00e9"],
  ["a space", "/v1/a b"],
  ["a quote", '/v1/"'],
  ["a query", "/v1?a"],
  ["a fragment", "/v1#a"],
])("%s has no form that every server reads the same way", (_what, path) => {
  expect(canonicalPath(path)).toBeNull();
});

test.each([
  ["/v1/items", ["/v1/items"]],
  ["/@scope%2fname", ["/@scope%2Fname", "/@scope/name"]],
  ["/a/%62%2Fc/d", ["/a/b%2Fc/d", "/a/b/c/d"]],
  ["/v1/..%2fadmin", null],
  ["/v1%2f%2e%2e%2fadmin", null],
  ["/v1%2f%2fadmin", null],
  ["/v1/%2fadmin", null],
  ["/v1%252fadmin", null],
  ["%2fv1", null],
])("%j may be read as %j", (path, readings) => {
  expect(readingsOf(path)).toEqual(readings);
});

test("is canonical once it is canonical, and hides no component", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."/.%25ef;\\a*~2Fc0") }), (text) => {
      const path = canonicalPath(`/${text}`) ?? "/";
      expect(canonicalPath(path)).toBe(path);
      expect(new URL(path, "http://a.example.org").pathname).toBe(path);
      expect(decodeURIComponent(path).split("/")).toHaveLength(path.split("/").length);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["/v1/**", "/v1", true],
  ["/v1/**", "/v1/", true],
  ["/v1/**", "/v1/a/b", true],
  ["/v1/**", "/v10", false],
  ["/v1/**", "/V1/a", false],
  ["/v1/**", "/", false],
  ["/**", "/", true],
  ["/v1/*", "/v1/a", true],
  ["/v1/*", "/v1/", false],
  ["/v1/*", "/v1/a/b", false],
  ["/v1/*/items", "/v1/a/items", true],
  ["/v1/**/items", "/v1/a/b/items", true],
  ["/v1/**/items", "/v1/items", true],
  ["/v1/**/items", "/v1/a/items/b", false],
  ["/repos/a.b/*.git", "/repos/a.b/c.git", true],
  ["/repos/a.b/*.git", "/repos/axb/c.git", false],
  ["/v1/items", "/v1/items/", false],
])("%j names %j: %j", (pattern, path, expected) => {
  expect(pathPatternFault(pattern)).toBeNull();
  expect(pathMatches(pattern, path)).toBe(expected);
});

test("a pattern that covers another matches all that the other does", () => {
  const component = fc.constantFrom("a", "b", "*", "**", "a*");
  const pattern = fc.array(component, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
  const path = fc.array(fc.constantFrom("a", "b", "ab", ""), { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join("/")}`);
  fc.assert(
    fc.property(pattern, pattern, path, (wider, narrower, some) => {
      const isMissed = pathPatternCovers(wider, narrower) && pathMatches(narrower, some) && !pathMatches(wider, some);
      expect(isMissed).toBe(false);
    }),
    { numRuns: 5000 },
  );
  expect(pathPatternCovers("/v1/**", "/v1/a/*")).toBe(true);
  expect(pathPatternCovers("/v1/*", "/v1/**")).toBe(false);
});
