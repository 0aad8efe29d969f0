import { expect, test } from "vitest";
import { race } from "./races.ts";

test("nothing outside is read or written while ten threads swap links and directories under the file verbs", async () => {
  const { swaps, done, refused, escapes } = await race(1000);
  expect(escapes).toEqual([]);
  // Each side was at work, and links that lead outside were met.
  expect(swaps).toBeGreaterThan(100);
  for (const [verb, count] of Object.entries(done)) expect(count, verb).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
});
