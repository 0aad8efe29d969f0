import { expect, test } from "vitest";
import { missingOf, NamesBudget } from "../../../../src/sandbox/egress/registries/names.ts";

const LIMIT = { names: 3, characters: 100 };

/** Asks for a name, and what the registry says. */
async function ask(budget: NamesBudget, name: string, isThere: boolean): Promise<boolean> {
  if (!(await budget.take(name))) return false;
  if (isThere) budget.isThere(name);
  budget.leave(name, true);
  return true;
}

test("takes so many names that are not there, and any number of those that are", async () => {
  const budget = new NamesBudget(undefined, LIMIT);
  for (let at = 0; at < 50; at += 1) expect(await ask(budget, `there-${String(at)}`, true)).toBe(true);
  for (const name of ["a", "b", "c"]) expect(await ask(budget, name, false)).toBe(true);
  expect(await ask(budget, "d", false)).toBe(false);
  expect(await ask(budget, "new", true)).toBe(false);
  // What was asked for once says nothing new.
  expect([await ask(budget, "a", false), await ask(budget, "there-7", true)]).toEqual([true, true]);
});

test("counts their characters", async () => {
  const budget = new NamesBudget(undefined, LIMIT);
  expect(await ask(budget, "x".repeat(60), false)).toBe(true);
  expect(await ask(budget, "y".repeat(60), false)).toBe(false);
  expect(await ask(budget, "y".repeat(40), false)).toBe(true);
});

test("many at once are no more than one after the other", async () => {
  const budget = new NamesBudget(undefined, LIMIT);
  const sent: string[] = [];
  const asked = Array.from({ length: 20 }, async (_none, at) => {
    const name = `secret-${String(at)}`;
    if (!(await budget.take(name))) return;
    sent.push(name);
    await new Promise((resolve) => setTimeout(resolve, 5));
    budget.leave(name, true);
  });
  await Promise.all(asked);
  expect(sent).toHaveLength(3);
});

test("waits for the answers of others, and goes on when they are there", async () => {
  const budget = new NamesBudget(undefined, LIMIT);
  for (const name of ["a", "b", "c"]) await budget.take(name);
  const fourth = budget.take("d");
  budget.isThere("b");
  budget.leave("b", true);
  expect(await fourth).toBe(true);
});

test("gives back the place of what was never sent, not of what somebody else still waits for", async () => {
  const budget = new NamesBudget(undefined, { names: 1, characters: 100 });
  await budget.take("a");
  await budget.take("a");
  budget.leave("a", false);
  const other = budget.take("b");
  budget.leave("a", true);
  expect(await other).toBe(false);
  const fresh = new NamesBudget(undefined, { names: 1, characters: 100 });
  await fresh.take("a");
  fresh.leave("a", false);
  expect(await fresh.take("b")).toBe(true);
});

test("gives back the place of a name that is there when it is asked for again", async () => {
  const budget = new NamesBudget(undefined, { names: 1, characters: 100 });
  await ask(budget, "a", false);
  await ask(budget, "a", true);
  expect(await ask(budget, "b", false)).toBe(true);
});

test("a redirect counts as missing until what it leads to was found", async () => {
  const budget = new NamesBudget(undefined, { names: 2, characters: 100 });
  await budget.take("a");
  budget.isAt("a", "b");
  budget.leave("a", true);
  expect(await ask(budget, "x", false)).toBe(true);
  expect(await budget.take("y")).toBe(false);
  const followed = new NamesBudget(undefined, { names: 2, characters: 100 });
  await followed.take("a");
  followed.isAt("a", "b");
  followed.leave("a", true);
  await ask(followed, "b", true);
  expect([await ask(followed, "x", false), await ask(followed, "y", false)]).toEqual([true, true]);
});

test("goes on counting where earlier proxies of the run stopped", async () => {
  const host = { bytesUp: 0, bytesDown: 0, records: 5 };
  const before = missingOf({ "a.example.org": { ...host, missing: { names: 2, characters: 10 } }, "b.example.org": host });
  expect(before).toEqual({ names: 2, characters: 10 });
  const budget = new NamesBudget(before, LIMIT);
  expect([await ask(budget, "a", false), await ask(budget, "b", false)]).toEqual([true, false]);
});
