import { expect, test } from "vitest";
import { createCallOrder } from "../../src/providers/sdk/call-order.ts";

const call = (callId: string) => ({ kind: "tool-call" as const, callId, name: "shell", inputText: "{}" });
const idsOf = (calls: readonly { readonly callId: string }[]): readonly string[] => calls.map(({ callId }) => callId);

test("calls that become whole in another order are told as they began", () => {
  const order = createCallOrder();
  for (const id of ["a", "b", "c"]) order.begin(id);
  expect(idsOf(order.end(call("c")))).toEqual([]);
  expect(idsOf(order.end(call("a")))).toEqual(["a"]);
  expect(idsOf(order.end(call("b")))).toEqual(["b", "c"]);
});

test("a call that never becomes whole holds back none at the end", () => {
  const order = createCallOrder();
  order.begin("a");
  order.begin("b");
  expect(idsOf(order.end(call("b")))).toEqual([]);
  expect(idsOf(order.rest())).toEqual(["b"]);
});

test("calls without a beginning, and ids that are used twice, are all told", () => {
  const order = createCallOrder();
  order.begin("a");
  order.begin("a");
  const told = [...order.end(call("a")), ...order.end(call("a")), ...order.end(call("z")), ...order.rest()];
  expect(idsOf(told)).toEqual(["a", "a", "z"]);
});
