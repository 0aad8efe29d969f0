import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { withRecords } from "../../src/app/records/records.ts";
import { tailAudit } from "../../src/audit/log/read.ts";
import { callbackChannel, readContext, resumeRun, runTask, withReadySandboxes, type AgentEvent, type ApprovalCard, type Hook } from "../../src/index.ts";
import { describeWithDocker } from "../support/docker.ts";
import { makePlace } from "../support/warder-cli.ts";

const SCRIPT = `protocol: anthropic
turns:
  - calls: [{ tool: shell, input: { command: "touch made" } }]
  - say: "Made."
`;

describeWithDocker("an embedding program", () => {
  beforeEach(() => {
    const here = makePlace();
    onTestFinished(() => {
      here.remove();
    });
    vi.stubEnv("WARDER_HOME", here.state);
    vi.stubEnv("WARDER_TEST_ROOT", here.root);
    writeFileSync(join(here.root, "script.yaml"), SCRIPT);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test("answers questions with a function of its own", async () => {
    const root = process.env["WARDER_TEST_ROOT"] ?? "";
    const cards: ApprovalCard[] = [];
    const channel = callbackChannel("test", (card) => {
      cards.push(card);
      return { kind: "granted", scope: "once", by: "ann@program" };
    });
    const options = {
      task: "Make it.",
      model: `scripted:${join(root, "script.yaml")}`,
      isUnattended: true,
      channels: [channel],
      signal: new AbortController().signal,
      emit: () => null,
    };
    const { end, runId } = await runTask(readContext("supervised", join(root, "workspace")), options);
    expect(end.kind).toBe("done");
    expect(cards.map((card) => card.commands)).toEqual([["touch made"]]);
    expect(existsSync(join(root, "workspace", "made"))).toBe(true);
    await expect(resumeRun(runId, { signal: options.signal, emit: () => null })).rejects.toThrow("is over (done)");
  });

  test("has its hooks asked at the turning points of a run, and before anything of the run is taken up for a further task", async () => {
    const root = process.env["WARDER_TEST_ROOT"] ?? "";
    const script = `${SCRIPT}  - say: "Looked again."\n`;
    writeFileSync(join(root, "script.yaml"), script);
    const events: AgentEvent[] = [];
    const heard: string[] = [];
    const hooks: readonly Hook[] = [
      {
        name: "house",
        onPrompt: ({ text }) => {
          heard.push(text);
          return text.includes("secret") ? { block: "It names a secret." } : undefined;
        },
        onStop: ({ putOff }) => (putOff === 0 ? { continue: "look again with sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789" } : undefined),
      },
    ];
    const { signal } = new AbortController();
    const emit = (event: AgentEvent): void => void events.push(event);
    const options = { task: "Make it.", model: `scripted:${join(root, "script.yaml")}`, isUnattended: true, hooks, signal, emit };
    const { end, runId } = await runTask(readContext("unattended", join(root, "workspace")), options);
    expect(end).toMatchObject({ kind: "done", turns: 3, text: "Looked again." });

    await expect(resumeRun(runId, { signal, emit, hooks, task: "Now the secret plan." })).rejects.toThrow(
      "The task was not taken: hook house: It names a secret.",
    );
    expect(heard).toEqual(["Make it.", "Now the secret plan."]);
    const log = withRecords(({ audit }) => tailAudit(audit, { run: runId, limit: 1_000 }));
    const did = log.flatMap(({ kind, payload }) => (kind === "run-hook" ? [[payload["point"], payload["did"], payload["detail"]]] : []));
    expect(did).toEqual([
      ["stop", "continued", expect.stringMatching(/^look again with /u)],
      ["prompt", "blocked", "It names a secret."],
    ]);
    expect(JSON.stringify([log, events])).not.toContain("sk-ant-api03-abc");
    expect(events.flatMap((event) => (event.kind === "run-hook" ? [event.point] : []))).toEqual(["stop", "prompt"]);
    expect(log.some(({ kind }) => kind === "run-resumed")).toBe(false);
    // It is over, and can be asked for something else.
    await expect(resumeRun(runId, { signal, emit })).rejects.toThrow("is over (done)");
  });

  test("has the next run's sandbox ready while it says that more will come", async () => {
    const root = process.env["WARDER_TEST_ROOT"] ?? "";
    const own: string[] = [];
    const go = async (): Promise<void> => {
      const emit = (event: AgentEvent): void => {
        if (event.kind === "tool-start")
          own.push(execFileSync("docker", ["ps", "--quiet", "--filter", `label=warder.run=${event.runId}`], { encoding: "utf8" }));
      };
      const options = { task: "Make it.", model: `scripted:${join(root, "script.yaml")}`, isUnattended: true, signal: new AbortController().signal, emit };
      expect((await runTask(readContext("unattended", join(root, "workspace")), options)).end.kind).toBe("done");
    };
    await withReadySandboxes(async () => {
      await go();
      await go();
    });
    const started = expect.stringMatching(/^[0-9a-f]+\n$/u);
    // Who is not root cannot show a workspace in one that runs already.
    expect(own).toEqual([started, process.getuid?.() === 0 ? "" : started]);
    expect(readdirSync(join(root, "state", "pool"))).toEqual([]);
  });
});
