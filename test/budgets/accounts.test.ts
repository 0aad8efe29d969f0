import { expect, test } from "vitest";
import { budgetOf, policyAccount } from "../../src/budgets/accounts.ts";
import { budgetKey, left, reserve, spend } from "../../src/budgets/budget.ts";
import { movableClock, temporaryStore } from "../support/temporary-store.ts";
import { compileTexts, policyOf } from "../policy/bench.ts";

const PARENT = "version: 1\nname: house\nlimits: { actions: { max: 3, per: 1h }, schedule: { calls: { max: 2, per: 1d } } }\n";
const child = (name: string, limits = "limits: { actions: { max: 2, per: 1h } }") => policyOf(`version: 1\nname: ${name}\n${limits}\n`, PARENT);
const place = { workspace: "/w", runId: null, job: null } as const;

test("a limit is another one for another policy, file or workspace", () => {
  expect(
    new Set([budgetKey("p", "/p.yaml", "/w"), budgetKey("q", "/p.yaml", "/w"), budgetKey("p", "/q.yaml", "/w"), budgetKey("p", "/p.yaml", "/x")]).size,
  ).toBe(4);
});

test("children of a policy spend its limit together, and each its own", () => {
  const parts = { store: temporaryStore(), clock: movableClock() };
  const [one, two] = [budgetOf(child("one"), place, parts), budgetOf(child("two"), place, parts)];
  const take = (budget: typeof one) => {
    const reservation = reserve(budget, { actions: 1 });
    if (reservation.kind === "reserved") spend(budget, reservation);
    return reservation.kind === "spent" ? reservation.window.name : "taken";
  };
  expect([take(one), take(one), take(one)]).toEqual(["taken", "taken", "limits.actions of one"]);
  expect([take(two), take(two)]).toEqual(["taken", "limits.actions of house"]);
  expect(left(budgetOf(policyOf(PARENT), place, parts), "actions")).toBe(3);
  expect(policyAccount(child("one"), "/w")).not.toBe(policyAccount(child("two"), "/w"));
});

test("the parent's own runs spend the same account as its children's", () => {
  const parts = { store: temporaryStore(), clock: movableClock() };
  const result = compileTexts(["version: 1\nname: one\n", PARENT]);
  if (result.kind === "refused") throw new Error("refused");
  const own = budgetOf({ ...policyOf(PARENT), files: ["parent-1.yaml"] }, place, parts);
  expect(budgetOf(result.policy, place, parts).windows[0]?.account).toBe(own.windows[0]?.account);
});

test("a job's limits hold for its runs alone, over all of them, and outlive its removal", () => {
  const parts = { store: temporaryStore(), clock: movableClock() };
  const run = (runId: string, job: string | null) => reserve(budgetOf(child("one"), { workspace: "/w", runId, job }, parts), { calls: 1 }).kind;
  expect([run("run-1", "nightly"), run("run-2", "nightly"), run("run-3", "nightly")]).toEqual(["reserved", "reserved", "spent"]);
  expect([run("run-4", "hourly"), run("run-5", null)]).toEqual(["reserved", "reserved"]);
});

test("a run has the same limit before and after it is resumed, and another run its own", () => {
  const parts = { store: temporaryStore(), clock: movableClock() };
  const policy = policyOf("version: 1\nname: one\nlimits: { run: { actions: 1, max-usd: 0.5 } }\n");
  const run = (runId: string) => budgetOf(policy, { workspace: "/w", runId, job: null }, parts);
  expect(reserve(run("run-1"), { actions: 1, cost: 400_000 }).kind).toBe("reserved");
  parts.clock.advance(10 * 86_400_000);
  expect(reserve(run("run-1"), { actions: 1 })).toMatchObject({ kind: "spent", window: { name: "limits.run.actions of one" } });
  expect(reserve(run("run-1"), { cost: 100_001 })).toMatchObject({ kind: "spent", window: { name: "limits.run.max-usd of one" } });
  expect(reserve(run("run-2"), { actions: 1 }).kind).toBe("reserved");
});
