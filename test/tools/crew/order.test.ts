import fc from "fast-check";
import { expect, test } from "vitest";
import { orderOf } from "../../../src/tools/crew/order.ts";

test.each([
  ["two of one name", [{ name: "a" }, { name: "a" }], "needs a name of its own"],
  ["one that waits for a stranger", [{ name: "a", after: ["b"] }], 'called "b"'],
  ["one that waits for itself", [{ name: "a", after: ["a"] }], "wait for each other"],
  ["a circle", [{ name: "a", after: ["c"] }, { name: "b", after: ["a"] }, { name: "c", after: ["b"] }, { name: "d" }], "wait for each other"],
])("takes no crew with %s", (_what, crew, reason) => {
  expect(orderOf(crew)).toEqual(expect.stringContaining(reason));
});

test("puts each behind those that it waits for, and leaves none out", () => {
  // Each waits for some of those with a smaller number; then they are mixed.
  const crews = fc
    .integer({ min: 1, max: 16 })
    .chain((count) =>
      fc.tuple(...Array.from({ length: count }, (_, index) => fc.subarray(Array.from({ length: index }, (__, before) => `m${String(before)}`)))),
    )
    .map((waits) => waits.map((after, index) => ({ name: `m${String(index)}`, after })))
    .chain((crew) => fc.shuffledSubarray(crew, { minLength: crew.length }));
  fc.assert(
    fc.property(crews, (crew) => {
      const order = orderOf(crew);
      if (typeof order === "string") throw new Error(order);
      expect(order.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual(crew.toSorted((one, other) => one.name.localeCompare(other.name)));
      const place = new Map(order.map(({ name }, index) => [name, index]));
      for (const { name, after } of order) for (const other of after) expect(place.get(other) ?? 99).toBeLessThan(place.get(name) ?? -1);
    }),
    { numRuns: 200 },
  );
});
