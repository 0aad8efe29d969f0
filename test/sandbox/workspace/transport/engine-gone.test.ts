import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { AgentError } from "../../../../src/base/errors.ts";
import type { Carrier } from "../../../../src/sandbox/mounts.ts";
import { prepareWorkspace } from "../../../../src/sandbox/workspace/prepare.ts";
import { makeFixture, profileOf } from "../../../contract/sandbox-fixture.ts";

/** What of this process holds a run: it would keep the command line from ending. */
function holders(): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      if (!/^\d+$/u.test(pid)) return false;
      // proc(5): name, state, parent.
      const [, name, , parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
      return name === "(warder-host)" && parent === String(process.pid);
    } catch (error) {
      if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
      throw error;
    }
  });
}

test("a run whose engine is gone at its end leaves nothing running on this machine", async () => {
  const fixture = makeFixture({ "a.txt": "a" });
  const gone = (): Promise<never> => Promise.reject(new AgentError("sandbox-unavailable", "The engine does not answer."));
  const carrier: Carrier = {
    address: "tcp://127.0.0.1:2375",
    imageId: "none",
    because: "it does not show a file that was just made",
    settle: gone,
    carry: () => Promise.resolve({ mounts: [], fetch: gone, release: gone }),
  };
  try {
    const { runId, runDirectory } = fixture;
    const prepared = await prepareWorkspace(profileOf(fixture), { runId, runDirectory, isReachable: false, carrier });
    expect(holders()).toHaveLength(1);
    await expect(prepared.release()).rejects.toMatchObject({ code: "sandbox-unavailable" });
    await expect.poll(holders).toEqual([]);
  } finally {
    for (const pid of holders()) process.kill(Number(pid), "SIGKILL");
    fixture.remove();
  }
});
