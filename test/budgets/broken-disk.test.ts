import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { left, reserve, settle, spend, type Budget, type Reservation } from "../../src/budgets/budget.ts";
import { isStopped, setStopSwitch } from "../../src/gate/stop-switch.ts";
import { countingBudget } from "../support/counting-budget.ts";
import { fillDisk, makeReadOnly, makeWritable, smallDisk } from "../support/small-disk.ts";
import { movableClock } from "../support/temporary-store.ts";
import { warder } from "../support/warder-cli.ts";
import { runsRootTests } from "../support/root.ts";

const MAX = 1_000_000;

function place() {
  const disk = smallDisk();
  const budget = countingBudget(join(disk, "state"), MAX);
  onTestFinished(() => {
    budget.store.close();
  });
  return { disk, budget, log: { store: budget.store, clock: movableClock() }, ballast: join(disk, "ballast") };
}

function take(budget: Budget, meter: "actions" | "cost", amount: number): Reservation {
  const taken = reserve(budget, { [meter]: amount });
  if (taken.kind === "spent") throw new Error("none left");
  return taken;
}

/** Until the space that SQLite has already taken is used up. */
function untilRefused(work: () => void): unknown {
  for (let round = 0; round < 20_000; round += 1) {
    try {
      work();
    } catch (error) {
      return error;
    }
  }
  throw new Error("never refused");
}

const FULL = expect.objectContaining({ code: "store-unavailable", message: expect.stringContaining("the disk is full") });
const UNWRITABLE = expect.objectContaining({ code: "store-unavailable", message: expect.stringMatching(/read-only|cannot be/u) });

describe.skipIf(!runsRootTests)("a full disk [needs root, to mount one]", () => {
  test("refuses to reserve, and takes nothing; with space again it goes on where it was", () => {
    const { budget, ballast } = place();
    let taken = 0;
    fillDisk(ballast);
    expect(
      untilRefused(() => {
        take(budget, "actions", 1);
        taken += 1;
      }),
    ).toEqual(FULL);
    expect(budget.store.ledger.sum("shared", "actions", null)).toBe(taken);
    rmSync(ballast);
    expect(left(budget, "actions")).toBe(MAX - taken);
    expect(reserve(budget, { actions: 1 }).kind).toBe("reserved");
  });

  test("refuses to spend and to settle: what was taken stays taken", () => {
    const { budget, ballast } = place();
    const action = take(budget, "actions", 1);
    const answer = take(budget, "cost", 500);
    fillDisk(ballast);
    expect(untilRefused(() => settle(budget, answer, { cost: 100 + Math.floor(Math.random() * 300) }))).toEqual(FULL);
    expect(() => spend(budget, action)).toThrow(FULL);
    rmSync(ballast);
    expect(left(budget, "actions")).toBe(MAX - 1);
    expect(left(budget, "cost")).toBeGreaterThanOrEqual(MAX - 500);
  });

  test("keeps nobody from stopping, and from everything but that", () => {
    const { log, budget, ballast } = place();
    fillDisk(ballast);
    // Until what is left of the database's own space is gone.
    const refused = untilRefused(() => {
      setStopSwitch(log, "stopped", "ann", ["network"]);
      setStopSwitch(log, "running", "ann", ["network"]);
    });
    expect(refused).toMatchObject({ message: expect.stringContaining("the disk is full") });
    expect(() => setStopSwitch(log, "stopped", "ann")).toThrow(/Everything is stopped, by the file|It is stopped, but that could not be recorded/u);
    expect(isStopped(budget.store)).toBe(true);
    expect(() => setStopSwitch(log, "running", "ann")).toThrow("the disk is full");
    expect(isStopped(budget.store)).toBe(true);
    rmSync(ballast);
    setStopSwitch(log, "running", "ann");
    expect(isStopped(budget.store)).toBe(false);
  });
});

describe.skipIf(!runsRootTests)("a read-only disk [needs root, to mount one]", () => {
  test("nothing is taken, stopped or started on it, and each says why and what to do", async () => {
    const disk = smallDisk();
    const here = { root: disk, home: disk, workspace: disk, state: join(disk, "state") };
    const budget = countingBudget(here.state, MAX);
    take(budget, "actions", 1);
    setStopSwitch({ store: budget.store, clock: movableClock() }, "stopped", "ann");
    budget.store.close();
    makeReadOnly(disk);
    expect(() => countingBudget(here.state, MAX)).toThrow(UNWRITABLE);
    expect(await warder(here, ["stop"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/Everything is stopped, by the file .*read-only/u),
    });
    expect(await warder(here, ["start"])).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("read-only") });
    makeWritable(disk);
    expect(await warder(here, ["start", "--network"])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("engaged: everything, by ann") });
  });

  test("where nothing was stopped, stopping says that it could not, and that nothing new begins", async () => {
    const disk = smallDisk();
    const here = { root: disk, home: disk, workspace: disk, state: join(disk, "state") };
    countingBudget(here.state, MAX).store.close();
    makeReadOnly(disk);
    expect(await warder(here, ["stop"])).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/could NOT be engaged: .*Nothing new begins/u) });
  });
});
