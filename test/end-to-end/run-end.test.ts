import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { tailAudit } from "../../src/audit/log/read.ts";
import { systemClock } from "../../src/base/clock.ts";
import { readContext, resumeRun, runTask, type AgentEvent } from "../../src/index.ts";
import { workspacePaths } from "../../src/sandbox/workspace/record.ts";
import { openStore } from "../../src/store/store.ts";
import { describeWithDocker } from "../support/docker.ts";
import { makePlace } from "../support/warder-cli.ts";

const SCRIPT = `protocol: anthropic
turns:
  - calls: [{ tool: shell, input: { command: "echo hello > made" } }]
  - say: "Made."
`;

describeWithDocker("the end of a run", () => {
  let here: ReturnType<typeof makePlace>;
  beforeEach(() => {
    const made = makePlace();
    here = made;
    onTestFinished(() => {
      made.remove();
    });
    vi.stubEnv("WARDER_HOME", here.state);
    writeFileSync(join(here.root, "script.yaml"), SCRIPT);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  /** A run during which something becomes of its state, once its call has ended. */
  const runWith = (meanwhile: (runId: string) => void) => {
    const emit = (event: AgentEvent): void => {
      if (event.kind === "tool-end") meanwhile(event.runId);
    };
    const options = { task: "Make it.", model: `scripted:${join(here.root, "script.yaml")}`, isUnattended: true, signal: new AbortController().signal, emit };
    return runTask(readContext("unattended", here.workspace), options);
  };
  const stateAfter = () => {
    const store = openStore(here.state);
    const ends = tailAudit({ store, clock: systemClock }, { kind: "run-end", limit: 10 }).map(({ payload }) => payload);
    const [row] = store.runs.list(1);
    store.close();
    return { row, ends };
  };

  test("is recorded where its sandbox cannot be closed", async () => {
    const garble = (runId: string): void => writeFileSync(workspacePaths(join(here.state, "runs", runId)).record, "garbled");
    await expect(runWith(garble)).rejects.toThrow("is not a workspace record");
    const { row, ends } = stateAfter();
    expect(ends).toMatchObject([{ ending: "failed", detail: expect.stringContaining("is not a workspace record") }]);
    expect(row).toMatchObject({ ending: "failed" });
  });

  test("is in the log and in the list of runs, or in neither", async () => {
    const refuse = (): void => {
      const database = new Database(join(here.state, "warder.db"));
      database.exec("CREATE TRIGGER no_end BEFORE UPDATE OF ended_at ON runs BEGIN SELECT RAISE(ABORT, 'no end'); END");
      database.close();
    };
    await expect(runWith(refuse)).rejects.toThrow("no end");
    const { row, ends } = stateAfter();
    expect([row?.endedAtMs, ends]).toEqual([null, []]);
    await expect(resumeRun(row?.id ?? "", { signal: new AbortController().signal, emit: () => null })).rejects.toThrow("is going on now");
  });
});
