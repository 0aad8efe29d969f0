import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ApprovalAnswer } from "../../../src/approvals/card.ts";
import { listGrants, revokeGrant } from "../../../src/approvals/grant.ts";
import { createGate } from "../../../src/gate/create-gate.ts";
import type { CallEnd } from "../../../src/gate/gate.ts";
import type { GateParts } from "../../../src/gate/gate-parts.ts";
import type { Job } from "../../../src/schedule/job.ts";
import { hourlyJob } from "../../schedule/schedule-scene.ts";
import { policyText, scene, type Scene } from "../gate-scene.ts";

const FOR_THE_JOB: ApprovalAnswer = { kind: "granted", scope: "pattern", by: "ann@test", period: { kind: "job" } };
const JOB = hourlyJob();
const COMMAND = "node check.js";

type JobScene = Scene & {
  /** Another run of the job, with a gate of its own; how often it asks. */
  readonly anotherRun: (change?: Partial<GateParts>, job?: Job) => AnotherRun;
  readonly grants: () => ReturnType<typeof listGrants>;
};
type AnotherRun = (command?: string) => Promise<{ readonly kind: CallEnd["kind"]; readonly asked: number }>;

/** A run of a job whose person says the same to each question; its command runs a file. */
function jobScene(answer: () => ApprovalAnswer = () => FOR_THE_JOB, policy = policyText()): JobScene {
  const scenery = scene({ answer, policy, change: () => ({ job: JOB.name }) });
  const { store, workspace, cards, parts } = scenery;
  store.schedule.addJob(JOB);
  const start = (id: string, { name, task, model }: Job): void => {
    const { policy: own, clock } = parts;
    const row = { workspace, policyName: own.name, policyDigest: own.digest, policyFile: null, isUnattended: true, owner: "1:1", startedAtMs: clock.nowMs() };
    store.exclusively(() => store.runs.start({ ...row, id, task, model, job: name }));
  };
  start(parts.runId, JOB);
  writeFileSync(join(workspace, "check.js"), "1;");
  let runs = 1;
  return {
    ...scenery,
    grants: () => listGrants({ store, clock: parts.clock }),
    anotherRun: (change = {}, job = JOB) => {
      runs += 1;
      const runId = `run-${String(runs)}`;
      start(runId, job);
      const gate = createGate({ ...parts, runId, job: job.name, ...change });
      let calls = 0;
      return async (command = COMMAND) => {
        calls += 1;
        const before = cards.length;
        const call = { id: `call-${String(calls)}`, name: "shell", input: { command } };
        const { kind } = await gate.runToolCall(call, { signal: new AbortController().signal, emit: () => null });
        return { kind, asked: cards.length - before };
      };
    },
  };
}

describe("a yes for each run of a job", () => {
  test("is offered on the card, holds in each further run for exactly this call, and is counted and recorded", async () => {
    const scenery = jobScene();
    expect((await scenery.call("shell", { command: COMMAND })).kind).toBe("executed");
    expect(scenery.cards[0]?.job).toMatchObject({ name: "nightly", effects: ["runs-code"] });
    const second = scenery.anotherRun();
    expect([await second(), await second(), await scenery.anotherRun()()]).toEqual(Array.from({ length: 3 }, () => ({ kind: "executed", asked: 0 })));
    expect(await second("node check.js --fix")).toEqual({ kind: "executed", asked: 1 });
    expect(scenery.grants().map(({ pattern, uses, job, state }) => [pattern, uses, job?.name, state])).toContainEqual([COMMAND, 3, "nightly", "standing"]);
    expect(scenery.records("grant-added").map(({ payload }) => payload["pattern"])).toContain(COMMAND);
  });

  test.each<readonly [what: string, change: (scenery: JobScene) => AnotherRun]>([
    [
      "a file that the command runs was changed",
      (scenery) => {
        writeFileSync(join(scenery.workspace, "check.js"), "2;");
        return scenery.anotherRun();
      },
    ],
    [
      "a file that it could load was made",
      (scenery) => {
        writeFileSync(join(scenery.workspace, "helper.js"), "1;");
        return scenery.anotherRun();
      },
    ],
    [
      "the job was given another task",
      (scenery) => {
        const now = { ...JOB, task: "publish" };
        scenery.store.schedule.replaceJob(now);
        return scenery.anotherRun({}, now);
      },
    ],
    [
      "the job was confirmed under another policy",
      (scenery) => {
        scenery.store.schedule.confirm(JOB.name, "other", null);
        return scenery.anotherRun();
      },
    ],
    [
      "the job was removed",
      (scenery) => {
        scenery.store.schedule.removeJob(JOB.name);
        return scenery.anotherRun();
      },
    ],
    [
      "the job was removed and added again",
      (scenery) => {
        scenery.store.schedule.removeJob(JOB.name);
        const now = { ...JOB, addedAtMs: JOB.addedAtMs + 1 };
        scenery.store.schedule.addJob(now);
        return scenery.anotherRun({}, now);
      },
    ],
    [
      "it is another job, of the same words",
      (scenery) => {
        const other = { ...JOB, name: "weekly" };
        scenery.store.schedule.addJob(other);
        return scenery.anotherRun({}, other);
      },
    ],
    ["the policy says something else", (scenery) => scenery.anotherRun({ policy: { ...scenery.parts.policy, digest: "other" } })],
    ["the run is of no job", (scenery) => scenery.anotherRun({ job: null })],
    ["it is a sub-agent of a run", (scenery) => scenery.anotherRun({ ancestors: [scenery.parts.runId] })],
    ["the run was begun for another task", (scenery) => scenery.anotherRun({}, { ...JOB, task: "what the job said before" })],
    [
      "the job is held",
      (scenery) => {
        scenery.store.schedule.hold(JOB.name, "its policy says something else");
        return scenery.anotherRun();
      },
    ],
  ])("does not hold where %s", async (_, change) => {
    const scenery = jobScene();
    await scenery.call("shell", { command: COMMAND });
    expect(scenery.grants().map(({ state }) => state)).toEqual(["standing"]);
    expect((await change(scenery)()).asked).toBe(1);
  });

  test("ends at once where it is revoked while a run is at work", async () => {
    const scenery = jobScene();
    await scenery.call("shell", { command: COMMAND });
    const run = scenery.anotherRun();
    expect(await run()).toEqual({ kind: "executed", asked: 0 });
    const [grant] = scenery.grants();
    expect(revokeGrant({ store: scenery.store, clock: scenery.clock }, grant?.id ?? "", "bob")).toBe(true);
    expect((await run()).asked).toBe(1);
  });

  test("ends at once where the job is changed while a run is at work, and is listed as over", async () => {
    const scenery = jobScene();
    await scenery.call("shell", { command: COMMAND });
    const run = scenery.anotherRun();
    expect(await run()).toEqual({ kind: "executed", asked: 0 });
    scenery.store.schedule.replaceJob({ ...JOB, cron: "30 * * * *" });
    expect((await run()).asked).toBe(1);
    expect(scenery.grants().at(-1)?.state).toBe("expired");
  });

  test("is this call's alone where the job was changed before the answer came", async () => {
    const scenery: JobScene = jobScene(() => {
      scenery.store.schedule.replaceJob({ ...JOB, cron: "30 * * * *" });
      return FOR_THE_JOB;
    });
    expect((await scenery.call("shell", { command: COMMAND })).kind).toBe("executed");
    expect(scenery.grants()).toEqual([]);
  });

  test.each<readonly [what: string, command: string, policy: string]>([
    ["what is high risk", "no-such-program", policyText()],
    ["what a rule of the policy asks about", COMMAND, `${policyText()}commands: { rules: [{ id: look, ask: "node **", because: "We look." }] }\n`],
    ["what an effect of the policy asks about", COMMAND, `${policyText()}commands: { effects: { runs-code: ask } }\n`],
    ["what wants a code", COMMAND, `${policyText()}approvals: { codes: [runs-code] }\n`],
  ])("is not to be had for %s, and a forged one grants nothing", async (_, command, policy) => {
    const scenery = jobScene(() => FOR_THE_JOB, policy);
    await scenery.call("shell", { command });
    expect(scenery.cards.map(({ job }) => job)).toEqual([undefined]);
    expect(scenery.grants()).toEqual([]);
  });
});
