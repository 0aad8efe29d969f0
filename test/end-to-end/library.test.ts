import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { callbackChannel, readContext, resumeRun, runTask, withReadySandboxes, type AgentEvent, type ApprovalCard } from "../../src/index.ts";
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
