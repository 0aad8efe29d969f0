import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { AgentError } from "../../../../src/base/errors.ts";
import type { Carrier } from "../../../../src/sandbox/mounts.ts";
import { closeParts } from "../../../../src/sandbox/parts.ts";
import { prepareWorkspace } from "../../../../src/sandbox/workspace/prepare.ts";
import { owedFrom, readRecord, workspacePaths } from "../../../../src/sandbox/workspace/record.ts";
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

const gone = (): Promise<never> => Promise.reject(new AgentError("sandbox-unavailable", "The engine does not answer."));

function carrierWith(fetch: () => Promise<void>): Carrier {
  return {
    address: "tcp://127.0.0.1:2375",
    imageId: "none",
    because: "it does not show a file that was just made",
    settle: gone,
    carry: () => Promise.resolve({ mounts: [], fetch, release: gone }),
  };
}

test("a run whose engine is gone at its end leaves nothing running on this machine", async () => {
  const fixture = makeFixture({ "a.txt": "a" });
  try {
    const { runId, runDirectory } = fixture;
    const prepared = await prepareWorkspace(profileOf(fixture), { runId, runDirectory, isReachable: false, carrier: carrierWith(gone) });
    expect(holders()).toHaveLength(1);
    await expect(prepared.release()).rejects.toMatchObject({ code: "sandbox-unavailable" });
    await expect.poll(holders).toEqual([]);
  } finally {
    for (const pid of holders()) process.kill(Number(pid), "SIGKILL");
    fixture.remove();
  }
});

test("what came back before the engine was gone is looked at without it", async () => {
  const fixture = makeFixture({ "a.txt": "a" });
  try {
    const { runId, runDirectory } = fixture;
    const { upper } = workspacePaths(runDirectory);
    const carrier = carrierWith(() => {
      mkdirSync(upper, { recursive: true });
      writeFileSync(`${upper}/b.txt`, "b");
      return Promise.resolve();
    });
    const workspace = await prepareWorkspace(profileOf(fixture), { runId, runDirectory, isReachable: false, carrier });
    const record = readRecord(runDirectory);
    expect(record === null ? null : owedFrom(record)).toMatchObject({ address: "tcp://127.0.0.1:2375" });
    await expect(closeParts({ workspace, lane: null, egress: null }, runDirectory)).rejects.toMatchObject({ code: "sandbox-unavailable" });
    const left = readRecord(runDirectory);
    expect(left === null ? null : { ...left, owed: owedFrom(left) }).toMatchObject({ state: "open", owed: null });
    expect(readdirSync(upper)).toEqual(["b.txt"]);
  } finally {
    fixture.remove();
  }
});
