import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { place } from "../support/test-place.ts";
import { OPENED, type Place, warder, writePolicy } from "../support/warder-cli.ts";

const SCRIPT = `protocol: anthropic
turns:
  - calls: [{ tool: shell, input: { command: "echo one" } }]
  - calls: [{ tool: shell, input: { command: "echo two" } }]
  - calls: [{ tool: shell, input: { command: "echo three" } }]
  - calls: [{ tool: shell, input: { command: "echo four" } }]
  - say: "Done."
`;

type Row = { readonly of: string; readonly limit: string; readonly used: number; readonly left: number; readonly freesAt: string | null };

async function rowsOf(here: Place, policy: string): Promise<readonly Row[]> {
  const { stdout } = await warder(here, ["budgets", "--policy", policy, "--json"]);
  return (JSON.parse(stdout) as { budgets: Row[] }).budgets;
}

test("a model without a price does not start under a limit of cost, and says what to do", async () => {
  const here = place();
  const policy = writePolicy(here, "dear", "version: 1\nname: dear\nextends: unattended\n");
  const environment = { OPENAI_API_KEY: "not-a-key", WARDER_PRICE: "" };
  const argv = ["run", "--unattended", "--policy", policy, "--model", "openai:house-model", "Go."];
  const refused = await warder(here, argv, { environment });
  expect(refused.exitCode).toBe(78);
  expect(refused.stderr).toContain("the price of openai:house-model is not known, which counts as too much");
  expect(refused.stderr).toContain(join(here.state, "prices.yaml"));
  expect(await rowsOf(here, policy)).toContainEqual(expect.objectContaining({ limit: "limits.cost of unattended", used: 0, left: 5 }));
  writeFileSync(join(here.state, "prices.yaml"), "openai:house-model: { input: 1, output: free }\n");
  const unreadable = await warder(here, argv, { environment });
  expect(unreadable).toMatchObject({ exitCode: 78, stderr: expect.stringContaining("prices.yaml:1: openai:house-model.output must be a number") });
});

describeWithDocker("a limit of calls", () => {
  test("ends the run with exit code 5, holds when it is resumed, and is shown with what it leaves", async () => {
    const here = place();
    const script = join(here.root, "script.yaml");
    writeFileSync(script, SCRIPT);
    const policy = writePolicy(here, "few", "version: 1\nname: few\nextends: unattended\nlimits: { calls: { max: 5, per: 1d }, run: { calls: 2 } }\n");
    const spent = await warder(here, ["run", "--unattended", "--policy", policy, "--model", `scripted:${script}`, "Count."]);
    expect(spent).toMatchObject({ exitCode: 5, stderr: expect.stringMatching(OPENED) });
    const { runs } = JSON.parse((await warder(here, ["runs", "--json"])).stdout) as { runs: { id: string; state: string }[] };
    expect(runs).toMatchObject([{ state: "budget" }]);
    const again = await warder(here, ["run", "--resume", runs[0]?.id ?? ""]);
    expect(again).toMatchObject({ exitCode: 5, stderr: expect.stringMatching(OPENED) });
    const calls = (await rowsOf(here, policy)).filter(({ limit }) => limit === "limits.calls of few");
    expect(calls).toEqual([expect.objectContaining({ used: 2, left: 3, freesAt: expect.any(String) })]);
    const text = await warder(here, ["budgets", "--policy", policy]);
    expect(text.stdout).toMatch(/█{9}░{15} {2}40% {2}limits\.calls of few: 2 of 5 calls in 1d, 3 left; more at /u);
    const log = await warder(here, ["audit", "tail", "--limit", "100"]);
    expect(log.stdout).toContain("Denied by rule budget-calls: limits.run.calls of few is used up.");
  });
});
