import { expect, test } from "vitest";
import { runHostile } from "../../toolbox/soak/hostile/run.ts";
import { describeWithDocker } from "../support/docker.ts";
import { runsRootTests } from "../support/root.ts";

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

  test.skipIf(!runsRootTests)(
    "runs nothing in a sandbox that is not proven to show nothing of the host but the workspace [needs root, whose masks are mounts]",
    async () => {
      const ends: unknown[] = [];
      // A masked file is a mount of its own, which the proof does not know.
      const options = { policy: "unattended", timeoutMs: 1500, lanes: 1, files: { ".env": "KEY=value\n" }, onEnd: (end: unknown) => ends.push(end) };
      await expect(runHostile(commands, options)).rejects.toThrow(/not closed/u);
      expect(ends).toEqual([]);
    },
  );
});
