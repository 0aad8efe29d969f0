import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ActionResult, JobState } from "../../src/sandbox/outcome.ts";
import type { JobEnd, OpenOptions, SandboxAction, Session } from "../../src/sandbox/runtime.ts";
import { once, until } from "../support/until.ts";
import { mountsBelow, type RuntimeUnderTest } from "./runtime.ts";
import { IS_ELSEWHERE, makeFixture, OWN_UID, perform, profileOf, type ProfileChanges, run, type SandboxFixture } from "./sandbox-fixture.ts";

const MEMORY = 240 * 1024 * 1024;
const PROCESSES = 60;

export type JobsUnderTest = RuntimeUnderTest & {
  /** The first process of each sandbox of a run, as this machine counts them. */
  readonly lanes: (runId: string) => readonly number[];
};

const IS_UNIFIED = existsSync("/sys/fs/cgroup/cgroup.controllers");

/** What a file says of the control groups that a process is in, its own first, as this machine shows them. */
function ofGroups(pid: number, controller: string, file: string): readonly string[] {
  const lines = readFileSync(`/proc/${String(pid)}/cgroup`, "utf8")
    .trim()
    .split("\n");
  const line = lines.find((each) => (IS_UNIFIED ? each.startsWith("0::") : each.split(":")[1]?.split(",").includes(controller)));
  const names = (line?.split(":")[2] ?? "/").split("/").slice(1);
  return names
    .map((_name, up) => join("/sys/fs/cgroup", IS_UNIFIED ? "" : controller, ...names.slice(0, names.length - up), file))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, "utf8").trim());
}

/** What the kernel holds a process to, told from outside. */
function heldTo(pid: number): { readonly memory: number; readonly processes: number; readonly cpus: number } {
  const told = (controller: string, file: string): string => ofGroups(pid, controller, file).find((text) => !text.startsWith("max")) ?? "nothing";
  const [quota, period] = IS_UNIFIED ? told("cpu", "cpu.max").split(" ") : [told("cpu", "cpu.cfs_quota_us"), told("cpu", "cpu.cfs_period_us")];
  return {
    memory: Number(told("memory", IS_UNIFIED ? "memory.max" : "memory.limit_in_bytes")),
    processes: Number(told("pids", "pids.max")),
    cpus: Math.round((Number(quota) / Number(period)) * 1000) / 1000,
  };
}

const isStanding = (pid: number): boolean =>
  IS_UNIFIED
    ? ofGroups(pid, "freezer", "cgroup.events").some((text) => text.includes("frozen 1"))
    : ofGroups(pid, "freezer", "freezer.state").some((text) => text === "FROZEN");

/** How every runtime that can keep a job beside commands keeps it. */
export function jobsContract(under: JobsUnderTest): void {
  describe("a job", () => {
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

    async function open(
      options: Partial<OpenOptions> = {},
      changes: ProfileChanges = { settings: { memoryBytes: MEMORY, processes: PROCESSES } },
    ): Promise<Session> {
      session = await under.make().open(profileOf(fixture, changes), {
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
    const lanes = (): number => under.lanes(fixture.runId).length;

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
      expect(lanes()).toBe(1);
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
      await until("the job's sandbox is there", () => lanes() > 1);
      await on.close();
      expect(under.leftovers(fixture.runId)).toEqual([]);
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

    // Who is not root sees nothing of what runs on an engine elsewhere.
    test.skipIf(IS_ELSEWHERE && OWN_UID !== 0)("stands still while another action is carried out, and goes on afterwards", async () => {
      const on = await open();
      const [first] = under.lanes(fixture.runId);
      await start(on, "while :; do date +%s%N > new; mv new tick; sleep 0.01; done");
      // As the first sandbox shows it (an engine elsewhere runs on this kernel, too, in these tests); who is not root looks into the layer that it writes.
      const seen =
        OWN_UID === 0 || IS_ELSEWHERE
          ? join("/proc", String(first), "root", fixture.workspace, "tick")
          : join(fixture.runDirectory, "workspace/layers/upper/tick");
      await until("the job's first tick", () => existsSync(seen));
      const during = await run(on, "cat tick; sleep 0.5; cat tick");
      const [before, after] = during.out.trim().split("\n");
      expect(before).toMatch(/^\d+$/u);
      expect(after).toBe(before);
      await until("the job's next tick", () => readFileSync(seen, "utf8").trim() !== before);
      const [one, other] = await on.still(async () => {
        const first = readFileSync(seen, "utf8");
        await sleep(300);
        return [first, readFileSync(seen, "utf8")];
      });
      expect(other).toBe(one);
    });

    test("is stopped with everything that it started", async () => {
      const on = await open();
      const job = await start(on, "setsid sleep 1000 & trap '' TERM; echo started; while :; do sleep 1; done");
      await read(on, job);
      expect(await result(on, "job", { kind: "stop-job", job })).toMatchObject({ job: { ending: { outcome: "cancelled" } } });
      expect(lanes()).toBe(1);
      expect(ends).toMatchObject([{ job, outcome: "cancelled" }]);
      expect(await read(on, job, 0)).toMatchObject({ text: "started\n" });
    });

    test("shares the policy's memory, processes and CPUs with what runs beside it, two at most", async () => {
      const on = await open();
      const held = () => under.lanes(fixture.runId).map(heldTo);
      const parts = (count: number) =>
        Array.from({ length: count }, () => ({ memory: MEMORY / count, processes: PROCESSES / count, cpus: Math.round(1000 / count) / 1000 }));
      expect(held()).toEqual(parts(1));
      const first = await start(on, "read -r < <(sleep 1000)");
      expect(held()).toEqual(parts(2));
      const second = await start(on, "echo second; sleep 1000");
      expect((await read(on, second)).text).toBe("second\n");
      expect(held()).toEqual(parts(3));
      expect(await perform(on, starting("true"))).toMatchObject({ kind: "failed", code: "too-many-jobs" });
      await perform(on, { kind: "stop-job", job: first });
      await perform(on, { kind: "stop-job", job: second });
      expect(held()).toEqual(parts(1));
    });

    test("is not started where its part of the memory is in use", async () => {
      const on = await open();
      await run(on, "head -c 110000000 /dev/zero > /tmp/full");
      expect(await perform(on, starting("true"))).toMatchObject({ kind: "failed", code: "no-room-for-job" });
      expect(await run(on, "rm /tmp/full; echo alive")).toMatchObject({ out: "alive\n" });
      expect(lanes()).toBe(1);
    });

    test("ends with the session, and leaves nothing", async () => {
      const on = await open();
      await start(on, "sleep 1000");
      await start(on, "sleep 1000");
      await on.close();
      expect(ends.map(({ outcome }) => outcome)).toEqual(["cancelled", "cancelled"]);
      expect(under.leftovers(fixture.runId)).toEqual([]);
      expect(mountsBelow(fixture.folder)).toEqual([]);
    });

    test("that stands still is ended by the next start when its owner was killed", async () => {
      const script = fileURLToPath(new URL("sandbox-owner.ts", import.meta.url));
      const owner = spawn(process.execPath, [script, under.make().name, JSON.stringify({ fixture, job: "echo job; sleep 1000" })], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [line] = (await once(owner.stdout, "data")) as [Buffer];
      expect(line.toString()).toBe("running\n");
      const jobs = under.lanes(fixture.runId).filter(isStanding);
      expect(jobs).toHaveLength(1);
      owner.kill("SIGKILL");
      await once(owner, "exit");
      // A start of another test's may have ended that already.
      await until("nothing but what stands still is left", () => under.lanes(fixture.runId).every((lane) => jobs.includes(lane)));
      await until("nothing of it is left", async () => {
        await under.make().reap(fixture.state);
        return under.leftovers(fixture.runId).length === 0;
      });
      expect(mountsBelow(fixture.folder)).toEqual([]);
      // It may wait for its parent to see that it has ended.
      const stat = `/proc/${String(jobs[0])}/stat`;
      expect(existsSync(stat) ? readFileSync(stat, "utf8") : ") Z ").toMatch(/\) [ZX] /u);
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
      expect(under.leftovers(fixture.runId)).toEqual([]);
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
}
