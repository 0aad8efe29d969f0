import { expect, test } from "vitest";
import { pause } from "../../src/gate/pause.ts";
import { systemClock } from "../../src/base/clock.ts";
import { movableClock } from "../support/temporary-store.ts";
import { until } from "../support/until.ts";
import { policyText, scene, textOf } from "./gate-scene.ts";

const never = new AbortController().signal;

test("a pause lasts as long as the clock says, and not as long as nobody moves it", async () => {
  const clock = movableClock();
  let hasEnded = false;
  const paused = pause(clock, 600_000, never).then((end) => {
    hasEnded = true;
    return end;
  });
  clock.advance(599_999);
  await pause(systemClock, 450, never);
  expect(hasEnded).toBe(false);
  clock.advance(1);
  expect(await paused).toBe(true);
});

test("a pause ends at once with its call", async () => {
  const over = new AbortController();
  const clock = movableClock();
  const paused = pause(clock, 600_000, over.signal);
  over.abort();
  expect(await Promise.race([paused, pause(systemClock, 5000, never).then(() => "goes on")])).toBe(false);
  expect(await pause(clock, 600_000, over.signal)).toBe(false);
});

test("sleep waits by the run's clock, also where nothing may change, and ends with the run", async () => {
  const here = scene({ policy: policyText({ autonomy: "read-only", timeout: "1s" }) });
  const begun = (count: number) => until("the tool has begun", () => here.events.filter(({ kind }) => kind === "tool-start").length === count);
  let hasEnded = false;
  const slept = here.call("sleep", { seconds: 600 }).finally(() => (hasEnded = true));
  await begun(1);
  await pause(systemClock, 450, never);
  expect(hasEnded).toBe(false);
  here.clock.advance(600_000);
  const end = await slept;
  expect([end.kind, end.result.label, textOf(end)]).toEqual(["executed", "trusted", "Waited for 600 seconds."]);
  const over = new AbortController();
  const cancelled = here.call("wait", { seconds: 600 }, over.signal);
  await begun(2);
  over.abort();
  expect((await cancelled).kind).toBe("cancelled");
});

test.each([0, 601, 1.5, -1, "Infinity"])("sleep takes whole seconds up to ten minutes, not %s", async (seconds) => {
  expect((await scene().call("sleep", { seconds })).kind).toBe("invalid");
});
