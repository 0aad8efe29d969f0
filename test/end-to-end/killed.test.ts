import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { openState } from "../support/open-state.ts";
import { exitCodeOf, until } from "../support/until.ts";
import { makePlace, startWarder, warder } from "../support/warder-cli.ts";

const containers = (run: string): string =>
  execFileSync("docker", ["ps", "--all", "--quiet", "--filter", `label=warder.run=${run}`], { encoding: "utf8" }).trim();

describeWithDocker("a Warder that is killed in the middle of a command", () => {
  test("leaves no container and no mount, a database that opens, and a log that says where it stops", async () => {
    const place = makePlace();
    onTestFinished(() => {
      place.remove();
    });
    const child = startWarder(place, ["exec", "--policy", "unattended", "--", "touch begun; sleep 300"]);
    const runs = (): string[] => (existsSync(`${place.state}/runs`) ? readdirSync(`${place.state}/runs`) : []);
    await until("the container runs", () => runs().length === 1 && containers(runs()[0] ?? "") !== "");
    const run = runs()[0] ?? "";
    await until("the command begins", () => openState(place).permits() === 1);
    child.kill("SIGKILL");
    await until("the container is gone", () => containers(run) === "");
    await until("the mounts are gone", () => !readFileSync("/proc/self/mountinfo", "utf8").includes(run));
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
    await until("the command begins", () => openState(place).permits() === 1);
    child.kill("SIGINT");
    expect(await exitCodeOf(child)).toBe(130);
    const [run = ""] = readdirSync(`${place.state}/runs`);
    expect(containers(run)).toBe("");
    expect((await warder(place, ["audit", "verify"])).stdout).not.toContain("the log stops here");
    expect((await warder(place, ["audit", "tail", "--kind", "run-end", "--json"])).stdout).toContain('"ending":"cancelled"');
  });
});
