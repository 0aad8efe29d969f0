import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dockerRuntime } from "../../../src/sandbox/docker/runtime.ts";
import { ownerName, ownerOf } from "../../../src/sandbox/owner.ts";
import { openSandboxPool, type SandboxPool } from "../../../src/sandbox/docker/pool.ts";
import { reapPools } from "../../../src/sandbox/reap.ts";
import type { Runtime, SandboxProfile, Session } from "../../../src/sandbox/runtime.ts";
import { containersOf, ENGINE } from "../../contract/docker-under-test.ts";
import { mountsBelow } from "../../contract/runtime.ts";
import { containmentContract } from "../../contract/runtime-containment.ts";
import { makeFixture, perform, profileOf, run, type SandboxFixture } from "../../contract/sandbox-fixture.ts";
import { deadOwner } from "../../support/dead-owner.ts";
import { describeWithDocker } from "../../support/docker.ts";
import { runsRootTests } from "../../support/root.ts";
import { diskFolder } from "../../support/run-folder.ts";
import { until } from "../../support/until.ts";

const FILES = { "a.txt": "alpha\n", ".env": "SECRET=1", "policies/p.yaml": "version: 1\n" };

/** Opens and closes a sandbox of the same kind before each, so that each comes from the pool. */
function warmed(pool: SandboxPool): Runtime {
  const runtime = dockerRuntime({ ...ENGINE, pool });
  return {
    ...runtime,
    open: async (profile, options) => {
      const runDirectory = `${options.runDirectory}-before`;
      mkdirSync(runDirectory, { mode: 0o700 });
      await (await runtime.open(profile, { runId: `${options.runId}-before`, runDirectory })).close();
      return await runtime.open(profile, options);
    },
  };
}

// Only root enters the mounts of a container that runs, to show a workspace in it.
describe.skipIf(!runsRootTests)("[needs root, to show a workspace in it]", () => {
  describeWithDocker("a sandbox that was started ahead", () => {
    let fixture: SandboxFixture;
    let pool: SandboxPool;
    let opened: Session[];
    beforeEach(() => {
      fixture = makeFixture(FILES);
      pool = openSandboxPool({ directory: join(fixture.state, "pool") });
      opened = [];
    });
    afterEach(async () => {
      await end();
      fixture.remove();
    });

    async function end(): Promise<void> {
      for (const session of opened) await session.close();
      await pool.close();
    }

    async function open(name: string, profile: SandboxProfile = profileOf(fixture)): Promise<Session> {
      const runDirectory = join(fixture.state, "runs", name);
      mkdirSync(runDirectory, { mode: 0o700 });
      const session = await dockerRuntime({ ...ENGINE, pool }).open(profile, { runId: `${fixture.runId}-${name}`, runDirectory });
      opened.push(session);
      return session;
    }

    /** Containers of this process: it has no other pool. */
    const own = (): readonly string[] => containersOf(`warder.owner=${ownerOf(process.pid) ?? ""}`);

    /** Whether the engine started a container for this run itself. */
    const isCold = (name: string): boolean => containersOf(`warder.run=${fixture.runId}-${name}`).length > 0;

    test("is used by the next run, and shows its workspace with everything that policy holds", async () => {
      await (await open("first")).close();
      const session = await open("second");
      expect(isCold("second")).toBe(false);
      expect(await run(session, "cat a.txt; cat .env; echo x > policies/p.yaml; mv policies q; echo new > b.txt; cat b.txt")).toMatchObject({
        code: 0,
        out: "alpha\nnew\n",
        err: expect.stringMatching(/\.env: Permission denied[^]*p\.yaml: Read-only[^]*busy/u),
      });
      expect((await session.changes()).map(({ path }) => path)).toEqual(["b.txt"]);
      expect(existsSync(join(fixture.workspace, "b.txt"))).toBe(false);
    });

    test("ends with its run, and with the pool when nobody took it", async () => {
      await (await open("first")).close();
      await (await open("second")).close();
      await end();
      expect(own()).toEqual([]);
      expect(mountsBelow(fixture.folder)).toEqual([]);
      expect(readdirSync(join(fixture.state, "pool"))).toEqual([]);
    });

    test("is what every other sandbox is, seen from inside", async () => {
      await (await open("first")).close();
      const session = await open("second");
      expect(isCold("second")).toBe(false);
      expect(session.probed.length).toBeGreaterThan(30);
      expect(session.probed.filter(({ isMet }) => isMet !== true)).toEqual([]);
    });

    test("is taken once, and by a run of its kind only", async () => {
      await (await open("first")).close();
      const [one, two] = await Promise.all([open("one"), open("two")]);
      expect(isCold("one") && isCold("two")).toBe(false);
      await run(one, "echo one > mine; echo one > /tmp/mine");
      expect(await run(two, "ls /tmp; ls")).toMatchObject({ out: expect.not.stringContaining("mine") });
      await open("larger", profileOf(fixture, { settings: { memoryBytes: 300 * 1024 * 1024 } }));
      expect(isCold("larger")).toBe(true);
      await open("elsewhere", profileOf(fixture, { roots: [{ path: join(fixture.workspace, "policies"), access: "read-write" }] }));
      expect(isCold("elsewhere")).toBe(true);
    });

    test("keeps a job beside commands", async () => {
      await (await open("first")).close();
      const session = await open("second");
      const job = { kind: "start-job", argv: ["/bin/sleep", "1000"], cwd: fixture.workspace, env: {}, timeoutMs: 200_000 } as const;
      expect(await perform(session, job)).toMatchObject({ kind: "completed", result: { kind: "job", job: { ending: null } } });
      expect(isCold("second")).toBe(false);
      // With the job standing still.
      expect(await run(session, "cat a.txt")).toMatchObject({ out: "alpha\n" });
      await session.stopJobs();
    });

    test("that ended while it waited is none", async () => {
      await (await open("first")).close();
      await (await open("second")).close();
      let isSeen = false;
      await until("the one that waits is killed", () => {
        const waiting = own();
        // Podman may say that it could not kill what it killed.
        if (waiting.length === 0) return isSeen;
        isSeen = true;
        // Not before it runs.
        return waiting.length === 1 && spawnSync("docker", ["kill", ...waiting], { stdio: "ignore" }).status === 0;
      });
      const session = await open("third");
      expect(isCold("third")).toBe(true);
      expect(await run(session, "cat a.txt")).toMatchObject({ out: "alpha\n" });
    });
  });

  describeWithDocker("sandboxes from the pool", () => {
    let state = "";
    let pool: SandboxPool | null = null;
    beforeAll(() => {
      state = mkdtempSync(join(diskFolder(), "warder-test-"));
    });
    containmentContract({
      make: () => warmed((pool ??= openSandboxPool({ directory: join(state, "pool") }))),
      running: (runId) => containersOf(`warder.run=${runId}`),
      leftovers: (runId) => containersOf(`warder.run=${runId}`),
    });
    test("end with the pool", async () => {
      await pool?.close();
      expect(readdirSync(join(state, "pool"))).toEqual([]);
      rmSync(state, { recursive: true });
    });
  });
});

test("a sandbox that was started ahead of a process that is gone is removed", () => {
  const state = mkdtempSync(join(diskFolder(), "warder-test-"));
  const dead = ownerName(deadOwner());
  mkdirSync(join(state, "pool", dead, "ready-x", "root-0"), { recursive: true });
  const living = openSandboxPool({ directory: join(state, "pool") });
  expect(reapPools(state)).toEqual([`removed what ${dead} kept ready`]);
  expect(readdirSync(join(state, "pool"))).toHaveLength(1);
  expect(existsSync(living.directory)).toBe(true);
  rmSync(state, { recursive: true });
});
