import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { answerApproval } from "../../src/approvals/approval.ts";
import { withRecords } from "../../src/app/records/records.ts";
import { resumeRun } from "../../src/app/run/resume.ts";
import { sha256 } from "../../src/base/digest.ts";
import { readStory } from "../../src/app/story/story.ts";
import { forkRun } from "../../src/app/turns/fork.ts";
import { rewindRun } from "../../src/app/turns/rewind.ts";
import { brokenPairs } from "../support/agent-run.ts";
import { agentsInProcess, called, delegated, type Heard, type Parts, resultsOf } from "../support/agents-in-process.ts";
import { describeWithDocker } from "../support/docker.ts";
import { childrenIn, familyPlace, PRICE, recordsHere, rulingsOf } from "../support/family-place.ts";
import type { SaidTurn } from "../support/model-in-process.ts";
import { openState } from "../support/open-state.ts";
import { place, script } from "../support/test-place.ts";
import { until } from "../support/until.ts";
import { startWarder, warder } from "../support/warder-cli.ts";

const docker = (...argv: readonly string[]): string => spawnSync("docker", argv, { encoding: "utf8" }).stdout.trim();

/** Its result is longer than old results are shown. */
const long: SaidTurn = { calls: [called("shell", { command: "seq 1 20000 | tee one.txt" }, "call_1")] };
const written = (path: string): SaidTurn => ({ calls: [called("write_file", { path, content: path }, "call_1")] });

/** Goes on with a run as it was started, in this process. */
async function goOn(run: string, parts: Parts): Promise<{ readonly heard: readonly Heard[]; readonly ending: string }> {
  const { provider, heard } = agentsInProcess(parts);
  const end = await resumeRun(run, { model: { provider, price: PRICE }, signal: new AbortController().signal, emit: () => null });
  return { heard, ending: end.kind === "ran" ? end.result.end.kind : end.kind };
}

describeWithDocker("a run that was taken back", () => {
  test("whose model says the ids of calls again is answered, recorded and resumed by the calls that hold, and so is a fork", async () => {
    const here = familyPlace();
    writeFileSync(join(here.workspace, "old.txt"), "old");
    const parts = {
      "Main.": [long, delegated("Child: first.", {}, "call_2")],
      "Child: first.": [written("first.txt"), { text: "First." }],
    };
    const { runId: run } = await here.play(parts, { policy: "commands: { effects: { deletes: ask } }\n" });
    expect(await rewindRun(run, 1)).toEqual({ run, from: 3, to: 1, workspace: "as-then" });

    const again: Parts = {
      "Main.": [written("none.txt"), delegated("Child: second.", {}, "call_2")],
      "Child: second.": [written("second.txt"), { calls: [called("shell", { command: "rm old.txt" }, "call_1")] }, { text: "Second." }],
    };
    expect((await goOn(run, again)).ending).toBe("parked");
    const question = recordsHere().findLast(({ kind }) => kind === "approval-requested")?.payload["approval"];
    withRecords(({ approvals }) => answerApproval(approvals, String(question), { kind: "granted", scope: "once", by: "ann" }));
    const { heard, ending } = await goOn(run, again);
    expect(ending).toBe("done");

    // Its model has one answer for each call, and none of what was taken back.
    const results = resultsOf(heard, "Main.");
    expect(results).toHaveLength(2);
    expect(results[1]).toMatch(/sub-agent run-\S+: done.*\nSecond\.$/u);
    expect(brokenPairs(heard.findLast(({ task }) => task === "Main.")?.request.messages ?? [])).toEqual([]);
    // The sub-agent of the call that was taken back is not the one of the call that holds, which went on as it was.
    const records = recordsHere();
    const [first = "", second = "", ...more] = childrenIn(records);
    expect(more).toEqual([]);
    expect(rulingsOf(records, first)).toEqual([expect.stringMatching(/^write_file allow/u)]);
    const did = records.flatMap(({ kind, run: of, payload }) => (kind === "permit-spent" && of === second ? [payload["does"]] : []));
    expect(did.filter((does) => does !== "read-file")).toEqual(["write-file", "exec"]);
    const calls = records.flatMap(({ kind, run: of, payload }) => (kind === "outcome" && of === run ? [payload["call"]] : []));
    expect(calls).toEqual(["call_1", "call_2", expect.stringMatching(/^call-/u)]);
    const told = (await readStory(run, null)).turns.map(({ standing, calls: of }) => [standing, of[0]?.result.split("\n").at(-1)]);
    expect(told).toEqual([
      ["holds", expect.any(String)],
      ["taken-back", "First."],
      ["taken-back", undefined],
      ["holds", "Second."],
      ["holds", undefined],
    ]);

    // A fork's second call is its own, whatever the other run did under that name.
    const fork = await forkRun(run, { turn: 1, isUnattended: true });
    const artifact = sha256("call_1").slice(0, 16);
    const [read, artifacts] = [called("read_file", { path: ".env" }, "call_2"), called("read_artifact", { artifact, from: 100_000 }, "call_3")];
    const inFork = await goOn(fork, { "Main.": [written("none.txt"), { calls: [read, artifacts] }] });
    // What was too long to be shown is there for its model, too.
    expect(resultsOf(inFork.heard, "Main.").at(-1)).toMatch(/: bytes 100000 to \d+ of \d+\n[^]*\n20000\n/u);
    const story = await readStory(fork, null);
    expect(story.turns.flatMap(({ calls: of }) => of.map(({ tool, verdict, outcome }) => [tool, verdict, outcome]))).toEqual([
      ["shell", "allow", "completed"],
      ["read_file", "deny", ""],
      ["read_artifact", "allow", expect.any(String)],
    ]);
    const [later] = (await readStory(await forkRun(fork, { turn: 2, isUnattended: true }), null)).turns;
    expect(later?.calls).toMatchObject([{ tool: "shell", verdict: "allow", outcome: "completed" }]);
  });

  test("ends the job that a killed Warder left, and two processes at once take it back one after the other, or one is told", async () => {
    const here = place();
    const model = script(
      here,
      `protocol: anthropic
turns:
  - calls: [{ tool: shell, input: { command: "echo one > a.txt" } }]
  - calls: [{ tool: start_job, input: { command: "while :; do echo more >> a.txt; sleep 0.02; done" } }]
  - calls: [{ tool: shell, input: { command: "tail -f /dev/null" } }]
`,
    );
    const going = startWarder(here, ["run", "--unattended", "--policy", "unattended", "--model", model, "Make it."]);
    await until("the last command begins", () => openState(here).permits("tail -f") > 0);
    const [run = ""] = readdirSync(join(here.state, "runs"));
    // Frozen, as jobs are while Warder decides about a call; what it asked of the engine last may still be done meanwhile.
    going.kill("SIGSTOP");
    const containers = docker("ps", "--quiet", "--filter", `label=warder.run=${run}`).split("\n");
    for (let looks = 0; looks < 3; looks += 1) {
      await until(
        "all of it is frozen",
        () =>
          docker("ps", "--quiet", "--filter", `label=warder.run=${run}`, "--filter", "status=paused").split("\n").length === containers.length ||
          docker("pause", ...containers) === "never",
      );
      await sleep(50);
    }
    going.kill("SIGKILL");
    const ends = await Promise.all([1, 2].map(() => warder(here, ["runs", "rewind", run, "--to", "1"])));
    const done = ends.filter(({ exitCode }) => exitCode === 0);
    expect(done[0]?.stdout, ends.map(({ stderr }) => stderr).join("")).toContain(`${run} went back from turn`);
    // The other one comes behind it, or is told.
    const told = ends.filter((end) => !done.includes(end)).map(({ exitCode, stderr }) => `${String(exitCode)} ${stderr}`);
    expect(told.filter((text) => !/^2 .*(works with .* now: try again|taken up by another process)/u.test(text))).toEqual([]);
    expect(docker("ps", "--all", "--quiet", "--filter", `label=warder.run=${run}`)).toBe("");
    const { stdout: now } = await warder(here, ["changes", "diff", run]);
    expect(now).toContain("+one");
    expect(now).not.toContain("more");
  });
});
