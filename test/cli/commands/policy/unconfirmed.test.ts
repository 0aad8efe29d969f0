import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadForReview } from "../../../../src/config/policy/load.ts";
import { readContext } from "../../../../src/app/setup/context.ts";
import { place } from "../../../support/test-place.ts";
import { type Place, warder } from "../../../support/warder-cli.ts";

/** A project with a policy in it that nobody confirmed, and its suite. */
function project(): Place {
  const here = place();
  writeFileSync(join(here.workspace, "own.yaml"), "version: 1\nname: own\nextends: unattended\n");
  writeFileSync(join(here.workspace, "own.test.yaml"), "cases:\n  - { command: ls, decision: allow }\n");
  return here;
}

const SCRIPTED = `scripted:${new URL("../../../../examples/start/fix.yaml", import.meta.url).pathname}`;
const SAID = "not confirmed: nobody has confirmed own.yaml. Before a run takes it: warder policy trust own.yaml";

describe("a policy in the workspace that nobody confirmed", () => {
  test.each([
    ["policy check", ["policy", "check", "own.yaml"]],
    ["policy test", ["policy", "test", "own.yaml"]],
    ["policy test in the workspace", ["policy", "test", "own.yaml", "--workspace", "."]],
    ["policy explain", ["policy", "explain", "ls", "--policy", "own.yaml"]],
  ])("%s reads it, runs nothing, and says so", async (_what, argv) => {
    const end = await warder(project(), argv);
    expect(end).toMatchObject({ exitCode: 0, stderr: "" });
    expect(end.stdout.split("\n").filter((line) => line.startsWith("not confirmed"))).toEqual([SAID]);
  });

  test("policy effective prints it as a policy, and says so beside", async () => {
    const here = project();
    const { exitCode, stdout, stderr } = await warder(here, ["policy", "effective", "own.yaml"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: `${SAID}\n` });
    expect(stdout).toMatch(/^autonomy: full +# policies\/unattended\.yaml:\d+$/mu);
    const lean = join(here.workspace, "lean.yaml");
    writeFileSync(lean, stdout);
    expect(await warder(here, ["policy", "check", "lean.yaml"])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("own: full autonomy") });
  });

  test("is named in JSON", async () => {
    const here = project();
    for (const argv of [
      ["policy", "test", "own.yaml", "--workspace", ".", "--json"],
      ["policy", "explain", "ls", "--policy", "own.yaml", "--json"],
      ["policy", "effective", "own.yaml", "--json"],
    ])
      expect(JSON.parse((await warder(here, argv)).stdout)).toMatchObject({ unconfirmed: ["own.yaml"] });
  });

  test.each([
    ["exec", ["exec", "--policy", "own.yaml", "--", "ls"]],
    ["run", ["run", "--policy", "own.yaml", "--model", SCRIPTED, "task"]],
    ["check, whose answer a program acts on", ["check", "--policy", "own.yaml", "ls"]],
    ["check of many", ["check", "--policy", "own.yaml", "--jsonl"]],
  ])("is none for %s", async (_what, argv) => {
    expect(await warder(project(), argv)).toMatchObject({ exitCode: 78, stdout: "", stderr: expect.stringContaining("nobody has confirmed this text") });
  });

  test("begins no run, however a program came by it", () => {
    const { workspace } = project();
    const { loaded } = loadForReview(join(workspace, "own.yaml"), { workspace });
    expect(() => readContext(loaded, workspace)).toThrow("none that loadPolicy has loaded");
  });
});
