import { expect, onTestFinished, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { makePlace, startWarder, warder } from "../support/warder-cli.ts";

describeWithDocker("the stop switch", () => {
  test("ends what runs, lets nothing run, and is released only by a person at a terminal", async () => {
    const place = makePlace();
    onTestFinished(() => {
      place.remove();
    });
    const running = startWarder(place, ["exec", "--policy", "unattended", "--json", "--", "echo begun; sleep 300"]);
    const ended = new Promise<number | null>((resolve) => running.on("close", resolve));
    const hasStarted = async (): Promise<boolean> => (await warder(place, ["audit", "tail", "--json"])).stdout.includes("permit-spent");
    for (let round = 0; round < 100 && !(await hasStarted()); round += 1) await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await warder(place, ["stop"])).exitCode).toBe(0);
    expect(await ended).not.toBe(0);
    const refused = await warder(place, ["exec", "--policy", "supervised", "--", "echo hi"]);
    expect(refused).toMatchObject({ exitCode: 3, stdout: "" });
    expect(refused.stderr).toContain("stop-switch");
    expect((await warder(place, ["start"], { input: "start\n" })).exitCode).toBe(2);
    expect((await warder(place, ["exec", "--policy", "supervised", "--", "echo hi"])).exitCode).toBe(3);
    const terminal = warderAtTerminal(place, ["start"]);
    await terminal.shows(/type: start/u);
    terminal.type("start\r");
    expect(await terminal.ended).toBe(0);
    expect(await warder(place, ["exec", "--policy", "supervised", "--", "echo hi"])).toMatchObject({ exitCode: 0, stdout: "hi\n" });
  });
});
