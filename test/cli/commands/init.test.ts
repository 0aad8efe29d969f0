import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeWithDocker } from "../../support/docker.ts";
import { place } from "../../support/test-place.ts";
import { warder, type Place } from "../../support/warder-cli.ts";

const NO_ENGINE = { DOCKER_HOST: "unix:///nonexistent/docker.sock" };
const policyOf = ({ state }: Place): string => join(state, "policies/workspace.yaml");

function makeProject({ workspace }: Place, recipe: string): void {
  writeFileSync(join(workspace, "Makefile"), `test:\n\t${recipe}\n`);
}

describe("warder init", () => {
  test("writes the policy where no run can write, and overwrites it only when told to", async () => {
    const here = place();
    makeProject(here, "true");
    const first = await warder(here, ["init", "--no-test"], { environment: NO_ENGINE });
    expect(first.stdout).toContain("Found: make; lock files: none; CI: none; tests: make test\n");
    expect(first.stdout).toContain(`Wrote ${policyOf(here)}\n`);
    expect(first.exitCode).toBe(0);
    writeFileSync(policyOf(here), "mine\n");
    const again = await warder(here, ["init", "--no-test"], { environment: NO_ENGINE });
    expect(again.stderr).toMatch(/is there already, and was not changed\.\n {2}.*--force\n$/u);
    expect(again.exitCode).toBe(2);
    expect(readFileSync(policyOf(here), "utf8")).toBe("mine\n");
    expect((await warder(here, ["init", "--no-test", "--force"], { environment: NO_ENGINE })).exitCode).toBe(0);
    expect(readFileSync(policyOf(here), "utf8")).toContain('allow: "make test"');
  });

  test("says that a policy in the workspace holds only when a person confirmed it, and does not run by it", async () => {
    const here = place();
    makeProject(here, "touch ran");
    const end = await warder(here, ["init", "--output", "warder.yaml"], { environment: NO_ENGINE });
    expect(end.stdout).toContain(`warder policy trust ${join(here.workspace, "warder.yaml")}`);
    expect(existsSync(join(here.workspace, "ran"))).toBe(false);
    expect(end.exitCode).toBe(0);
  });

  test("refuses a home in words about the home", async () => {
    const here = place();
    const end = await warder(here, ["init", "--workspace", here.home], { environment: NO_ENGINE });
    expect(end.stderr).toContain("is your home");
    expect(end.exitCode).toBe(2);
  });

  test("says which image the dependencies need, and how to prepare it", async () => {
    const here = place();
    writeFileSync(join(here.workspace, "requirements.txt"), "six\n");
    mkdirSync(join(here.workspace, ".venv"));
    const end = await warder(here, ["init", "--no-test"], { environment: NO_ENGINE });
    expect(end.stdout).toContain("note: .venv was made on this machine");
    const folder = join(here.state, "policies/workspace.image");
    expect(end.stdout).toContain(`  warder image add workspace --from ${folder}\n`);
    expect(readFileSync(join(folder, "Dockerfile"), "utf8")).toMatch(/^ARG WARDER_BASE\nFROM \$\{WARDER_BASE\}\n[\s\S]*COPY requirements\.txt/u);
    expect(readFileSync(join(folder, "requirements.txt"), "utf8")).toBe("six\n");
  });
});

describeWithDocker("warder init with an engine", () => {
  test("proves the policy by running the tests in the sandbox", async () => {
    const here = place();
    makeProject(here, "test -f Makefile");
    const end = await warder(here, ["init"]);
    expect(end.stdout, end.stderr).toContain("Proved: make test passed in the sandbox, by this policy.\n");
    expect(end.exitCode).toBe(0);
  });

  test("keeps the policy when the tests fail, and ends as they did", async () => {
    const here = place();
    makeProject(here, "false");
    const end = await warder(here, ["init"]);
    expect(end.stdout).toContain("make test ended with 1 in the sandbox. The policy stays");
    expect(existsSync(policyOf(here))).toBe(true);
    expect(end.exitCode).toBe(1);
  });
});
