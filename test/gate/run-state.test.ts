import { expect, test } from "vitest";
import { readOnly } from "../../src/policy/deciding/narrowing.ts";
import { policyText, scene, textOf } from "./gate-scene.ts";

const LIMITS = "{ actions: { max: 4, per: 1h }, run: { minutes: 10, max-usd: 0.5 } }";
const told = (text: string): unknown => JSON.parse(text.replace(/^\[.*\]\n/u, ""));

test("a run is told how it is set up, what is left of its limits, and nothing else", async () => {
  const here = scene({ policy: policyText({ autonomy: "full", limits: LIMITS }) });
  await here.call("memory_store", { text: "one" });
  const state = told(textOf(await here.call("config", {}))) as { readonly limits: readonly unknown[] };
  expect(Object.keys(state)).toEqual(["model", "policy", "autonomy", "workspace", "turn", "limits"]);
  expect(state).toMatchObject({ model: null, policy: "test", autonomy: "full", workspace: here.workspace, turn: 0 });
  expect(state.limits).toContainEqual({ limit: "limits.actions of test", left: 3, of: 4, unit: "actions", in_hours: 1 });
  expect(state.limits).toContainEqual({ limit: "limits.run.max-usd of test", left: 0.5, of: 0.5, unit: "US dollars" });
  expect(told(textOf(await here.call("Config", { setting: "policy" })))).toEqual({ policy: "test" });
  expect(here.records("permit-spent")).toHaveLength(1);
});

test("a run that is bound to look is told so, whatever its policy says", async () => {
  const here = scene({ policy: policyText({ autonomy: "full" }), change: ({ policy }) => ({ narrowing: () => [readOnly(policy)] }) });
  expect(told(textOf(await here.call("config", { key: "autonomy" })))).toEqual({ autonomy: "read-only" });
});

test.each([{ key: "limits", value: 9 }, { key: "sandbox" }, { key: "__proto__" }, { model: "other" }, { setting: "permissions.defaultMode", value: "full" }])(
  "nothing is changed and nothing else told: %j",
  async (input) => {
    const end = await scene().call("config", input);
    expect(end).toMatchObject({ result: { isError: true } });
  },
);
