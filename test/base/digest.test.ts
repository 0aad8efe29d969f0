import canonicalize from "canonicalize";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../src/base/digest.ts";
import { isSortable } from "../../src/base/sorted.ts";

/** As the package makes it, or that it cannot. */
function reference(value: unknown): string | null {
  try {
    return canonicalize(value) ?? null;
  } catch {
    return null;
  }
}

function made(value: unknown): string | null {
  try {
    return canonicalJson(value);
  } catch {
    return null;
  }
}

// Keys that an object keeps in another place than they were added, and such as look alike.
const key = fc.oneof(
  fc.string({ unit: "binary", maxLength: 3 }),
  fc.nat(20).map(String),
  fc.constantFrom(
    "",
    "__proto__",
    "constructor",
    "toString",
    "toJSON",
    "length",
    "01",
    "-1",
    "4294967295",
    "1e3",
    "1a",
    "a1",
    "\u20ac",
    "\ud83d\ude00",
    "\ufb33",
    "\ud800",
  ),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5, depthSize: "medium" }, fc.jsonValue({ maxDepth: 0 }), fc.string({ unit: "binary" }), fc.double(), tie("array"), tie("object")),
  array: fc.array(tie("value"), { maxLength: 5 }),
  object: fc.dictionary(key, tie("value"), { maxKeys: 6, noNullPrototype: false }),
}));
const manyKeys = fc.dictionary(
  fc.string({ maxLength: 3 }).map((end) => `k${end}`),
  fc.nat(),
  { minKeys: 33, maxKeys: 40 },
);

describe("canonical JSON", () => {
  test("is for any JSON what the package makes that everybody takes, also where it is made without it", () => {
    let withoutIt = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: value }, manyKeys), (any) => {
        expect(made(any)).toBe(reference(any));
        if (typeof any === "object" && any !== null && isSortable(any)) withoutIt += 1;
      }),
      { numRuns: 1_000 },
    );
    expect(withoutIt).toBeGreaterThan(100);
  });

  // RFC 8785, section 3.2.3: by UTF-16 code units, so that the emoji comes before the Hebrew letter.
  test("has the keys of an object in the order of their code units", () => {
    const object = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 };
    expect(isSortable(object)).toBe(true);
    expect(Object.values(JSON.parse(canonicalJson(object)) as object)).toEqual([2, 6, 7, 1, 5, 3]);
  });

  test.each([
    ["keys that look like numbers", { b: 1, 10: 1, 9: 1 }, '{"10":1,"9":1,"b":1}'],
    ["a key that would be the prototype", JSON.parse('{"b":1,"__proto__":{"a":2}}'), '{"__proto__":{"a":2},"b":1}'],
    ["what says itself how it is written", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ["what has no JSON form", { b: undefined, a: [undefined, () => 1] }, '{"a":[null,null]}'],
    ["numbers in an object", { a: Object(1) }, '{"a":1}'],
    ["a depth that no recursion reaches", JSON.parse(`${"[".repeat(20_000)}1${"]".repeat(20_000)}`), `${"[".repeat(20_000)}1${"]".repeat(20_000)}`],
  ])("%s", (_name, any, text) => {
    expect(canonicalJson(any)).toBe(text);
  });

  const circle: unknown[] = [];
  circle.push({ circle });
  test.each([
    ["a lone surrogate", { a: "\ud800" }, "Lone surrogate"],
    ["a lone surrogate in a key", { "\udc00": 1 }, "Lone surrogate"],
    ["an infinity", [Infinity], "Infinity"],
    ["no number", { a: { b: NaN } }, "NaN"],
    ["a circle", circle, "Circular"],
    ["nothing", undefined, "without a JSON form"],
  ])("there is none of %s", (_name, any, message) => {
    expect(() => canonicalJson(any)).toThrow(message);
  });
});
