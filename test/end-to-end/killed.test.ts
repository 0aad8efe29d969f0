import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { makePlace, startWarder, warder } from "../support/warder-cli.ts";

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let round = 0; round < 300; round += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`never came true: ${what}`);
}

const runsOf = (state: string): string[] => (existsSync(`${state}/runs`) ? readdirSync(`${state}/runs`) : []);
const containers = (run: string): string =>
  execFileSync("docker", ["ps", "--all", "--quiet", "--filter", `label=warder.run=${run}`], { encoding: "utf8" }).trim();

describeWithDocker("a Warder that is killed in the middle of a command", () => {
  test("leaves no container and no mount, a database that opens, and a log that says where it stops", async () => {
    const place = makePlace();
    onTestFinished(() => {
      place.remove();
    });
    const child = startWarder(place, ["exec", "--policy", "unattended", "--", "touch begun; sleep 300"]);
    const runs = (): string[] => runsOf(place.state);
    await until(() => runs().length === 1 && containers(runs()[0] ?? "") !== "", "the container runs");
    const run = runs()[0] ?? "";
    const tail = async (): Promise<string> => (await warder(place, ["audit", "tail", "--run", run, "--json"])).stdout;
    for (let round = 0; round < 100 && !(await tail()).includes("permit-spent"); round += 1) await new Promise((resolve) => setTimeout(resolve, 100));
    child.kill("SIGKILL");
    await until(() => containers(run) === "", "the container is gone");
    await until(() => !readFileSync("/proc/self/mountinfo", "utf8").includes(run), "the mounts are gone");
    const verified = await warder(place, ["audit", "verify"]);
    expect(verified.exitCode).toBe(0);
    expect(verified.stdout).toMatch(/the log stops here: call call-\w+ \(shell\).*had started; no outcome is recorded/);
    expect(await warder(place, ["exec", "--policy", "supervised", "--", "echo again"])).toMatchObject({ exitCode: 0, stdout: "again\n" });
  });

  test("an interrupt ends the command, exits 130 and closes the log properly", async () => {
    const place = makePlace();
    onTestFinished(() => {
      place.remove();
    });
    const child = startWarder(place, ["exec", "--policy", "unattended", "--", "sleep 300"]);
    await until(() => runsOf(place.state).some((run) => containers(run) !== ""), "the container runs");
    await new Promise((resolve) => setTimeout(resolve, 500));
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    const [run = ""] = readdirSync(`${place.state}/runs`);
    expect(containers(run)).toBe("");
    expect((await warder(place, ["audit", "verify"])).stdout).not.toContain("the log stops here");
  });
});
