import { assert, constantFrom, property, string } from "fast-check";
import { expect, test } from "vitest";
import { placesOf } from "../../src/foreign/spelled-path.ts";

const PLACE = { workspace: "/repo/src", home: "/home/ada" };

test.each([
  ["a/../b", ["/repo/src/b"]],
  ["/etc/passwd", ["/etc/passwd"]],
  ["$HOME/a", ["/repo/src/$HOME/a"]],
])("%j is one place", (path, places) => {
  expect(placesOf(path, PLACE)).toEqual(places);
});

test.each([
  ["~/a", "/home/ada/a", "/repo/src/~/a"],
  ["~", "/home/ada", "/repo/src/~"],
  ["~/../../repo/src/a", "/repo/src/a", "/repo/repo/src/a"],
  ["@/etc/shadow", "/etc/shadow", "/repo/src/@/etc/shadow"],
  ["@~/.ssh/id", "/home/ada/.ssh/id", "/repo/src/@~/.ssh/id"],
  [" /etc/shadow\n", "/etc/shadow", "/repo/src/ /etc/shadow\n"],
  [".env\u0085", "/repo/src/.env", "/repo/src/.env\u0085"],
  ["file:///etc/sh%61dow", "/etc/shadow", "/repo/src/file:/etc/sh%61dow"],
  ["my\u00A0secret", "/repo/src/my secret", "/repo/src/my\u00A0secret"],
  ["my\\ secret", "/repo/src/my secret", "/repo/src/my\\ secret"],
])("%j is what each agent makes of it", (path, ...places) => {
  expect(placesOf(path, PLACE)).toEqual(expect.arrayContaining(places) as string[]);
});

test.each(["", "a\0b", 5, null, ["a"], "@".repeat(100), "x".repeat(5000)])("%j is none", (path) => {
  expect(placesOf(path, PLACE)).toBeNull();
});

test("whatever is sent, the places are absolute and plain, and the path as it stands is among them", () => {
  assert(
    property(string({ minLength: 1, unit: constantFrom("~", "@", "/", "\\", ".", " ", "a", "file://", "%2f", "%", "\u00A0") }), (path) => {
      const places = placesOf(path, PLACE);
      if (places === null) return;
      expect(places.every((place) => place.startsWith("/") && !/\/\.\.?(?:\/|$)/u.test(place))).toBe(true);
      expect(places.length).toBeGreaterThan(0);
    }),
  );
});
