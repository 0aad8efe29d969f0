import { describe, expect, test } from "vitest";
import { requestApproval } from "../../src/approvals/approval.ts";
import { RESUME_TOOL } from "../../src/approvals/card.ts";
import { verifyAudit } from "../../src/audit/verify/verify.ts";
import { tailAudit } from "../../src/audit/log/read.ts";
import { claimDue, claimNow } from "../../src/schedule/claim.ts";
import { runDaemon, runDueOnce } from "../../src/schedule/daemon.ts";
import type { Job } from "../../src/schedule/job.ts";
import { runClaim } from "../../src/schedule/runner.ts";
import { ownerOfThisProcess } from "../../src/store/lock/process-owner.ts";
import { exampleCard } from "../approvals/example-card.ts";
import { until } from "../support/until.ts";
import { runDueOf } from "../support/run-due.ts";
import { DONE, HOUR_MS, START_MS, hourlyJob, scene, sceneOn, type Scene } from "./schedule-scene.ts";

const MINUTE_MS = 60_000;
const NEVER = new AbortController().signal;
const pass = (here: Scene): Promise<number> => runDueOf(here.parts, "nightly", NEVER);
const startRun = (here: Scene, id: string, owner: string): void =>
  here.store.runs.start({
    id,
    workspace: "/srv/project",
    policyName: "unattended",
    policyDigest: "digest",
    policyFile: null,
    task: "t",
    model: "m",
    isUnattended: true,
    owner,
    startedAtMs: START_MS,
  });
/** A process of an earlier boot. */
const DEAD = "earlier-boot/pid:[1]/1/1";

/** A job whose run began and failed a minute ago, so that it is to be tried again. */
async function failedOnce(): Promise<Scene> {
  const here = scene(hourlyJob({ retries: 1 }));
  here.run = async ({ tick }) => {
    startRun(here, tick.run, DEAD);
    here.store.runs.end(tick.run, "failed", here.clock.nowMs());
    return { ...DONE, outcome: "failed", isRetryable: true };
  };
  here.clock.advance(HOUR_MS);
  await pass(here);
  here.clock.advance(60_000);
  return here;
}

describe("a job", () => {
  test("runs at its moment, once, and is recorded before and after", async () => {
    const here = scene(hourlyJob());
    expect(await pass(here)).toBe(0);
    here.clock.advance(HOUR_MS + 1000);
    expect(await pass(here)).toBe(1);
    expect(await pass(here)).toBe(0);
    expect(here.ran).toMatchObject([{ kind: "start", tick: { atMs: START_MS + HOUR_MS, attempt: 1 } }]);
    expect(here.store.schedule.lastTick("nightly")).toMatchObject({ state: "ended", outcome: "done", run: here.ran[0]?.tick.run });
    const moment = new Date(START_MS + HOUR_MS).toISOString();
    expect(tailAudit(here.parts.audit, { limit: 9, kind: "schedule-tick" }).map(({ payload }) => payload)).toMatchObject([
      { state: "started", moment },
      { state: "ended", moment, outcome: "done" },
    ]);
    expect(verifyAudit(here.parts.audit).isIntact).toBe(true);
  });

  test("does not begin while its last run goes on, in any process", async () => {
    const here = scene(hourlyJob());
    here.clock.advance(HOUR_MS);
    let finish = (): void => undefined;
    here.run = () => new Promise((resolve) => (finish = () => resolve(DONE)));
    const first = pass(here);
    here.clock.advance(HOUR_MS);
    expect(claimDue(here.parts, "nightly")).toBeNull();
    expect(claimNow(here.parts, "nightly")).toBeNull();
    here.run = async () => DONE;
    finish();
    expect(await first).toBe(2);
    expect(here.ran.map(({ tick }) => tick.atMs)).toEqual([START_MS + HOUR_MS, START_MS + 2 * HOUR_MS]);
  });

  test("is tried again when the model or the sandbox fails, later each time, and never more than was said", async () => {
    const here = scene(hourlyJob({ retries: 2 }));
    here.run = async () => ({ outcome: "failed", detail: "no engine", isRetryable: true, summary: null });
    here.clock.advance(HOUR_MS);
    await pass(here);
    expect(await pass(here)).toBe(0);
    here.clock.advance(60_000);
    await pass(here);
    here.clock.advance(60_000);
    expect(await pass(here)).toBe(0);
    here.clock.advance(60_000);
    await pass(here);
    expect(here.ran.map(({ tick }) => [tick.atMs, tick.attempt])).toEqual([1, 2, 3].map((attempt) => [START_MS + HOUR_MS, attempt]));
    expect(new Set(here.ran.map(({ tick }) => tick.run)).size).toBe(3);
    expect(here.store.schedule.lastTick("nightly")).toMatchObject({ state: "ended", outcome: "failed", attempt: 3, detail: "no engine" });
  });

  test("is tried again by going on with the run that failed, so that nothing is done twice", async () => {
    const here = await failedOnce();
    here.run = async () => DONE;
    await pass(here);
    expect(here.ran).toMatchObject([{ kind: "start" }, { kind: "resume", tick: { attempt: 2, run: here.ran[0]?.tick.run } }]);
  });

  test("that failed is not tried again when a person has gone on with it meanwhile", async () => {
    const here = await failedOnce();
    const run = here.ran[0]?.tick.run ?? "";
    here.store.runs.takeOver(run, { from: DEAD, isDead: true, to: ownerOfThisProcess(), policyDigest: "digest" });
    expect(await pass(here)).toBe(0);
    here.store.runs.end(run, "done", here.clock.nowMs());
    expect(await pass(here)).toBe(0);
    expect(here.store.schedule.lastTick("nightly")).toMatchObject({ state: "ended", outcome: "done", nextAtMs: null });
  });

  test.each(["denied", "budget", "limit", "cancelled"])("that ended as %s is not tried again", async (outcome) => {
    const here = scene(hourlyJob({ retries: 5 }));
    here.run = async () => ({ outcome, detail: null, isRetryable: false, summary: null });
    here.clock.advance(HOUR_MS);
    await pass(here);
    here.clock.advance(HOUR_MS / 2);
    expect(await pass(here)).toBe(0);
  });

  test("is interrupted at its deadline, and the history says so", async () => {
    const here = scene(hourlyJob({ deadlineMs: 20 }));
    here.clock.advance(HOUR_MS);
    here.run = async (_, signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { outcome: "cancelled", detail: null, isRetryable: false, summary: null };
    };
    await pass(here);
    expect(here.store.schedule.lastTick("nightly")).toMatchObject({ outcome: "deadline" });
  });

  test("does not run while the stop switch is engaged, and what was missed is dealt with afterwards", async () => {
    const here = scene(hourlyJob());
    here.isStopped = true;
    here.clock.advance(2 * HOUR_MS);
    expect(await pass(here)).toBe(0);
    here.isStopped = false;
    expect(await pass(here)).toBe(1);
    expect(here.store.schedule.ticks("nightly", 9)).toMatchObject([
      { atMs: START_MS + 2 * HOUR_MS, outcome: "done" },
      { atMs: START_MS + HOUR_MS, state: "missed" },
    ]);
  });

  test("whose policy says something else is held until a person confirms it", async () => {
    const here = scene(hourlyJob());
    here.policy = "changed";
    here.clock.advance(HOUR_MS);
    expect(await pass(here)).toBe(0);
    expect(await pass(here)).toBe(0);
    expect(here.store.schedule.job("nightly")?.heldBecause).toContain("says something else");
    expect(here.news).toMatchObject([{ kind: "held" }]);
    expect(claimNow(here.parts, "nightly")).toBeNull();
    here.policy = "digest";
    expect(await pass(here)).toBe(0);
    here.store.schedule.confirm("nightly", "digest", null);
    expect(await pass(here)).toBe(1);
  });

  test.each([["changed"], [null]])("whose file says something else (%s) is held, whatever its policy says", async (source) => {
    const here = scene(hourlyJob({ source: "/srv/schedules.yaml", sourceDigest: "as confirmed" }));
    here.source = "as confirmed";
    here.clock.advance(HOUR_MS);
    expect(await pass(here)).toBe(1);
    here.source = source;
    here.clock.advance(HOUR_MS);
    expect(await pass(here)).toBe(0);
    expect(here.store.schedule.job("nightly")?.heldBecause).toContain("/srv/schedules.yaml");
    expect(here.news.at(-1)).toMatchObject({ kind: "held" });
  });

  test("that its daemon interrupts goes on when the next is there, as often as that comes, and is not started anew", async () => {
    const here = scene(hourlyJob());
    here.clock.advance(HOUR_MS);
    const interrupted = (isBegun: boolean) => async (claim: { readonly tick: { readonly run: string } }, signal: AbortSignal) => {
      if (!isBegun) startRun(here, claim.tick.run, DEAD);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      here.store.runs.end(claim.tick.run, "cancelled", here.clock.nowMs());
      return { ...DONE, outcome: "cancelled" };
    };
    for (const isBegun of [false, true]) {
      const stop = new AbortController();
      here.run = interrupted(isBegun);
      const going = runDueOf(here.parts, "nightly", stop.signal);
      stop.abort();
      await going;
      const [run] = here.ran;
      here.store.runs.takeOver(run?.tick.run ?? "", { from: DEAD, isDead: true, to: DEAD, policyDigest: "digest" });
      here.store.runs.end(run?.tick.run ?? "", "cancelled", here.clock.nowMs());
    }
    here.run = async () => DONE;
    expect(await pass(here)).toBe(1);
    expect(here.ran).toMatchObject([{ kind: "start" }, { kind: "resume" }, { kind: "resume" }]);
    expect(new Set(here.ran.map(({ tick }) => `${tick.run} ${tick.attempt}`)).size).toBe(1);
  });

  test("that a person asked for and interrupts is over", async () => {
    const here = scene(hourlyJob());
    const stop = new AbortController();
    here.run = async (_, signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { ...DONE, outcome: "cancelled" };
    };
    const claim = claimNow(here.parts, "nightly");
    const going = runClaim(here.parts, claim as NonNullable<typeof claim>, stop.signal, false);
    stop.abort();
    await going;
    expect(here.store.schedule.lastTick("nightly")).toMatchObject({ state: "ended", outcome: "cancelled" });
  });

  test.each([
    ["all", [1, 2, 3]],
    ["once", [3]],
    ["skip", [3]],
  ] as const)("that a person asks for takes the moment that is due, and loses none of the others (%s)", async (catchUp, hours) => {
    const here = scene(hourlyJob({ catchUp, jitterMs: 30 * 60_000 }));
    here.clock.advance(3 * HOUR_MS + 60_000);
    const claim = claimNow(here.parts, "nightly");
    await runClaim(here.parts, claim as NonNullable<typeof claim>, new AbortController().signal, false);
    here.clock.advance(40 * 60_000);
    await pass(here);
    expect(here.ran.map(({ tick }) => (tick.atMs - START_MS) / HOUR_MS)).toEqual(hours);
    expect(claimNow(here.parts, "nightly")?.tick.atMs).toBe(here.clock.nowMs());
  });

  test("that is removed leaves no attempt to one of its name that is added later", async () => {
    const here = scene(hourlyJob({ retries: 3 }));
    here.run = async () => ({ ...DONE, outcome: "failed", isRetryable: true });
    here.clock.advance(HOUR_MS);
    expect(await pass(here)).toBe(1);
    here.store.schedule.removeJob("nightly");
    expect(here.store.schedule.lastTick("nightly")).toMatchObject({ state: "ended", outcome: "failed", nextAtMs: null });
    here.store.schedule.addJob(hourlyJob({ addedAtMs: here.clock.nowMs(), task: "something else" }));
    here.clock.advance(HOUR_MS / 2);
    expect(await pass(here)).toBe(0);
  });

  test("that is removed stops, and one of its name that is added later owes nothing of the past", async () => {
    const here = scene(hourlyJob());
    here.clock.advance(5 * HOUR_MS);
    here.store.schedule.removeJob("nightly");
    expect(await pass(here)).toBe(0);
    here.store.schedule.addJob(hourlyJob({ addedAtMs: here.clock.nowMs(), catchUp: "all" }));
    expect(await pass(here)).toBe(0);
  });
});

describe("a clock that jumps", () => {
  test("two hours back: what was run is not run again, and the job goes on behind it", async () => {
    const here = scene(hourlyJob());
    here.clock.advance(3 * HOUR_MS);
    await pass(here);
    here.clock.advance(-2 * HOUR_MS);
    for (let step = 0; step < 8; step += 1) {
      await pass(here);
      here.clock.advance(HOUR_MS / 2);
    }
    expect(here.ran.map(({ tick }) => tick.atMs)).toEqual([3, 4].map((hours) => START_MS + hours * HOUR_MS));
  });

  test("three years ahead, and back again: the job does not stand still until then", async () => {
    const here = scene(hourlyJob());
    const yearsMs = 3 * 365 * 24 * HOUR_MS;
    here.clock.advance(yearsMs);
    await pass(here);
    here.clock.advance(HOUR_MS - yearsMs);
    await pass(here);
    await pass(here);
    expect(here.ran.map(({ tick }) => tick.atMs)).toEqual([START_MS + yearsMs, START_MS + HOUR_MS]);
  });

  test("back before a job was added, by days: it runs at its next moment", async () => {
    const here = scene(hourlyJob({ addedAtMs: START_MS + 100 * 24 * HOUR_MS }));
    here.clock.advance(HOUR_MS - 1);
    expect(await pass(here)).toBe(0);
    here.clock.advance(1);
    expect(await pass(here)).toBe(1);
    expect(await pass(here)).toBe(0);
  });

  test("back while a run waits to be tried again: it is tried, and not in three years", async () => {
    const here = scene(hourlyJob({ retries: 1 }));
    const yearsMs = 3 * 365 * 24 * HOUR_MS;
    here.run = async () => ({ ...DONE, outcome: "failed", isRetryable: true });
    here.clock.advance(yearsMs);
    await pass(here);
    here.clock.advance(-yearsMs);
    await pass(here);
    expect(here.ran.map(({ tick }) => tick.attempt)).toEqual([1, 2]);
  });
});

test("two daemons on one state run each moment once", async () => {
  const one = scene(hourlyJob({ catchUp: "all" }));
  const other = sceneOn(one.store.paths.directory);
  const ran: string[] = [];
  const stop = new AbortController();
  const run = async ({ tick }: { readonly tick: { readonly atMs: number } }): Promise<typeof DONE> => {
    ran.push(new Date(tick.atMs).toISOString());
    await new Promise((resolve) => setImmediate(resolve));
    if (ran.length >= 40) stop.abort();
    return DONE;
  };
  const sleep = (here: Scene) => async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    here.clock.advance(HOUR_MS / 3);
  };
  await Promise.all([one, other].map((here) => runDaemon(Object.assign(here, { run }).parts, { signal: stop.signal, parallel: 2, sleep: sleep(here) })));
  expect(ran).toEqual([...new Set(ran)].toSorted());
  expect(ran.length).toBeGreaterThanOrEqual(40);
});

describe("a run of a process that died", () => {
  const claimed = (here: Scene, state: "claimed" | "parked" = "claimed"): void =>
    void here.store.schedule.addTick({
      job: "nightly",
      atMs: START_MS + HOUR_MS,
      attempt: 1,
      state,
      run: "run-1",
      owner: DEAD,
      startedAtMs: START_MS + HOUR_MS,
      endedAtMs: null,
      outcome: null,
      detail: null,
      nextAtMs: null,
    });

  test("that had not begun is started, under the name that it had", async () => {
    const here = scene(hourlyJob());
    claimed(here);
    here.clock.advance(HOUR_MS);
    expect(await pass(here)).toBe(1);
    expect(here.ran).toMatchObject([{ kind: "start", tick: { run: "run-1" } }]);
  });

  test("that had begun goes on, and is never started anew", async () => {
    const here = scene(hourlyJob());
    claimed(here);
    startRun(here, "run-1", DEAD);
    here.clock.advance(HOUR_MS);
    expect(await pass(here)).toBe(1);
    expect(here.ran).toMatchObject([{ kind: "resume", tick: { run: "run-1" } }]);
  });

  test("that a person goes on with by hand is left to them, and taken up again when their process died, too", async () => {
    const here = scene(hourlyJob());
    claimed(here);
    startRun(here, "run-1", ownerOfThisProcess());
    here.clock.advance(HOUR_MS);
    expect(await pass(here)).toBe(0);
    here.store.runs.takeOver("run-1", { from: ownerOfThisProcess(), isDead: true, to: DEAD, policyDigest: "digest" });
    expect(await pass(here)).toBe(1);
    expect(here.ran).toMatchObject([{ kind: "resume", tick: { run: "run-1" } }]);
  });

  test("that had ended is only noted, in the log, too, and told", async () => {
    const here = scene(hourlyJob());
    claimed(here);
    startRun(here, "run-1", DEAD);
    here.store.runs.end("run-1", "done", START_MS + HOUR_MS);
    here.clock.advance(HOUR_MS);
    expect(await pass(here)).toBe(0);
    expect(here.store.schedule.lastTick("nightly")).toMatchObject({ state: "ended", outcome: "done" });
    expect(tailAudit(here.parts.audit, { limit: 9, kind: "schedule-tick" }).map(({ payload }) => payload["state"])).toEqual(["ended"]);
    expect(here.news).toMatchObject([{ kind: "ended", run: "run-1", outcome: "done" }]);
  });

  test("two processes that find it at once: one takes it", () => {
    const here = scene(hourlyJob());
    claimed(here);
    here.clock.advance(HOUR_MS);
    expect(claimDue(here.parts, "nightly")).not.toBeNull();
    expect(claimDue(here.parts, "nightly")).toBeNull();
  });
});

describe("a run that waits for a person", () => {
  function parked(): Scene {
    const here = scene(hourlyJob());
    here.run = async ({ tick }) => {
      startRun(here, tick.run, DEAD);
      here.store.runs.park(tick.run, { owner: DEAD, approval: "approval-1", nowMs: here.clock.nowMs() });
      return { outcome: "parked", detail: null, isRetryable: false, summary: null };
    };
    here.store.approvals.add({
      id: "approval-1",
      run: "any",
      call: "call-1",
      workspace: null,
      tool: null,
      rulingDigest: "r",
      callDigest: "c",
      policyDigest: "digest",
      risk: "high",
      card: "{}",
      state: "pending",
      scope: null,
      needed: 1,
      approvers: "[]",
      answeredBy: null,
      message: null,
      askedAtMs: START_MS,
      expiresAtMs: START_MS + 100 * HOUR_MS,
      answeredAtMs: null,
    });
    here.clock.advance(HOUR_MS);
    return here;
  }

  test("keeps the job's other moments waiting, and goes on when it was answered", async () => {
    const here = parked();
    expect(await pass(here)).toBe(1);
    here.clock.advance(3 * HOUR_MS);
    expect(await pass(here)).toBe(0);
    here.store.approvals.answer({ id: "approval-1", state: "granted", scope: "once", by: "ann", message: null, nowMs: here.clock.nowMs() });
    here.run = async () => DONE;
    expect(await pass(here)).toBe(2);
    expect(here.ran.map(({ kind }) => kind)).toEqual(["start", "resume", "start"]);
    expect(here.ran[1]?.tick.run).toBe(here.ran[0]?.tick.run);
  });

  test("waits for nobody's word about another policy when its policy is what it was", async () => {
    const here = parked();
    await pass(here);
    const run = here.ran[0]?.tick.run ?? "";
    const card = exampleCard({ approvalId: "approval-0000000000bb", runId: run, tool: RESUME_TOOL, expiresAtMs: START_MS + 100 * HOUR_MS });
    requestApproval({ store: here.store, clock: here.clock }, card, "policy-x", "digest");
    here.store.runs.park(run, { owner: here.store.runs.byId(run)?.owner ?? "", approval: card.approvalId, nowMs: here.clock.nowMs() });
    here.run = async () => DONE;
    await pass(here);
    expect(here.ran.map(({ kind }) => kind)).toEqual(["start", "resume"]);
  });

  test("goes on when its question ran out", async () => {
    const here = parked();
    await pass(here);
    here.clock.advance(101 * HOUR_MS);
    here.run = async () => DONE;
    await pass(here);
    expect(here.ran[1]).toMatchObject({ kind: "resume" });
  });

  test("that a person went on with by hand, and whose process then died, goes on", async () => {
    const here = parked();
    await pass(here);
    const run = here.ran[0]?.tick.run ?? "";
    const taken = { from: DEAD, isDead: true, policyDigest: "digest" };
    here.store.runs.takeOver(run, { ...taken, to: ownerOfThisProcess() });
    here.run = async () => DONE;
    expect(await pass(here)).toBe(0);
    here.store.runs.takeOver(run, { ...taken, from: ownerOfThisProcess(), to: DEAD });
    expect(await pass(here)).toBe(1);
    expect(here.ran[1]).toMatchObject({ kind: "resume", tick: { run } });
  });

  test("that a person went on with by hand is noted", async () => {
    const here = parked();
    await pass(here);
    here.store.runs.end(here.ran[0]?.tick.run ?? "", "done", here.clock.nowMs());
    expect(await pass(here)).toBe(0);
    expect(here.store.schedule.lastTick("nightly")).toMatchObject({ state: "ended", outcome: "done" });
  });
});

describe("many jobs", () => {
  test("run side by side, at most as many as was said", async () => {
    const here = scene(...["a", "b", "c", "d"].map((name) => hourlyJob({ name })));
    here.clock.advance(HOUR_MS);
    let [now, most] = [0, 0];
    here.run = async () => {
      most = Math.max(most, (now += 1));
      await until("two run at once", () => most >= 2);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now -= 1;
      return DONE;
    };
    expect(await runDueOnce(here.parts, { signal: NEVER, parallel: 2 })).toBe(4);
    expect(most).toBe(2);
  });

  test("a daemon runs each as it becomes due, and ends with what it runs when it is interrupted", async () => {
    const here = scene(hourlyJob(), hourlyJob({ name: "half", cron: "30 * * * *" }));
    const stop = new AbortController();
    let rounds = 0;
    const sleep = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      here.clock.advance(HOUR_MS / 4);
      rounds += 1;
      if (rounds === 12) stop.abort();
    };
    await runDaemon(here.parts, { signal: stop.signal, parallel: 4, sleep });
    expect(here.ran.filter(({ job }) => job.name === "nightly").map(({ tick }) => tick.atMs)).toEqual([1, 2].map((hour) => START_MS + hour * HOUR_MS));
    expect(here.ran.filter(({ job }) => job.name === "half")).toHaveLength(3);
  });

  /** A daemon over jobs that are due each minute, until so many runs ended; each run takes two minutes. */
  const daemonOf = async (here: Scene, parallel: number, count: number): Promise<ReadonlyMap<string, number>> => {
    const stop = new AbortController();
    const ran = new Map<string, number>();
    let [ended, rounds] = [0, 0];
    here.run = async ({ job }) => {
      ran.set(job.name, (ran.get(job.name) ?? 0) + 1);
      await new Promise((resolve) => setImmediate(resolve));
      here.clock.advance(2 * MINUTE_MS);
      if ((ended += 1) === count) stop.abort();
      return DONE;
    };
    const sleep = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      here.clock.advance(MINUTE_MS / 12);
      if ((rounds += 1) === 1_000) stop.abort();
    };
    await runDaemon(here.parts, { signal: stop.signal, parallel, sleep });
    return ran;
  };
  const minutely = (name: string): Job => hourlyJob({ name, cron: "* * * * *" });

  test.each([1, 4])("idle ones keep none from a place: %i at once", async (parallel) => {
    const idle = Array.from({ length: 49 }, (_, index) => hourlyJob({ name: `a-${String(index)}`, cron: "0 0 1 1 *" }));
    const ran = await daemonOf(scene(...idle, minutely("z")), parallel, 3);
    expect([...ran]).toEqual([["z", 3]]);
  });

  test.each([1, 4])("that are always due take turns: %i at once", async (parallel) => {
    const names = Array.from({ length: 50 }, (_, index) => `job-${String(index).padStart(2, "0")}`);
    const ran = await daemonOf(scene(...names.map(minutely)), parallel, 100);
    expect([...ran.keys()].toSorted()).toEqual(names);
    for (const count of ran.values()) expect(Math.abs(count - 2)).toBeLessThanOrEqual(1);
  });

  test("take turns after a daemon was started anew, too", async () => {
    const here = scene(minutely("a"), minutely("b"), minutely("c"));
    const ran: string[] = [];
    for (let start = 0; start < 6; start += 1) {
      here.clock.advance(MINUTE_MS);
      ran.push(...(await daemonOf(here, 1, 1)).keys());
    }
    expect(ran).toEqual(["a", "b", "c", "a", "b", "c"]);
  });

  test("that are due at one time take turns where a crontab starts them: one that is always due keeps none from its turn", async () => {
    const here = scene(minutely("always"), hourlyJob({ name: "hourly" }));
    here.clock.advance(HOUR_MS);
    const stop = new AbortController();
    here.run = async ({ job }) => {
      here.clock.advance(2 * MINUTE_MS);
      if (job.name === "hourly" || here.ran.length > 9) stop.abort();
      return DONE;
    };
    await runDueOnce(here.parts, { signal: stop.signal, parallel: 1 });
    expect(here.ran.map(({ job }) => job.name)).toEqual(["always", "hourly"]);
  });

  test("a daemon ends when nothing can be recorded", async () => {
    const here = scene(hourlyJob());
    here.clock.advance(HOUR_MS);
    here.run = async () => {
      throw new Error("the disk is full");
    };
    await expect(runDaemon(here.parts, { signal: NEVER, parallel: 1, sleep: () => new Promise((resolve) => setImmediate(resolve)) })).rejects.toThrow(
      "the disk is full",
    );
  });
});
