import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runHostile } from "../../toolbox/soak/hostile/run.ts";
import { describeWithDocker } from "../support/docker.ts";
import { removeFolder } from "../support/run-folder.ts";
import { weakerEngine } from "../support/weaker-engine.ts";

const commands = ["rm -rf --no-preserve-root / 2>/dev/null; echo done", "kill -9 -1", "yes >/dev/null", "cat /etc/shadow", "no-such-program-here"].map(
  (command, index) => ({
    id: String(index),
    command,
    label: "hostile",
  }),
);

describeWithDocker("hostile commands", () => {
  test("are executed, end in time, move nothing and leave nothing", async () => {
    const report = await runHostile(commands, { policy: "unattended", timeoutMs: 8000, lanes: 1 });
    expect(report).toMatchObject({ moved: [], left: [], sessionsLost: 0 });
    expect(report.ends.length).toBe(commands.length);
    expect(report.ends.filter(({ isLate }) => isLate)).toEqual([]);
    expect(report.ends.map(({ ending }) => ending).slice(1)).toEqual(["exit above 0", "timed-out", "exit above 0", "no such program"]);
  });

  test("are run under no policy that gives them the host's own workspace", async () => {
    await expect(runHostile(commands, { policy: "supervised", timeoutMs: 1500, lanes: 1 })).rejects.toThrow(/not for hostile commands/u);
  });

  test("run in no sandbox that is not proven closed", async () => {
    const ends: unknown[] = [];
    const folder = mkdtempSync(join(tmpdir(), "warder-test-"));
    const engine = await weakerEngine(join(folder, "engine.sock"), ({ HostConfig }) => (HostConfig["ReadonlyRootfs"] = false));
    try {
      const options = { policy: "unattended", timeoutMs: 1500, lanes: 1, dockerHost: engine.dockerHost, onEnd: (end: unknown) => ends.push(end) };
      await expect(runHostile(commands, options)).rejects.toThrow(/boundary does not hold/u);
      expect(ends).toEqual([]);
    } finally {
      await engine.close();
      removeFolder(folder);
    }
  });
});
