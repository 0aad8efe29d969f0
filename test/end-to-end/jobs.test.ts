import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { makePlace, warder } from "../support/warder-cli.ts";

const SCRIPT = `protocol: anthropic
turns:
  - calls: [{ tool: start_job, input: { command: "echo hi > made; echo printed; sleep 1000" } }]
  - when: { result-contains: "running" }
    calls: [{ tool: list_jobs, input: {} }, { tool: shell, input: { command: "until [ -s made ]; do :; done & wait; echo seen" } }]
  - when: { result-contains: "sleep 1000" }
    say: "It goes on."
`;

describeWithDocker("a job of a run", () => {
  test("ends with the run, which says so in the log and keeps its changes", async () => {
    const here = makePlace();
    onTestFinished(() => {
      here.remove();
    });
    writeFileSync(join(here.root, "script.yaml"), SCRIPT);
    const end = await warder(here, ["run", "--unattended", "--json", "--model", `scripted:${join(here.root, "script.yaml")}`, "Go."]);
    expect(end).toMatchObject({ exitCode: 0, stderr: "" });
    const { runId } = JSON.parse(end.stdout.split("\n")[0] ?? "") as { runId: string };
    const lines = (await warder(here, ["audit", "export"])).stdout.split("\n").filter(Boolean);
    const records = lines.map((line) => JSON.parse(line) as { readonly kind: string });
    const kinds = records.map(({ kind }) => kind);
    expect(records.find(({ kind }) => kind === "background-job-ended")).toMatchObject({ outcome: "cancelled", written: 8 });
    expect(kinds.indexOf("background-job-ended")).toBeLessThan(kinds.indexOf("sandbox-closed"));
    expect((await warder(here, ["changes", "list", runId])).stdout).toContain("made");
    expect(execFileSync("docker", ["ps", "--all", "--quiet", "--filter", `label=warder.run=${runId}`], { encoding: "utf8" })).toBe("");
  });
});
