import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { place } from "../../../support/test-place.ts";
import { type Place, warder } from "../../../support/warder-cli.ts";

/** Without an engine no sandbox is opened to look at. */
const environment = { DOCKER_HOST: "unix:///nonexistent/docker.sock" };

function npmProject(): Place {
  const here = place();
  writeFileSync(join(here.workspace, "package.json"), '{ "scripts": { "test": "node --test" } }');
  return here;
}

describe("warder policy init", () => {
  test("writes a policy and its suite where no run can write, proves one by the other, and writes over neither", async () => {
    const here = npmProject();
    const file = join(here.state, "policies/workspace.yaml");
    const suite = join(here.state, "policies/workspace.test.yaml");
    const first = await warder(here, ["policy", "init"], { environment });
    expect(first.stdout, first.stderr).toContain(`Wrote ${file}\nWrote ${suite}\n`);
    expect(first.stdout).toContain("Proved: the check finds nothing, and 11 examples of its suite are decided as they say.\n");
    // What its script starts is a command of its own, and the policy says so of this project.
    expect(first.stdout).toContain("note: in this project `npm test` is decided ask: `--test` makes `node` run code");
    expect(first.exitCode).toBe(0);
    expect((await warder(here, ["policy", "test", file], { environment })).stdout).toContain("11 cases: 11 passed, 0 failed");
    writeFileSync(file, "mine\n");
    const again = await warder(here, ["policy", "init"], { environment });
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining(`${file} is there already, and was not changed.`)]);
    const beside = join(here.root, "other.yaml");
    writeFileSync(join(here.root, "other.test.yaml"), "mine\n");
    const besideSuite = await warder(here, ["policy", "init", "--output", beside], { environment });
    expect([besideSuite.exitCode, existsSync(beside), readFileSync(file, "utf8")]).toEqual([2, false, "mine\n"]);
  });

  test("prints the policy alone with --print, and leaves no file", async () => {
    const here = npmProject();
    const end = await warder(here, ["policy", "init", "--print"], { environment });
    expect(end.stdout).toMatch(/^version: 1 # [\s\S]*\nname: workspace # [\s\S]*\nunattended: .*\n$/u);
    expect(end.stderr).toContain("Proved: ");
    expect([end.exitCode, existsSync(join(here.state, "policies"))]).toEqual([0, false]);
    expect((await warder(here, ["policy", "init", "--print", "--force"], { environment })).exitCode).toBe(2);
  });

  test("ends with 1 where a ceiling has it decided otherwise, and says what", async () => {
    const here = npmProject();
    mkdirSync(here.state, { mode: 0o700 });
    writeFileSync(join(here.state, "policy.yaml"), "version: 1\nname: ceiling\nautonomy: read-only\n", { mode: 0o600 });
    const end = await warder(here, ["policy", "init"], { environment });
    expect(end.stdout, end.stderr).toMatch(/failed .*write notes\.txt: expected ask, got deny by read-only-autonomy/u);
    expect(end.stdout).toContain(
      `Not proved: what stands above is decided otherwise on this machine. What binds it: warder policy effective ${join(here.state, "policies/workspace.yaml")}\n`,
    );
    expect(end.exitCode).toBe(1);
  });
});
