import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createAgent, type AgentEvent, type AgentSpec, type Price } from "../../src/index.ts";
import type { AuditRecord } from "../../src/audit/entries/entry.ts";
import { tailAudit } from "../../src/audit/log/read.ts";
import { withRecords } from "../../src/app/records/records.ts";
import { agentsInProcess, called, delegated, type Heard, type Parts, resultsOf } from "../support/agents-in-process.ts";
import { describeWithDocker } from "../support/docker.ts";
import { makePlace } from "../support/warder-cli.ts";

type Played = {
  readonly runId: string;
  readonly end: { readonly kind: string; readonly turns: number; readonly text: string; readonly reason: string };
  readonly heard: readonly Heard[];
  readonly events: readonly AgentEvent[];
  readonly records: readonly AuditRecord[];
};

const PRICE: Price = { inputUsd: 10, cachedUsd: 10, outputUsd: 0 };
const POLICY = "version: 1\nname: own\nextends: unattended\n";

describeWithDocker("a sub-agent", () => {
  let here: ReturnType<typeof makePlace>;
  beforeEach(() => {
    here = makePlace();
    onTestFinished(() => here.remove());
    vi.stubEnv("HOME", here.home);
    vi.stubEnv("WARDER_HOME", here.state);
  });

  async function play(
    parts: Parts,
    change: { readonly policy?: string; readonly spec?: Partial<AgentSpec>; readonly signal?: AbortSignal } = {},
  ): Promise<Played> {
    const policy = join(here.root, "own.yaml");
    writeFileSync(policy, change.policy ?? POLICY);
    const { provider, heard } = agentsInProcess(parts);
    const agent = createAgent({ policy, model: { provider, price: PRICE }, workspace: here.workspace, ...change.spec });
    const run = agent.run("Main.", change.signal === undefined ? {} : { signal: change.signal });
    const events: AgentEvent[] = [];
    for await (const event of run) events.push(event);
    const { end } = await run.result;
    const records = withRecords(({ audit }) => tailAudit(audit, { limit: 10_000 }));
    return { runId: run.id, end, heard, events, records };
  }

  test("works on a task with an empty conversation, in the workspace of its parent, and gives back the last that it says", async () => {
    const { end, heard, events, records, runId } = await play({
      "Main.": [
        { calls: [called("write_file", { path: "note.txt", content: "blue" })] },
        delegated("Child: say what note.txt holds."),
        { text: "It is blue." },
      ],
      "Child:": [{ calls: [called("shell", { command: "cat note.txt; echo seen > answer.txt" })] }, { text: "note.txt holds blue." }],
    });
    expect([end.kind, end.text]).toEqual(["done", "It is blue."]);
    const [, result = ""] = resultsOf(heard, "Main.");
    expect(result).toMatch(/^\[untrusted output\]\nsub-agent run-\S+: done\nnote\.txt holds blue\.$/u);
    const first = heard.find(({ task }) => task.startsWith("Child:"));
    expect(first?.request.messages).toHaveLength(1);
    expect(first?.request.system).toContain("You are a sub-agent");
    expect(resultsOf(heard, "Child:")[0]).toContain("blue");
    // Its records stand under its own name, its start says whose it is, and its events are nested in its parent's.
    const start = records.find(({ kind, payload }) => kind === "run-start" && payload["parent"] === runId);
    const childId = start?.run ?? "";
    expect(result).toContain(childId);
    expect(records.filter(({ run }) => run === childId).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["run-start", "call", "ruling", "permit-spent", "outcome", "run-end"]),
    );
    const nested = events.filter((event) => event.kind === "child-event");
    expect(nested.every((event) => event.runId === runId && event.callId === "call-agent" && event.event.runId === childId)).toBe(true);
    expect(nested.map(({ event }) => event.kind)).toEqual(expect.arrayContaining(["run-start", "ruling", "tool-start", "tool-end", "run-end"]));
    // What it took counts for its parent.
    expect(end.turns).toBe(5);
    expect(events.find((event) => event.kind === "tool-end" && event.tool === "agent")).toMatchObject({ childRunId: childId });
  });
});
