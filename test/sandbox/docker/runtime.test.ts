import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endProcessesOf } from "../../../src/sandbox/docker/leftover-processes.ts";
import { engineKind } from "../../../src/sandbox/docker/engine-kind.ts";
import { engineRuntimes, isPodman, openEngine, requireEngineRuntime } from "../../../src/sandbox/docker/engine.ts";
import { removeContainer } from "../../../src/sandbox/docker/lane.ts";
import { dockerRuntime } from "../../../src/sandbox/docker/runtime.ts";
import type { Session } from "../../../src/sandbox/runtime.ts";
import { command, containersOf, docker, ENGINE } from "../../contract/docker-under-test.ts";
import { mountsBelow, runtimeContract } from "../../contract/runtime.ts";
import { changesContract } from "../../contract/runtime-changes.ts";
import { lookContract } from "../../contract/runtime-look.ts";
import { containmentContract, keysContract } from "../../contract/runtime-containment.ts";
import { bash, makeFixture, OWNERS, perform, profileOf, run, SETTINGS, type SandboxFixture } from "../../contract/sandbox-fixture.ts";
import { deadOwner } from "../../support/dead-owner.ts";
import { describeWithDocker } from "../../support/docker.ts";
import { isWhole } from "../../support/extent.ts";
import { runsRootTests } from "../../support/root.ts";
import { until } from "../../support/until.ts";
import { diskFolder } from "../../support/run-folder.ts";

/** For what may come again, as output does, also when the container is on its way out. */
const once = (...argv: string[]): (() => void) => {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    command(...argv);
  };
};
const hasRemoved = (id: string): boolean => spawnSync("docker", ["rm", "--force", id], { stdio: "ignore" }).status === 0;
async function withSession(use: (session: Session, container: string) => Promise<void>): Promise<void> {
  const fixture = makeFixture({ "a.txt": "a" });
  const session = await dockerRuntime(ENGINE).open(profileOf(fixture), { runId: fixture.runId, runDirectory: fixture.runDirectory });
  try {
    await use(session, containersOf(`warder.run=${fixture.runId}`)[0] ?? "");
  } finally {
    await session.close();
    expect(docker.leftovers(fixture.runId)).toEqual([]);
    expect(mountsBelow(fixture.folder)).toEqual([]);
    fixture.remove();
  }
}

describeWithDocker("the Docker runtime", () => {
  runtimeContract(docker);
  containmentContract(docker);
  keysContract(docker);
  lookContract(docker);
  // Each test has a container of its own, and bubblewrap's suite has the same for every owner.
  changesContract(docker, isWhole ? OWNERS : OWNERS.slice(-1));

  test("says that it is ready, and with what", async () => {
    expect(await dockerRuntime(ENGINE).check()).toMatchObject({ isReady: true, detail: expect.stringMatching(/(?:Docker Engine|Podman) \d.*sha256:/) });
  });

  test("reports a session that was lost in the middle of a command, and every later command", async () => {
    await withSession(async (session, container) => {
      const outcome = await perform(session, bash(session, "echo started; sleep 1000"), { onOutput: once("kill", container) });
      expect(outcome).toMatchObject({ kind: "failed", code: "session-lost" });
      expect(await perform(session, bash(session, "true"))).toMatchObject({ kind: "failed", code: "session-lost" });
      expect(await session.resolve(["/"])).toMatchObject([{ path: "/", error: expect.any(String) }]);
    });
  });

  test("ends the container when the supervisor does not keep a time limit", async () => {
    await withSession(async (session, container) => {
      const outcome = await perform(session, bash(session, "echo started; sleep 1000", { timeoutMs: 4000 }), {
        // As `docker pause`, which needs control groups.
        onOutput: once("kill", "--signal=STOP", container),
      });
      expect(outcome).toMatchObject({ kind: "timed-out", partial: { stdout: { text: "started\n" } } });
      // And it was the limit that ended it, not the silence that would have ended it a minute later.
      expect(await perform(session, bash(session, "true"))).toMatchObject({ code: "session-lost", reason: expect.stringContaining("time limit") });
    });
  });

  test("uses the image by its content, with the hardening of the golden file", async () => {
    const kind = await engineKind(openEngine(ENGINE));
    const dropped = kind.isPodman ? kind.uncounted : [];
    await withSession(async (session, container) => {
      const [inspected] = JSON.parse(command("inspect", container)) as [{ Image: string; HostConfig: Record<string, unknown> }];
      expect(inspected.Image).toBe(session.imageDigest);
      expect(inspected.HostConfig).toMatchObject({
        NetworkMode: "none",
        ReadonlyRootfs: true,
        AutoRemove: true,
        // Podman takes what it does not hold a container to, and says nothing of it.
        PidsLimit: dropped.includes("processes") ? 0 : 64,
        Memory: dropped.includes("memory") ? 0 : 268_435_456,
        MemorySwap: dropped.includes("memory") ? 0 : 268_435_456,
        LogConfig: { Type: "none" },
        Privileged: false,
      });
    });
  });

  test("runs nothing where the engine has not the runtime that the policy wants, and says what to do", async () => {
    // As every engine has runc, and one that was set up for it gVisor.
    const known = command("info", "--format", "{{range $name, $value := .Runtimes}}{{$name}} {{end}}").split(" ");
    const asked = requireEngineRuntime(openEngine(ENGINE), { settings: { ...SETTINGS, engineRuntime: "runsc" } });
    const said = await asked.then(
      () => "it has it",
      (error: unknown) => String(error),
    );
    expect(said).toMatch(known.includes("runsc") ? /^it has it$/u : /apt-get install runsc.*daemon\.json/u);
  });

  test("runs commands in gVisor where the engine has it, and else says how it comes by it", async () => {
    const hasGvisor = engineRuntimes(await openEngine(ENGINE).docker.info()).includes("runsc");
    const fixture = makeFixture({ "a.txt": "alpha" });
    const profile = profileOf(fixture, { settings: { engineRuntime: "runsc" } });
    const use = async (session: Session): Promise<string> => {
      try {
        const runtime = command("inspect", "--format", "{{.HostConfig.Runtime}}", ...containersOf(`warder.run=${fixture.runId}`));
        return `${runtime} ${(await run(session, "cat a.txt")).out}`;
      } finally {
        await session.close();
      }
    };
    const said = await dockerRuntime(ENGINE).open(profile, { runId: fixture.runId, runDirectory: fixture.runDirectory }).then(use, String);
    // Podman lists runtimes that are not installed, and does not say which of them a container has.
    const isPodmans = await isPodman(openEngine(ENGINE));
    expect(said).toMatch(isPodmans ? /^oci alpha$|runsc/u : hasGvisor ? /^runsc alpha$/u : /apt-get install runsc.*daemon\.json/u);
    expect(docker.leftovers(fixture.runId)).toEqual([]);
    expect(mountsBelow(fixture.folder)).toEqual([]);
    fixture.remove();
  });

  test("removes containers of dead owners and of nobody else", async () => {
    await withSession(async (_session, own) => {
      const image = readFileSync(new URL("../../../sandbox/build/image-id", import.meta.url), "utf8").trim();
      const limits = ["--network=none", "--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"];
      const orphan = `run-orphan-${process.pid}`;
      const labels = [`--label=warder.owner=${deadOwner()}`, `--label=warder.run=${orphan}`];
      const state = mkdtempSync(join(diskFolder(), "warder-test-"));
      // Whatever else reaps on this machine may be first: then there is another one.
      await until("a container that this reaping removes", async () => {
        const id = command("run", "--detach", "--rm", ...limits, ...labels, image, "sleep", "1000");
        return (await dockerRuntime(ENGINE).reap(state)).some((line) => line.includes(id.slice(0, 12)));
      }).finally(() => rmSync(state, { recursive: true }));
      await until("no such container", () => containersOf(`warder.run=${orphan}`).length === 0);
      expect(command("inspect", "--format", "{{.State.Running}}", own)).toBe("true");
    });
  });
});

describeWithDocker("what an engine forgot of a container", () => {
  const image = (): string => readFileSync(new URL("../../../sandbox/build/image-id", import.meta.url), "utf8").trim();
  const start = (): string => command("run", "--detach", "--network=none", "--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024", image(), "sleep", "1000");
  const isRunning = (id: string): string => command("inspect", "--format", "{{.State.Running}}", id);

  test.skipIf(!runsRootTests)("has ended where the engine that should remove it does not answer", async () => {
    const own = start();
    const { docker: gone } = openEngine({ dockerHost: "unix:///nonexistent/docker.sock" });
    // Podman does not see at once what ends behind its back.
    const pid = command("inspect", "--format", "{{.State.Pid}}", own);
    try {
      await expect(removeContainer(gone.getContainer(own))).rejects.toMatchObject({ code: "sandbox-unavailable" });
      await until("the container has ended", () => !existsSync(`/proc/${pid}`));
    } finally {
      await until("the container is removed", () => hasRemoved(own));
    }
  });

  test.skipIf(!runsRootTests)("is ended with its shim, and nothing else is", async () => {
    const [own, other] = [start(), start()];
    try {
      expect(endProcessesOf(own.slice(0, 12))).toBe(0);
      expect(endProcessesOf(own)).toBeGreaterThan(0);
      expect(isRunning(other)).toBe("true");
      await expect.poll(() => endProcessesOf(own)).toBe(0);
    } finally {
      // Podman refuses at first what ended behind its back.
      await expect.poll(() => hasRemoved(own) && hasRemoved(other), { timeout: 120_000 }).toBe(true);
    }
  });
});

describe("without an engine", () => {
  const runtime = dockerRuntime({ dockerHost: "unix:///nonexistent/docker.sock" });

  async function refuses(fixture: SandboxFixture): Promise<void> {
    const opening = runtime.open(profileOf(fixture), { runId: fixture.runId, runDirectory: fixture.runDirectory });
    const refusal = {
      code: "sandbox-unavailable",
      message: expect.stringContaining("does not answer"),
      remedy: expect.stringMatching(/^Start it .*systemctl start docker/),
    };
    await expect(opening).rejects.toMatchObject(refusal);
  }

  test("says what to do", async () => {
    expect(await runtime.check()).toMatchObject({ isReady: false, remedy: expect.stringContaining("warder setup") });
  });

  test("opens nothing and leaves nothing", async () => {
    const fixture = makeFixture({ "a.txt": "a" });
    await refuses(fixture);
    expect(mountsBelow(fixture.folder)).toEqual([]);
    fixture.remove();
  });

  test("refuses an engine that accepts and never answers, once and soon", async () => {
    const folder = mkdtempSync(join(diskFolder(), "warder-test-"));
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(join(folder, "docker.sock"));
    const hung = dockerRuntime({ dockerHost: `unix://${folder}/docker.sock`, answerTimeoutMs: 100 });
    const fixture = makeFixture({ "a.txt": "a" });
    const refusal = { code: "sandbox-unavailable", message: expect.stringMatching(/accepts connections, and did not answer for 0.1 s.*restart/u) };
    try {
      await expect(hung.open(profileOf(fixture), { runId: fixture.runId, runDirectory: fixture.runDirectory })).rejects.toMatchObject(refusal);
      await expect(hung.reap(fixture.state)).rejects.toMatchObject(refusal);
      expect(await hung.check()).toMatchObject({ isReady: false, detail: expect.stringContaining("did not answer") });
      // One question each: nothing else is asked of an engine that did not answer. The server may hear of the last one later than who gave it up.
      await expect.poll(() => sockets.length).toBe(3);
      expect(mountsBelow(fixture.folder)).toEqual([]);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
      fixture.remove();
      rmSync(folder, { recursive: true });
    }
  });

  test("says that none answers over TCP, and refuses one that anybody on the way could answer for", async () => {
    expect(await dockerRuntime({ dockerHost: "tcp://127.0.0.1:1" }).check()).toMatchObject({
      isReady: false,
      detail: expect.stringContaining("does not answer"),
    });
    expect(await dockerRuntime({ dockerHost: "tcp://engine.example:2375" }).check()).toMatchObject({
      isReady: false,
      detail: expect.stringContaining("without TLS"),
    });
  });
});
