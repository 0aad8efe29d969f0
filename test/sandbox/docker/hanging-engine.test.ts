import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endLeftOf } from "../../../src/sandbox/docker/leftover-processes.ts";
import { openEngine } from "../../../src/sandbox/docker/engine.ts";
import { removeContainer } from "../../../src/sandbox/docker/lane.ts";
import { dockerRuntime } from "../../../src/sandbox/docker/runtime.ts";
import { mountsBelow } from "../../contract/runtime.ts";
import { makeFixture, profileOf, type SandboxFixture } from "../../contract/sandbox-fixture.ts";
import { CONTAINER, type HangingEngine, hangingEngine } from "../../support/hanging-engine.ts";
import { once, until } from "../../support/until.ts";

/** How long a call may take here, on a machine that keeps up with its work. */
const LIMITS = { answerTimeoutMs: 60_000, callTimeoutMs: 1000 };

describe("an engine that answers the ping and hangs later", () => {
  let fixture: SandboxFixture;
  let engine: HangingEngine | null = null;
  beforeEach(() => {
    fixture = makeFixture({ "a.txt": "a" });
  });
  afterEach(() => {
    engine?.close();
    fixture.remove();
    rmSync(join(fixture.folder, "docker.sock"), { force: true });
  });

  const listen = async (hangs: readonly RegExp[], how: Parameters<typeof hangingEngine>[2] = {}): Promise<ReturnType<typeof dockerRuntime>> => {
    engine = await hangingEngine(join(fixture.folder, "docker.sock"), hangs, how);
    return dockerRuntime({ dockerHost: engine.dockerHost, ...LIMITS });
  };
  const opening = async (hangs: readonly RegExp[], how: Parameters<typeof hangingEngine>[2] = {}, settings: object = {}): Promise<unknown> => {
    const runtime = await listen(hangs, how);
    const profile = profileOf(fixture);
    const asked = { ...profile, settings: { ...profile.settings, ...settings } };
    return runtime.open(asked, { runId: fixture.runId, runDirectory: fixture.runDirectory });
  };
  const refusal = (call: string): object => ({
    code: "sandbox-unavailable",
    message: expect.stringMatching(new RegExp(`accepted \`${call}\` and did not answer for [\\d.]+ s\\. .*restart it\\.$`, "u")),
  });

  test.each([
    ["GET /info", /^GET \/info$/u],
    ["GET /images/sha256:[0-9a-f]{12}/json", /^GET \/images\//u],
    ["POST /containers/create", /^POST \/containers\/create$/u],
    ["POST /containers/[0-9a-f]{12}/attach", /\/attach$/u],
    ["POST /containers/[0-9a-f]{12}/start", /\/start$/u],
  ])("is refused at %s, and nothing is left on the host", async (call, hangs) => {
    await expect(opening([hangs])).rejects.toMatchObject(refusal(call));
    expect(mountsBelow(fixture.folder)).toEqual([]);
  });

  test("is refused where it answers with half a sentence", async () => {
    await expect(opening([/^POST \/containers\/create$/u], { half: true })).rejects.toMatchObject(refusal("POST /containers/create"));
  });

  test("is refused where it is asked for its runtimes", async () => {
    await expect(opening([/^GET \/info$/u], {}, { engineRuntime: "runsc" })).rejects.toMatchObject(refusal("GET /info"));
  });

  test("tells what failed first where it hangs while it is asked to remove the container too", async () => {
    await expect(opening([/^GET \/containers\/[0-9a-f]+\/json$/u])).rejects.toMatchObject({ message: expect.stringContaining("no such thing as a start") });
    engine?.close();
    rmSync(join(fixture.folder, "docker.sock"), { force: true });
    await expect(opening([/\/start$/u, /^DELETE /u])).rejects.toMatchObject(refusal("POST /containers/[0-9a-f]{12}/start"));
    expect(engine?.calls).toContain(`DELETE /containers/${CONTAINER}`);
    expect(mountsBelow(fixture.folder)).toEqual([]);
  });

  test("leaves no shim of a container that it could not start and forgot", async () => {
    const shim = spawn("sh", ["-c", "read line", CONTAINER], { argv0: "containerd-shim-runc-v2", stdio: ["pipe", "ignore", "ignore"] });
    await once(shim, "spawn");
    await expect(opening([], { forgets: true })).rejects.toMatchObject({ message: expect.stringContaining("no such thing as a start") });
    await until("the shim was killed", () => shim.signalCode === "SIGKILL", 60_000).finally(() => shim.kill("SIGKILL"));
  });

  test("leaves no shim of a container that ended by itself and that it removed and forgot", async () => {
    const shim = spawn("sh", ["-c", "read line", CONTAINER], { argv0: "containerd-shim-runc-v2", stdio: ["pipe", "ignore", "ignore"] });
    await once(shim, "spawn");
    engine = await hangingEngine(join(fixture.folder, "docker.sock"), [], { forgets: true });
    const { docker } = openEngine({ dockerHost: engine.dockerHost });
    await removeContainer(docker.getContainer(CONTAINER));
    await until("the shim has ended", () => shim.signalCode !== null, 60_000).finally(() => shim.kill("SIGKILL"));
    expect(shim.signalCode).toBe("SIGKILL");
  });

  test.each([
    ["what it looks at is just ending", "no such process"],
    ["what it was to resume is just ending", `\`/usr/bin/runc resume ${CONTAINER}\` failed: exit status 1`],
  ])("is asked again where it fails because %s", async (_when, stumbles) => {
    engine = await hangingEngine(join(fixture.folder, "docker.sock"), [], { stumbles });
    const { docker } = openEngine({ dockerHost: engine.dockerHost });
    await removeContainer(docker.getContainer(CONTAINER));
    const looked = `GET /containers/${CONTAINER}/json`;
    const removed = `DELETE /containers/${CONTAINER}`;
    expect(engine.calls).toEqual([looked, looked, removed, removed, looked]);
  });

  test("lets end by itself what cleans up after a container that is gone", async () => {
    const shim = spawn("sh", ["-c", "read line", CONTAINER], { argv0: "conmon", stdio: ["pipe", "ignore", "ignore"] });
    await once(shim, "spawn");
    const ended = endLeftOf(CONTAINER, 600_000);
    shim.stdin.end("cleaned up\n");
    await ended;
    await until("it has ended", () => shim.exitCode !== null || shim.signalCode !== null).finally(() => shim.kill("SIGKILL"));
    expect(shim.signalCode).toBeNull();
  });

  test("is refused by the start that asks for what others left", async () => {
    await expect((await listen([/^GET \/containers\/json$/u])).reap(fixture.state)).rejects.toMatchObject(refusal("GET /containers/json"));
  });

  test("keeps no start from going on by a container that it does not remove", async () => {
    const lines = await (await listen([/^DELETE /u])).reap(fixture.state);
    expect(lines).toEqual([
      expect.stringMatching(/^could not remove container [0-9a-f]{12} of run-of-a-test: .*`DELETE \/containers\/[0-9a-f]{12}` and did not answer/u),
    ]);
  });

  test("is not ready", async () => {
    expect(await (await listen([/^GET \/version$/u])).check()).toMatchObject({ isReady: false, detail: expect.stringContaining("GET /version") });
  });
});
