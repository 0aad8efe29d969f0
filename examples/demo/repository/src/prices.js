/** The price of one line of an order in cents, after the discount in percent. */
export function linePrice(unitCents, quantity, discountPercent = 0) {
  if (!Number.isInteger(unitCents) || unitCents < 0) throw new RangeError("unitCents must be a whole number of cents");
  if (!Number.isInteger(quantity) || quantity < 1) throw new RangeError("quantity must be at least 1");
  const full = unitCents * quantity;
  return Math.round(full - full * discountPercent);
}

/** The sum of all lines of an order, in cents. */
export function orderTotal(lines) {
  return lines.reduce((sum, line) => sum + linePrice(line.unitCents, line.quantity, line.discountPercent), 0);
}
