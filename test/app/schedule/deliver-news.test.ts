import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { deliverAll } from "../../../src/app/schedule/deliver-news.ts";
import { notifierDigest } from "../../../src/app/jobs/notifier.ts";
import { removeJob } from "../../../src/app/jobs/job-changes.ts";
import { tailAudit } from "../../../src/audit/log/read.ts";
import { claimDue } from "../../../src/schedule/claim.ts";
import { runClaim } from "../../../src/schedule/runner.ts";
import { HOUR_MS, hourlyJob, scene, type Scene } from "../../schedule/schedule-scene.ts";
import { runDueOf } from "../../support/run-due.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const { signal } = new AbortController();

/** A job that ended and whose process told nobody; `deliver` is what the next process does. */
async function untold(notify: (root: string) => string) {
  const root = temporaryDirectory();
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  const place = notify(root);
  const here: Scene = scene(hourlyJob({ notify: place, notifyDigest: notifierDigest(place), workspace }));
  here.clock.advance(HOUR_MS);
  expect(await runDueOf(here.parts, "nightly", signal)).toBe(1);
  const { store, clock } = here;
  const said: string[] = [];
  const deliver = async (): Promise<void> => await deliverAll({ ...here.parts, approvals: { store, clock } }, { signal, say: (line) => void said.push(line) });
  const states = (): unknown[] =>
    tailAudit(here.parts.audit, { limit: 50, kind: "schedule-told" }).map(({ payload }) => [payload["state"], payload["attempts"]]);
  return { ...here, root, workspace, said, deliver, states };
}

/** A program that notes what it is told; `then` follows in its text. */
function hookIn(root: string, then = ""): string {
  writeFileSync(join(root, "hook"), `#!/bin/sh\ncat >> ${root}/told${then.replace("cat code", `cat ${root}/code`)}\n`, { mode: 0o755 });
  return `command:${join(root, "hook")}`;
}

const linesOf = (path: string): readonly Record<string, unknown>[] =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : [];

describe("the end of a job's run", () => {
  test("is told by the next process where the one that ended it died before it did, and once", async () => {
    const here = await untold((root) => `file:${join(root, "told")}`);
    expect(linesOf(join(here.root, "told"))).toEqual([]);
    await here.deliver();
    await here.deliver();
    expect(linesOf(join(here.root, "told"))).toMatchObject([
      { id: expect.stringMatching(/^message-/u) as string, job: "nightly", kind: "ended", outcome: "done", run: here.ran[0]?.tick.run },
    ]);
    expect(here.states()).toEqual([["delivered", 1]]);
  });

  test("is told again, under the same id, when the program that is told failed", async () => {
    const here = await untold((root) => hookIn(root, "; exit $(cat code)"));
    const write = (exitCode: number): void => writeFileSync(join(here.root, "code"), String(exitCode));
    write(7);
    await here.deliver();
    await here.deliver();
    expect(here.said).toEqual([expect.stringMatching(/^nightly: command:.* could not be told \(.*exit code 7.*\); it is tried again later$/u)]);
    write(0);
    here.clock.advance(2_000);
    await here.deliver();
    const lines = linesOf(join(here.root, "told"));
    expect(lines).toHaveLength(2);
    expect(lines[1]).toEqual(lines[0]);
    expect(here.states()).toEqual([["delivered", 2]]);
  });

  test("is told by no program that says something else than when a person confirmed it, until they confirm it again", async () => {
    const here = await untold((root) => hookIn(root));
    const hook = join(here.root, "hook");
    writeFileSync(hook, `#!/bin/sh\ntouch ${here.root}/hacked\n`);
    await here.deliver();
    expect(existsSync(join(here.root, "hacked"))).toBe(false);
    expect(here.said).toEqual([expect.stringContaining("says something else than when a person confirmed it")]);
    here.store.schedule.confirm("nightly", "digest", notifierDigest(`command:${hook}`));
    here.clock.advance(2_000);
    await here.deliver();
    expect(existsSync(join(here.root, "hacked"))).toBe(true);
  });

  test("is told by a program that runs in no directory of the agent's, and finds none there", async () => {
    const here = await untold((root) => hookIn(root, `; pwd > ${root}/where; planted; true`));
    const { workspace } = here;
    writeFileSync(join(workspace, "planted"), `#!/bin/sh\ntouch ${here.root}/hacked\n`, { mode: 0o755 });
    vi.stubEnv("PATH", `${workspace}:${process.env["PATH"] ?? ""}`);
    await here.deliver();
    expect(readFileSync(join(here.root, "where"), "utf8")).toBe("/\n");
    expect(existsSync(join(here.root, "hacked"))).toBe(false);
  });

  test("is told of a job that was removed meanwhile", async () => {
    const here = await untold((root) => `file:${join(root, "told")}`);
    here.store.schedule.removeJob("nightly");
    await here.deliver();
    expect(linesOf(join(here.root, "told"))).toMatchObject([{ job: "nightly", outcome: "done" }]);
  });

  test("is not told where the agent may write, and not tried there again", async () => {
    const here = await untold((root) => `file:${join(root, "workspace", "told")}`);
    await here.deliver();
    await here.deliver();
    expect(linesOf(join(here.root, "workspace", "told"))).toEqual([]);
    expect(here.said).toEqual([expect.stringContaining("it lies where the agent may write")]);
    expect(here.states()).toEqual([["failed", 1]]);
  });

  test("is told when the place that could not be written can be", async () => {
    const here = await untold((root) => `file:${join(root, "away", "told")}`);
    await here.deliver();
    mkdirSync(join(here.root, "away"));
    here.clock.advance(2_000);
    await here.deliver();
    expect(linesOf(join(here.root, "away", "told"))).toHaveLength(1);
    rmSync(join(here.root, "away"), { recursive: true });
  });
});

test("a job that is held is told of by the next process, too", async () => {
  const root = temporaryDirectory();
  const here = scene(hourlyJob({ notify: `file:${join(root, "told")}`, workspace: join(root, "workspace") }));
  here.policy = "another";
  expect(await runDueOf(here.parts, "nightly", signal)).toBe(0);
  const { store, clock } = here;
  await deliverAll({ ...here.parts, approvals: { store, clock } }, { signal, say: () => undefined });
  expect(linesOf(join(root, "told"))).toMatchObject([{ job: "nightly", kind: "held", because: expect.stringContaining("policy") as string }]);
});

test("a job that is removed while its run waits for a person: the run is named, and whoever is told hears of it", async () => {
  const root = temporaryDirectory();
  const here = scene(hourlyJob({ notify: `file:${join(root, "told")}`, workspace: join(root, "workspace") }));
  here.clock.advance(HOUR_MS);
  here.run = async () => ({ outcome: "parked", detail: null, isRetryable: false, summary: null });
  const claim = claimDue(here.parts, "nightly");
  if (claim === null) throw new Error("nothing is due");
  await runClaim(here.parts, claim, signal, true);
  const { store, clock } = here;
  const records = { ...here.parts, approvals: { store, clock } };
  const job = store.schedule.job("nightly");
  if (job === null) throw new Error("no job");
  const run = here.ran[0]?.tick.run;
  expect(removeJob(records, job, "ann")).toEqual([run]);
  await deliverAll(records, { signal, say: () => undefined });
  expect(linesOf(join(root, "told")).at(-1)).toMatchObject({ job: "nightly", kind: "removed", run, by: "ann" });
});

test("a key in what is told is taken out", async () => {
  const root = temporaryDirectory();
  const key = `sk-${"a1".repeat(20)}`;
  const here = scene(hourlyJob({ notify: `file:${join(root, "told")}`, workspace: join(root, "workspace"), task: `use ${key}` }));
  here.clock.advance(HOUR_MS);
  here.run = async ({ job }) => ({ outcome: "done", detail: null, isRetryable: false, summary: { task: job.task, done: [{ what: `echo ${key}` }] } });
  await runDueOf(here.parts, "nightly", signal);
  const { store, clock } = here;
  await deliverAll({ ...here.parts, approvals: { store, clock } }, { signal, say: () => undefined });
  expect(linesOf(join(root, "told"))).toMatchObject([{ summary: { task: "use [redacted: model key]" } }]);
  expect(readFileSync(join(root, "told"), "utf8")).not.toContain(key);
});
