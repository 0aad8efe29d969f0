import { expect, test } from "vitest";
import { nodeFault } from "../../src/base/node-version.ts";

test.each(["18.19.0", "20.20.2", "22.11.0", "23.99.0"])("says of Node.js %s which one is needed", (version) => {
  expect(nodeFault(version)).toBe(`Warder needs Node.js 24 or newer, this is ${version}.`);
});

test.each(["24.0.0", "25.1.0", "100.0.0"])("takes Node.js %s", (version) => {
  expect(nodeFault(version)).toBeNull();
});
