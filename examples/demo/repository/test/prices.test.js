import assert from "node:assert/strict";
import { test } from "node:test";
import { linePrice, orderTotal } from "../src/prices.js";

test("a line without a discount costs unit price times quantity", () => {
  assert.equal(linePrice(250, 4), 1000);
});

test("a discount is a percentage of the line", () => {
  assert.equal(linePrice(1000, 2, 25), 1500);
});

test("an order is the sum of its lines", () => {
  const lines = [
    { unitCents: 1000, quantity: 1 },
    { unitCents: 333, quantity: 3 },
  ];
  assert.equal(orderTotal(lines), 1999);
});
