import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { dockerRuntime } from "../../../src/sandbox/docker/runtime.ts";
import type { Session } from "../../../src/sandbox/runtime.ts";
import { docker } from "../../contract/docker-under-test.ts";
import { mountsBelow } from "../../contract/runtime.ts";
import { makeFixture, OWN_UID, perform, profileOf, type ProfileChanges, run, type SandboxFixture } from "../../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../../support/docker.ts";
import { makePlace, warder } from "../../support/warder-cli.ts";
import { type WeakerEngine, weakerEngine } from "../../support/weaker-engine.ts";

type Weaken = Parameters<typeof weakerEngine>[1];
type Options = Parameters<Weaken>[0];

type Case = [string, string, (options: Options) => unknown];

const FORBIDDEN_SHOWN: Case = [
  "a forbidden file",
  "planned mounts: expected all, found other than planned",
  ({ HostConfig }) => (HostConfig.Mounts = HostConfig.Mounts?.filter(({ Target }) => !String(Target).endsWith("/.env")) ?? []),
];

describeWithDocker("a sandbox that an engine opens weaker than it was told", () => {
  let fixture: SandboxFixture;
  let engine: WeakerEngine | null = null;
  beforeEach(() => {
    fixture = makeFixture({ "a.txt": "alpha\n", ".env": "SECRET=1\n" });
  });
  afterEach(async () => {
    await engine?.close();
    engine = null;
    fixture.remove();
  });

  const open = async (weaken: Weaken, changes: ProfileChanges = {}): Promise<Session> => {
    engine = await weakerEngine(join(fixture.folder, "engine.sock"), weaken);
    return await dockerRuntime({ dockerHost: engine.dockerHost }).open(profileOf(fixture, changes), {
      runId: fixture.runId,
      runDirectory: fixture.runDirectory,
    });
  };
  const without = (options: Options, name: string): void => {
    (options.HostConfig["SecurityOpt"] as string[]) = (options.HostConfig["SecurityOpt"] as string[]).filter((option) => !option.startsWith(name));
  };

  test.each<Case>([
    ["a root that can be written", "writing to /: expected EROFS", ({ HostConfig }) => (HostConfig["ReadonlyRootfs"] = false)],
    ["a capability more", "CapBnd: expected SETUID, SETGID, KILL at most", ({ HostConfig }) => (HostConfig["CapAdd"] as string[]).push("SYS_ADMIN")],
    [
      "every system call",
      "Seccomp: expected 2, found 0",
      (options) => (without(options, "seccomp="), (options.HostConfig["SecurityOpt"] as string[]).push("seccomp=unconfined")),
    ],
    ["the engine's own filter", "a socket of the kernel's device events: expected refused, found it worked", (options) => without(options, "seccomp=")],
    [
      "a network",
      "reaching an address outside: expected refused, found it worked",
      (options) => {
        options.NetworkDisabled = false;
        options.HostConfig["NetworkMode"] = "host";
      },
    ],
    ["more memory", "memory: expected 268435456", ({ HostConfig }) => ([HostConfig["Memory"], HostConfig["MemorySwap"]] = [2 ** 29, 2 ** 29])],
    ["any number of processes", "processes: expected 64", ({ HostConfig }) => delete HostConfig["PidsLimit"]],
    ["the kernel's own paths", "masked and read-only paths: expected all", ({ HostConfig }) => (HostConfig["MaskedPaths"] = HostConfig["ReadonlyPaths"] = [])],
    [
      "a directory of the host",
      "mounts of the host: expected the workspace and the roots alone, found /mnt",
      ({ HostConfig }) => (HostConfig["Binds"] = ["/srv:/mnt:ro"]),
    ],
    [
      "the engine's socket",
      "Warder's state, engines and forbidden paths: expected not there, found /var/run/docker.sock",
      ({ HostConfig }) => (HostConfig["Binds"] = ["/var/run/docker.sock:/var/run/docker.sock"]),
    ],
    [
      "setuid programs in /tmp",
      "writable mounts: expected nosuid, nodev, found without: /tmp",
      ({ HostConfig }) => (HostConfig["Tmpfs"] = { ...(HostConfig["Tmpfs"] as object), "/tmp": "rw,suid,exec,size=1048576,mode=1777" }),
    ],
    // Root masks it with a mount; for another user it is not in the overlay.
    ...(OWN_UID === 0 ? [FORBIDDEN_SHOWN] : []),
  ])("with %s is closed before anything runs in it", async (_what, told, weaken) => {
    // One that opens is closed, so that the test fails and goes on.
    await expect(open(weaken).then((session) => session.close())).rejects.toMatchObject({
      code: "sandbox-unavailable",
      problem: expect.stringContaining(told),
    });
    expect(docker.leftovers(fixture.runId)).toEqual([]);
    expect(mountsBelow(fixture.folder)).toEqual([]);
  });

  test("for a job alone starts no job, and the commands' own goes on", async () => {
    const session = await open((options, created) => (options.HostConfig["ReadonlyRootfs"] = created === 0));
    try {
      const start = { kind: "start-job" as const, argv: ["/bin/true"], cwd: fixture.workspace, env: {}, timeoutMs: 60_000 };
      expect(await perform(session, start)).toMatchObject({ kind: "failed", reason: expect.stringContaining("writing to /: expected EROFS") });
      expect(await run(session, "cat a.txt")).toMatchObject({ code: 0, out: "alpha\n" });
      expect(docker.running(fixture.runId)).toHaveLength(1);
    } finally {
      await session.close();
    }
  });

  test("ends the run with 6, says what does not hold, and is in the log", async () => {
    const place = makePlace();
    engine = await weakerEngine(join(place.root, "engine.sock"), ({ HostConfig }) => (HostConfig["ReadonlyRootfs"] = false));
    try {
      const environment = { DOCKER_HOST: engine.dockerHost };
      const end = await warder(place, ["exec", "--policy", "unattended", "--", "touch ran"], { environment });
      expect(end).toMatchObject({ exitCode: 6, stdout: "", stderr: expect.stringMatching(/boundary does not hold.*writing to \/: expected EROFS/su) });
      const log = await warder(place, ["audit", "tail", "--json"], { environment });
      const records = log.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { kind: string; detail?: string });
      expect(records.map(({ kind }) => kind)).not.toContain("sandbox-opened");
      expect(records.find(({ kind }) => kind === "run-end")?.detail).toContain("writing to /: expected EROFS");
      const doctor = await warder(place, ["doctor"], { environment });
      expect(doctor).toMatchObject({ exitCode: 6, stdout: expect.stringMatching(/✗ {3}root file system +expected ro, found rw/u) });
    } finally {
      place.remove();
    }
  });
});

describeWithDocker("a sandbox that holds", () => {
  test("says what a run starts with in one line, to a person and in the log", async () => {
    const place = makePlace();
    try {
      const end = await warder(place, ["exec", "--policy", "unattended", "--", "echo out"]);
      expect(end).toMatchObject({ exitCode: 0, stdout: "out\n" });
      const held =
        /^warder: policy unattended \(sha256:[0-9a-f]{12}…\), docker, transactional overlay by [^,]+, no network; boundary probed: (\d+) of \1 hold\n$/u.exec(
          end.stderr,
        );
      expect(Number(held?.[1])).toBeGreaterThan(30);
      const quiet = await warder(place, ["exec", "--policy", "unattended", "--json", "--", "echo out"]);
      expect(quiet).toMatchObject({ exitCode: 0, stderr: "" });
      const log = await warder(place, ["audit", "tail", "--json", "--kind", "sandbox-opened"]);
      const [record] = log.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { probed: string[]; unseen: string[] });
      expect(record?.probed).toHaveLength(Number(held?.[1]));
      expect(record).toMatchObject({ probed: expect.arrayContaining(["writing to /", "planned mounts", "memory"]), unseen: [] });
    } finally {
      place.remove();
    }
  });
});
