import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { dockerRuntime } from "../../src/sandbox/docker.ts";
import type { ActionResult, JobState } from "../../src/sandbox/outcome.ts";
import type { JobEnd, OpenOptions, SandboxAction, Session } from "../../src/sandbox/runtime.ts";
import { mountsBelow } from "../contract/runtime.ts";
import { makeFixture, perform, profileOf, type ProfileChanges, run, type SandboxFixture } from "../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../support/docker.ts";
import { until } from "../support/until.ts";

const MEMORY = 240 * 1024 * 1024;

describeWithDocker("a job", () => {
  let fixture: SandboxFixture;
  let ends: JobEnd[];
  let session: Session | null;
  beforeEach(() => {
    fixture = makeFixture({ "a.txt": "alpha\n" });
    ends = [];
    session = null;
  });
  afterEach(async () => {
    await session?.close();
    fixture.remove();
  });

  async function open(options: Partial<OpenOptions> = {}, changes: ProfileChanges = { settings: { memoryBytes: MEMORY } }): Promise<Session> {
    session = await dockerRuntime({ dockerHost: process.env["DOCKER_HOST"] }).open(profileOf(fixture, changes), {
      runId: fixture.runId,
      runDirectory: fixture.runDirectory,
      onJobEnd: (end) => void ends.push(end),
      ...options,
    });
    return session;
  }

  async function result<Kind extends ActionResult["kind"]>(of: Session, kind: Kind, action: SandboxAction): Promise<Extract<ActionResult, { kind: Kind }>> {
    const outcome = await perform(of, action);
    if (outcome.kind !== "completed" || outcome.result.kind !== kind) throw new Error(JSON.stringify(outcome));
    return outcome.result as Extract<ActionResult, { kind: Kind }>;
  }
  const starting = (text: string): SandboxAction => ({
    kind: "start-job",
    argv: ["/bin/bash", "-c", text],
    cwd: fixture.workspace,
    env: {},
    timeoutMs: 200_000,
  });
  const start = async (of: Session, text: string): Promise<string> => (await result(of, "job", starting(text))).job.id;
  const read = (of: Session, job: string, from?: number) =>
    result(of, "job-output", { kind: "read-job", job, maxCharacters: 1000, waitMs: 200_000, ...(from === undefined ? {} : { from }) });
  const containers = (): number =>
    execFileSync("docker", ["ps", "--all", "--quiet", "--filter", `label=warder.run=${fixture.runId}`], { encoding: "utf8" }).split("\n").length - 1;

  test("goes on between actions on the same workspace, and its output is read piece by piece", async () => {
    const on = await open();
    const job = await start(on, "cat a.txt; until [ -e go ]; do sleep 0.05; done; echo two >&2; echo made > made; exit 3");
    expect(await read(on, job)).toMatchObject({ text: "alpha\n", from: 0, next: 6, job: { ending: null } });
    expect(await run(on, "touch go; cat a.txt")).toMatchObject({ out: "alpha\n" });
    expect(await read(on, job)).toMatchObject({ text: "two\n", from: 6, next: 10 });
    expect(await read(on, job)).toMatchObject({ text: "", job: { ending: { outcome: "completed", exitCode: 3 } } });
    expect(await read(on, job, 4)).toMatchObject({ text: "a\ntwo\n" });
    expect(await run(on, "cat made")).toMatchObject({ out: "made\n" });
    expect(ends).toMatchObject([{ job, outcome: "completed", exitCode: 3, written: 10 }]);
    expect((await on.changes()).map(({ path }) => path)).toEqual(["go", "made"]);
    expect(containers()).toBe(1);
  });

  /** Reads until it has ended. */
  async function endOf(on: Session, job: string): Promise<JobState["ending"]> {
    for (;;) {
      const { ending } = (await read(on, job)).job;
      if (ending !== null) return ending;
    }
  }

  test("that is being started ends with its session", async () => {
    const on = await open();
    const started = perform(on, starting("sleep 1000"));
    await until("the job's container is there", () => containers() > 1);
    await on.close();
    expect(containers()).toBe(0);
    expect(ends).toHaveLength(1);
    await started;
  });

  test("that fails is told as ended, and one that cannot start as failed", async () => {
    const on = await open();
    expect(await endOf(on, await start(on, "exit 7"))).toMatchObject({ outcome: "completed", exitCode: 7 });
    const nowhere = await result(on, "job", { ...starting("true"), cwd: "/no/such" } as SandboxAction);
    expect(await endOf(on, nowhere.job.id)).toMatchObject({ outcome: "failed" });
    expect((await result(on, "jobs", { kind: "list-jobs" })).jobs).toHaveLength(2);
    expect(await perform(on, { kind: "stop-job", job: "job-unknown" })).toMatchObject({ kind: "failed", code: "no-such-job" });
  });

  test("stands still while another action is carried out, and goes on afterwards", async () => {
    const on = await open();
    await start(on, "while :; do date +%s%N > new; mv new tick; sleep 0.01; done");
    const merged = join(fixture.runDirectory, "workspace", "merged", "tick");
    await until("the job's first tick", () => existsSync(merged));
    const during = await run(on, "cat tick; sleep 0.5; cat tick");
    const [before, after] = during.out.trim().split("\n");
    expect(before).toMatch(/^\d+$/u);
    expect(after).toBe(before);
    await until("the job's next tick", () => readFileSync(merged, "utf8").trim() !== before);
    const [one, other] = await on.still(async () => {
      const first = readFileSync(merged, "utf8");
      await sleep(300);
      return [first, readFileSync(merged, "utf8")];
    });
    expect(other).toBe(one);
  });

  test("is stopped with everything that it started", async () => {
    const on = await open();
    const job = await start(on, "setsid sleep 1000 & trap '' TERM; echo started; while :; do sleep 1; done");
    await read(on, job);
    expect(await result(on, "job", { kind: "stop-job", job })).toMatchObject({ job: { ending: { outcome: "cancelled" } } });
    expect(containers()).toBe(1);
    expect(ends).toMatchObject([{ job, outcome: "cancelled" }]);
    expect(await read(on, job, 0)).toMatchObject({ text: "started\n" });
  });

  test("shares the policy's memory and processes with what runs beside it, two at most", async () => {
    const on = await open();
    const script =
      'first() { for f; do [ -r "$f" ] && cat "$f" && return; done; }; first /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes';
    const limit = async (): Promise<number> => Number((await run(on, script)).out);
    expect(await limit()).toBe(MEMORY);
    const first = await start(on, "read -r < <(sleep 1000)");
    expect(await limit()).toBe(MEMORY / 2);
    const second = await start(on, `${script}; sleep 1000`);
    expect((await read(on, second)).text).toBe(`${String(MEMORY / 3)}\n`);
    expect(await limit()).toBe(MEMORY / 3);
    expect(await perform(on, starting("true"))).toMatchObject({ kind: "failed", code: "too-many-jobs" });
    await perform(on, { kind: "stop-job", job: first });
    await perform(on, { kind: "stop-job", job: second });
    expect(await limit()).toBe(MEMORY);
  });

  test("is not started where its part of the memory is in use", async () => {
    const on = await open();
    await run(on, "head -c 110000000 /dev/zero > /tmp/full");
    expect(await perform(on, starting("true"))).toMatchObject({ kind: "failed", code: "no-room-for-job" });
    expect(await run(on, "rm /tmp/full; echo alive")).toMatchObject({ out: "alive\n" });
    expect(containers()).toBe(1);
  });

  test("ends with the session, and leaves nothing", async () => {
    const on = await open();
    await start(on, "sleep 1000");
    await start(on, "sleep 1000");
    await on.close();
    expect(ends.map(({ outcome }) => outcome)).toEqual(["cancelled", "cancelled"]);
    expect(containers()).toBe(0);
    expect(mountsBelow(fixture.folder)).toEqual([]);
  });

  test("ends when it may not go on", async () => {
    let may = true;
    const on = await open({ mayGoOn: () => may });
    const job = await start(on, "sleep 1000");
    may = false;
    expect(await read(on, job)).toMatchObject({ job: { ending: { outcome: "cancelled" } } });
  });

  test("whose end cannot be recorded stops the run", async () => {
    const on = await open({
      onJobEnd: () => {
        throw new Error("the log is full");
      },
    });
    await start(on, "true");
    const refusal = (): Promise<string> => run(on, "echo on").then(({ out }) => out, String);
    await expect.poll(refusal).toContain("the log is full");
    await expect(on.close()).rejects.toThrow("the log is full");
    expect(containers()).toBe(0);
    session = null;
  });

  test("shows no secret, keeps the end of much output, and has the time that it was given", async () => {
    const on = await open({ hidden: new Map([["TOKEN", "correct-horse-battery"]]) });
    const job = await start(on, "echo correct-horse; echo correct-horse-battery");
    expect((await read(on, job, 0)).text).not.toContain("battery");
    const loud = await start(on, "yes | head -c 4000000; echo; echo end");
    let last = await read(on, loud);
    while (last.job.ending === null) last = await read(on, loud, last.job.written);
    expect(await read(on, loud, last.job.written - 7)).toMatchObject({ job: { written: 4_000_005 }, text: "y\n\nend\n" });
    expect((await read(on, loud, 0)).from).toBeGreaterThan(3_000_000);
    const brief = await result(on, "job", { ...starting("sleep 1000"), timeoutMs: 300 } as SandboxAction);
    expect(await read(on, brief.job.id)).toMatchObject({ job: { ending: { outcome: "timed-out" } } });
  });
});
