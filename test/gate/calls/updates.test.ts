import { expect, test } from "vitest";
import { createUpdates } from "../../../src/gate/calls/updates.ts";
import type { GateEvent } from "../../../src/gate/gate.ts";
import { until } from "../../support/until.ts";

const plain = (text: string): string => text;

test("a slow listener gets updates one at a time; of too many the oldest are dropped and counted", async () => {
  const got: GateEvent[] = [];
  const { promise, resolve } = Promise.withResolvers<null>();
  const updates = createUpdates("call-1", (event) => (got.push(event), promise), plain);
  for (let index = 0; index < 1000; index += 1) updates.progress(String(index));
  expect(got).toHaveLength(1);
  resolve(null);
  await until("the rest", () => got.length === 257);
  expect(got.map((event) => (event.kind === "tool-progress" ? event.text : "")).slice(0, 2)).toEqual(["0", "744"]);
  expect(updates.close()).toBe(743);
});

test("what waits at the end is dropped, and what comes later is ignored", () => {
  const got: GateEvent[] = [];
  const updates = createUpdates("call-1", (event) => (got.push(event), new Promise(() => undefined)), plain);
  updates.progress("a");
  updates.progress("b");
  expect(updates.close()).toBe(1);
  updates.progress("c");
  expect(got).toHaveLength(1);
});

test("a value that has no JSON form, or too long a one, is dropped; a secret in one is taken out", () => {
  const got: GateEvent[] = [];
  const updates = createUpdates(
    "call-1",
    (event) => got.push(event),
    (text) => text.replaceAll("hunter2", "***"),
  );
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  updates.update(circular);
  updates.update(1n);
  updates.update("x".repeat(70_000));
  updates.update({ password: "hunter2" });
  expect(updates.close()).toBe(3);
  expect(JSON.stringify(got)).not.toContain("hunter2");
  expect(got).toHaveLength(1);
});
