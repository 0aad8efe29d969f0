import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { bubblewrapRuntime } from "../../../src/sandbox/bubblewrap/runtime.ts";
import { mountsBelow, runtimeContract } from "../../contract/runtime.ts";
import { changesContract } from "../../contract/runtime-changes.ts";
import { containmentContract, keysContract } from "../../contract/runtime-containment.ts";
import { lookContract } from "../../contract/runtime-look.ts";
import { jobsContract, type JobsUnderTest } from "../../contract/runtime-jobs.ts";
import { makeFixture, perform, profileOf } from "../../contract/sandbox-fixture.ts";
import { until } from "../../support/until.ts";

/** Processes of sandboxes that belong to a fixture: its folder's name ends like the run's id. */
function processesOf(runId: string): readonly { readonly pid: number; readonly line: string; /** In its own namespace. */ readonly isFirst: boolean }[] {
  const mark = runId.slice(-6);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        const isFirst = /^NSpid:.*\s1$/mu.test(readFileSync(`/proc/${pid}/status`, "utf8")) && line.startsWith("/.warder/supervisor");
        return [{ pid: Number(pid), line, isFirst }];
      } catch (error) {
        if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
        throw error;
      }
    })
    .filter(({ line }) => line.includes(mark) && /^bwrap |^\/\.warder\/supervisor /.test(line));
}

const bubblewrap: JobsUnderTest = {
  make: bubblewrapRuntime,
  running: (runId) => processesOf(runId).map(({ line }) => line),
  leftovers: (runId) => processesOf(runId).map(({ line }) => line),
  lanes: (runId) => processesOf(runId).flatMap(({ pid, isFirst }) => (isFirst ? [pid] : [])),
};

const { isReady, detail } = await bubblewrapRuntime().check();
const isRoot = process.getuid?.() === 0;
const group = isReady || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;

group(isReady ? "the bubblewrap runtime" : `the bubblewrap runtime [skipped: ${detail}]`, () => {
  test("is as it should be seen from inside, with what /proc tells of the machine masked", async () => {
    const fixture = makeFixture({ "a.txt": "a" });
    try {
      const { properties } = await bubblewrapRuntime().inspect(profileOf(fixture, { settings: { runtime: "bubblewrap" } }), {
        runId: fixture.runId,
        runDirectory: fixture.runDirectory,
      });
      expect(properties.filter(({ isMet }) => isMet === false)).toEqual([]);
      expect(properties.find(({ what }) => what === "masked and read-only paths")).toMatchObject({ isMet: true, found: "all" });
    } finally {
      fixture.remove();
    }
  });

  runtimeContract(bubblewrap);
  containmentContract(bubblewrap);
  keysContract(bubblewrap);
  changesContract(bubblewrap);

  lookContract(bubblewrap);

  // It may write no control group, by which a job is held.
  if (!isRoot) return;
  jobsContract(bubblewrap);

  test("ends a job that somebody else froze with its session", async () => {
    const fixture = makeFixture({ "a.txt": "a" });
    const session = await bubblewrapRuntime().open(profileOf(fixture), { runId: fixture.runId, runDirectory: fixture.runDirectory });
    try {
      const before = bubblewrap.lanes(fixture.runId);
      await perform(session, { kind: "start-job", argv: ["/bin/sleep", "1000"], cwd: fixture.workspace, env: {}, timeoutMs: 200_000 });
      const job = bubblewrap.lanes(fixture.runId).find((pid) => !before.includes(pid));
      const path = readFileSync(`/proc/${String(job)}/cgroup`, "utf8");
      const old = /^\d+:freezer:(.*)$/mu.exec(path)?.[1];
      if (old === undefined) writeFileSync(`/sys/fs/cgroup${/^0::(.*)$/mu.exec(path)?.[1] ?? ""}/cgroup.freeze`, "1");
      else writeFileSync(`/sys/fs/cgroup/freezer${old}/freezer.state`, "FROZEN");
    } finally {
      await session.close();
      expect(bubblewrap.leftovers(fixture.runId)).toEqual([]);
      expect(mountsBelow(fixture.folder)).toEqual([]);
      fixture.remove();
    }
  });

  test("keeps no job where it may not write every control group, says so, and leaves nothing", async () => {
    const fixture = makeFixture({ "a.txt": "a" });
    const script = fileURLToPath(new URL("../../contract/sandbox-owner.ts", import.meta.url));
    const closed = existsSync("/sys/fs/cgroup/freezer") ? "/sys/fs/cgroup/freezer" : "/sys/fs/cgroup";
    const own = `mount --bind ${closed} ${closed} && mount -o remount,bind,ro ${closed} && exec "$0" "$@"`;
    const argv = ["--mount", "sh", "-c", own, process.execPath, script, "bubblewrap", JSON.stringify({ fixture, job: "sleep 1000" })];
    const owner = spawn("unshare", argv, { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    owner.stdout.on("data", (data: Buffer) => {
      said += data.toString();
    });
    try {
      await until("the command runs", () => said.includes("running"));
      expect(said).toMatch(/^unsupported: This sandbox keeps no job.*control groups.*\nrunning\n$/u);
      expect(bubblewrap.lanes(fixture.runId)).toHaveLength(1);
    } finally {
      owner.kill("SIGKILL");
      await until("nothing of it runs", () => bubblewrap.leftovers(fixture.runId).length === 0);
      await until("its control groups are gone", async () => {
        await bubblewrapRuntime().reap(fixture.state);
        const parent = existsSync("/sys/fs/cgroup/memory") ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
        return !readdirSync(parent).some((name) => name.includes(fixture.runId));
      });
      fixture.remove();
    }
  });
});
