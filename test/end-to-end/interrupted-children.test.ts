import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { childrenIn, recordsHere } from "../support/family-place.ts";
import type { AuditRecord } from "../../src/audit/entries/entry.ts";
import { untilWritten } from "../support/inside-run.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { place } from "../support/test-place.ts";
import { exitCodeOf, until } from "../support/until.ts";
import { type Place, startWarder, warder, writePolicy } from "../support/warder-cli.ts";

const script = (here: Place, child: string, tool = "agent"): string => {
  const path = join(here.root, "script.yaml");
  writeFileSync(
    path,
    `protocol: anthropic
turns:
  - say: "I delegate."
    calls: [{ tool: ${tool}, input: { task: "Child: make room." } }]
  - when: { result-contains: "Room is made." }
    say: "All done."
agents:
  - task-contains: "Child:"
    turns:
${child}
      - say: "Room is made."
`,
  );
  return `scripted:${path}`;
};

type Run = { id: string; state: string; parkedOn: string | null };
const runsOf = async (here: Place): Promise<Run[]> => (JSON.parse((await warder(here, ["runs", "--json"])).stdout) as { runs: Run[] }).runs;
const recordsOf = (here: Place): readonly AuditRecord[] => {
  vi.stubEnv("WARDER_HOME", here.state);
  return recordsHere();
};

async function answer(here: Place, approval: string, key: string): Promise<string> {
  const terminal = warderAtTerminal(here, ["approvals", "grant", approval]);
  const shown = await terminal.shows(/Allow\?/u);
  terminal.type(key);
  expect(await terminal.ended).toBe(0);
  return String(shown);
}

describeWithDocker("a sub-agent that is interrupted", () => {
  test("waits for a person with its parent, says who asks, and goes on with it", async () => {
    const here = place();
    writeFileSync(join(here.workspace, "old.txt"), "old");
    const policy = writePolicy(here, "nightly", "version: 1\nname: nightly\nextends: unattended\ncommands:\n  effects: { deletes: ask }\n");
    const child = '      - calls: [{ tool: write_file, input: { path: "new.txt", content: "new" } }, { tool: shell, input: { command: "rm old.txt" } }]';
    const parked = await warder(here, ["run", "--unattended", "--policy", policy, "--model", script(here, child), "Make room."]);
    expect(parked.exitCode).toBe(4);
    const [run] = await runsOf(here);
    expect(run?.state).toBe("parked");
    const [childId = ""] = childrenIn(recordsOf(here));
    expect((await runsOf(here)).map(({ id }) => id)).toEqual([run?.id]);
    const approval = run?.parkedOn ?? "";
    const shown = (await warder(here, ["approvals", "show", approval])).stdout;
    expect(shown).toContain(`Asked for by a sub-agent of ${run?.id ?? ""}, whose task is:`);
    expect(shown).toContain("Child: make room.");
    expect((await warder(here, ["inbox"])).stdout).toContain("a sub-agent of");
    expect(await warder(here, ["run", "--resume", childId])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`is a sub-agent of ${run?.id ?? ""}`),
    });
    expect(await warder(here, ["run", "--resume", run?.id ?? ""])).toMatchObject({ exitCode: 4 });
    await answer(here, approval, "o");
    const end = await warder(here, ["run", "--resume", run?.id ?? ""]);
    expect(end).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("All done.") });
    const records = recordsOf(here);
    expect(childrenIn(records)).toEqual([childId]);
    const count = (kind: string): number => records.filter((record) => record.run === childId && record.kind === kind).length;
    expect([count("approval-requested"), count("run-resumed"), count("run-end")]).toEqual([1, 1, 1]);
    const did = records.flatMap((record) => (record.run === childId && record.kind === "permit-spent" ? [record.payload["does"]] : []));
    expect(did.filter((does) => does !== "read-file")).toEqual(["write-file", "exec"]);
    expect((await warder(here, ["changes", "list", run?.id ?? ""])).stdout).toMatch(/added\s+new\.txt[\s\S]*deleted\s+old\.txt/u);
    expect((await warder(here, ["audit", "verify"])).stdout).not.toContain("the log stops here");
  });

  test("is killed with its parent in the middle of a command: nothing is done twice, and both are told", async () => {
    const here = place();
    const child = `      - calls: [{ tool: shell, input: { command: "echo one >> count.txt" } }]
      - calls: [{ tool: shell, input: { command: "echo two >> count.txt; while [ $(wc -l < count.txt) = 2 ]; do sleep 0.2; done" } }]
      - when: { result-contains: "It was NOT done again" }
        calls: [{ tool: shell, input: { command: "cat count.txt" } }]`;
    const model = script(here, child);
    const running = startWarder(here, ["run", "--unattended", "--policy", "unattended", "--model", model, "Make room."]);
    await untilWritten(here, "count.txt", "one\ntwo\n");
    running.kill("SIGKILL");
    await exitCodeOf(running);
    const [run] = await runsOf(here);
    expect(run?.state).toBe("killed");
    const end = await warder(here, ["run", "--resume", run?.id ?? ""]);
    expect(end).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("All done.") });
    const records = recordsOf(here);
    const [childId = "", ...others] = childrenIn(records);
    expect(others).toEqual([]);
    const ran = records.filter((record) => record.run === childId && record.kind === "permit-spent");
    expect(ran).toHaveLength(3);
    const last = records.findLast((record) => record.run === childId && record.kind === "outcome");
    expect(JSON.stringify(last?.payload["result"])).toMatch(/one\\ntwo\\n/u);
    const told = records.findLast((record) => record.run === run?.id && record.kind === "outcome");
    expect(JSON.stringify(told?.payload["result"])).toContain("It was interrupted in between");
    expect(existsSync(join(here.workspace, "count.txt"))).toBe(false);
  });

  test("is killed in an overlay of its own: it goes on with what it had changed there, hands it over, and leaves nothing", async () => {
    const here = place();
    const child = `      - calls: [{ tool: shell, input: { command: "echo one >> count.txt" } }]
      - calls: [{ tool: shell, input: { command: "echo two >> count.txt; while [ ! -e never ]; do sleep 0.2; done" } }]`;
    const running = startWarder(here, ["run", "--unattended", "--policy", "unattended", "--model", script(here, child, "agent_apart"), "Make room."]);
    await until("the second command goes on", () => recordsOf(here).filter(({ kind }) => kind === "permit-spent").length === 2);
    running.kill("SIGKILL");
    await new Promise((resolve) => running.on("close", resolve));
    const [run] = await runsOf(here);
    const end = await warder(here, ["run", "--resume", run?.id ?? ""]);
    expect(end).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("All done.") });
    const records = recordsOf(here);
    const [childId = "none", ...others] = childrenIn(records);
    expect(others).toEqual([]);
    const told = records.findLast((record) => record.run === run?.id && record.kind === "outcome");
    expect(JSON.stringify(told?.payload["result"])).toMatch(/It was interrupted in between[^]*added count\.txt \((?:4|8) bytes\)/u);
    expect(existsSync(join(here.state, "runs", childId))).toBe(false);
    expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(childId);
  });
});
