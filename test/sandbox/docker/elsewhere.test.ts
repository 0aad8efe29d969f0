import { spawn, spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { openEngine } from "../../../src/sandbox/docker/engine.ts";
import { dockerRuntime } from "../../../src/sandbox/docker/runtime.ts";
import type { Session } from "../../../src/sandbox/runtime.ts";
import { readRecord } from "../../../src/sandbox/workspace/record.ts";
import { openChanges } from "../../../src/landing/review/review.ts";
import { command, docker, ENGINE } from "../../contract/docker-under-test.ts";
import { changesContract } from "../../contract/runtime-changes.ts";
import { IS_ELSEWHERE, makeFixture, OWNERS, profileOf, type ProfileChanges, run, type SandboxFixture } from "../../contract/sandbox-fixture.ts";
import { once, until } from "../../support/until.ts";

const OWNER_SCRIPT = fileURLToPath(new URL("../../contract/sandbox-owner.ts", import.meta.url));
const runtime = (): ReturnType<typeof dockerRuntime> => dockerRuntime(ENGINE);
const open = (fixture: SandboxFixture, changes: ProfileChanges = {}): Promise<Session> =>
  runtime().open(profileOf(fixture, changes), { runId: fixture.runId, runDirectory: fixture.runDirectory });

// scripts/test-elsewhere.ts starts an engine for these.
describe.runIf(IS_ELSEWHERE)("an engine that has not this machine's files", () => {
  changesContract(docker, OWNERS.slice(-1));

  test("is found out by what it does not show, and shows a copy", async () => {
    const fixture = makeFixture({ "a.txt": "alpha\n", ".env": "SECRET=1\n" });
    const session = await open(fixture);
    try {
      expect(session.mount).toBe("overlay-elsewhere");
      writeFileSync(join(fixture.workspace, "a.txt"), "changed here\n");
      expect((await run(session, "cat a.txt; ls -A")).out).toBe("alpha\na.txt\n");
      const mounts = command("inspect", "--format", "{{range .Mounts}}{{.Type}} {{.RW}} {{.Destination}}\n{{end}}", ...docker.running(fixture.runId));
      expect(mounts.split("\n").toSorted()).toEqual(["volume false /.warder/programs", `volume true ${fixture.workspace}`]);
    } finally {
      await session.close();
      expect(docker.leftovers(fixture.runId)).toEqual([]);
      fixture.remove();
    }
  });

  test("is sent no path that policy forbids, and nothing of one comes to lie there", async () => {
    const fixture = makeFixture({ ".env": "SECRET-VALUE\n", "secrets/key": "SECRET-VALUE\n", "b.txt": "b\n" });
    const session = await open(fixture);
    try {
      const [store = ""] = command("volume", "ls", "--quiet", "--filter", "label=warder.store", "--filter", `label=warder.run=${fixture.runId}`).split("\n");
      const image = readFileSync(fileURLToPath(new URL("../../../sandbox/build/image-id", import.meta.url)), "utf8").trim();
      const found = command(
        "run",
        "--rm",
        "--network=none",
        `--volume=${store}:/store:ro`,
        image,
        "sh",
        "-c",
        "cd /store && find . | sort; grep -r SECRET-VALUE . || true",
      );
      expect(found.split("\n").filter((line) => !line.startsWith("./programs") && !line.startsWith("./work/"))).toEqual([
        ".",
        "./root-0",
        "./root-0/b.txt",
        "./upper",
        "./work",
      ]);
    } finally {
      await session.close();
      fixture.remove();
    }
  });

  test("mounts other roots that are only read", async () => {
    const fixture = makeFixture({ "a.txt": "a\n", "inner/c.txt": "c\n" });
    mkdirSync(join(fixture.folder, "reference"));
    writeFileSync(join(fixture.folder, "reference/doc.txt"), "doc\n");
    const roots = [
      { path: fixture.workspace, access: "read-write" as const },
      { path: join(fixture.folder, "reference"), access: "read" as const },
      { path: join(fixture.workspace, "inner"), access: "read" as const },
    ];
    const session = await open(fixture, { roots });
    try {
      const { out } = await run(session, "cat ../reference/doc.txt inner/c.txt; touch ../reference/x inner/x 2>/dev/null || echo held; echo b > b.txt");
      expect(out).toBe("doc\nc\nheld\n");
      expect((await session.changes()).map(({ path }) => path)).toEqual(["b.txt"]);
    } finally {
      await session.close();
      fixture.remove();
    }
  });

  test("shows a workspace that is only read, and one that is none", async () => {
    const fixture = makeFixture({ "a.txt": "a\n" });
    const read = await open(fixture, { roots: [{ path: fixture.workspace, access: "read" }] });
    expect(read.mount).toBe("copy-elsewhere");
    expect((await run(read, "cat a.txt; touch b.txt 2>/dev/null || echo held")).out).toBe("a\nheld\n");
    await read.close();
    const none = await open(fixture, { settings: { workspace: "none" } });
    expect((await run(none, "ls -A; touch b.txt && echo scratch")).out).toBe("scratch\n");
    await none.close();
    expect(docker.leftovers(fixture.runId)).toEqual([]);
    fixture.remove();
  });

  test("finds its own loopback by its name, and nobody else by any", async () => {
    const fixture = makeFixture({ "a.txt": "a\n" });
    // Without control groups each process has the limit of memory for itself, and Node.js reserves more than the fixture's.
    const session = await open(fixture, { settings: { memoryBytes: 1024 ** 3 } });
    const serve = `node -e 'require("node:http").createServer((_q, r) => r.end("inside")).listen(8123, "127.0.0.1")' &`;
    const ask = `node -e 'fetch("http://localhost:8123/").then(async (r) => process.stdout.write(await r.text()), () => process.exit(1))'`;
    expect((await run(session, `${serve} for _ in {1..300}; do ${ask} && exit; sleep 0.1; done; exit 1`)).out).toBe("inside");
    expect((await run(session, "cat /proc/net/dev | grep -c :; grep -v '^#' /etc/resolv.conf; touch /etc/hosts 2>/dev/null || echo held")).out).toBe(
      "1\nnameserver 127.0.0.1\nheld\n",
    );
    expect((await run(session, "getent hosts example.org; echo $?")).out).toBe("2\n");
    await session.close();
    expect(docker.leftovers(fixture.runId)).toEqual([]);
    fixture.remove();
  });

  test.each<[string, (fixture: SandboxFixture) => ProfileChanges, RegExp]>([
    ["a bound workspace", () => ({ settings: { workspace: "bind" } }), /sandbox\.workspace: bind/u],
    [
      "another root that is written to",
      ({ workspace, folder }) => ({
        roots: [
          { path: workspace, access: "read-write" },
          { path: join(folder, "other"), access: "read-write" },
        ],
      }),
      /The root .*other cannot be written to/u,
    ],
    ["hosts of the network", () => ({ settings: { network: { allow: ["example.org"] } } }), /hosts and registries of `sandbox\.network`/u],
  ])("is not asked for %s: nothing runs, and it is said why", async (_what, changes, message) => {
    const fixture = makeFixture({ "a.txt": "a\n" });
    mkdirSync(join(fixture.folder, "other"));
    await expect(open(fixture, changes(fixture))).rejects.toMatchObject({ code: "sandbox-unavailable", message: expect.stringMatching(message) });
    expect(docker.leftovers(fixture.runId)).toEqual([]);
    fixture.remove();
  });

  test("keeps what a run wrote when its owner is killed, until it is brought back", async () => {
    const fixture = makeFixture({ "a.txt": "a\n", "gone.txt": "gone\n" });
    const child = spawn(process.execPath, [OWNER_SCRIPT, "docker", JSON.stringify({ fixture })], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    // Nobody else takes it away: not an engine that does not answer, nor another one, nor a Warder with another state.
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = silent.address();
    const unanswered = dockerRuntime({ dockerHost: `tcp://127.0.0.1:${String(typeof address === "object" ? address?.port : 0)}`, answerTimeoutMs: 200 });
    const failed = openChanges(fixture.runDirectory, { endSandboxes: () => unanswered.reap(fixture.state) });
    await expect(failed).rejects.toMatchObject({
      code: "sandbox-unavailable",
      message: expect.stringMatching(/still on the engine at .*Nothing of it is lost.*did not answer/su),
    });
    silent.close();
    await expect(openChanges(fixture.runDirectory)).rejects.toMatchObject({
      code: "sandbox-unavailable",
      message: expect.stringContaining("still on the engine"),
    });
    const other = makeFixture();
    await runtime().reap(other.state);
    other.remove();
    expect(readRecord(fixture.runDirectory)).toMatchObject({ state: "open", elsewhere: { address: openEngine(ENGINE).address.name } });
    const review = await openChanges(fixture.runDirectory, { endSandboxes: () => runtime().reap(fixture.state) });
    expect(review?.list().map(({ kind, path }) => `${kind} ${path}`)).toEqual(["added made"]);
    await review?.discard();
    expect(docker.leftovers(fixture.runId)).toEqual([]);
    fixture.remove();
  });

  test("goes on in a later session with what was written before, and keeps each kind of change", async () => {
    const fixture = makeFixture({ "a.txt": "a\n", "gone.txt": "gone\n", "d/x": "x\n", "d/y": "y\n" });
    const first = await open(fixture);
    await run(
      first,
      "echo more >> a.txt; rm gone.txt; rm -r d; mkdir d; echo z > d/z; ln -s a.txt l; mkdir shut; echo in > shut/in; chmod 000 shut; chmod 755 a.txt",
    );
    const before = await first.changes();
    expect(before.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      "modified a.txt",
      "deleted d/x",
      "deleted d/y",
      "added d/z",
      "deleted gone.txt",
      "added l",
      "added shut",
      "added shut/in",
    ]);
    await first.close();
    const second = await open(fixture);
    expect((await run(second, "cat a.txt l; ls -A; ls d; chmod 700 shut; cat shut/in; chmod 000 shut")).out).toBe(
      "a\nmore\na\nmore\na.txt\nd\nl\nshut\nz\nin\n",
    );
    expect(await second.changes()).toEqual(before);
    await second.close();
    const review = await openChanges(fixture.runDirectory);
    expect(review?.list()).toEqual(before);
    await review?.discard();
    fixture.remove();
  });

  test("brings holes back as holes", async () => {
    const fixture = makeFixture({ "a.txt": "a\n" });
    const session = await open(fixture);
    // Holes cost nothing on the way.
    await run(session, "truncate -s 1900M hole; echo fine > fine");
    expect((await session.changes()).map(({ path, size }) => [path, size])).toEqual([
      ["fine", 5],
      ["hole", 1900 * 1024 ** 2],
    ]);
    expect(lstatSync(join(fixture.runDirectory, "workspace/layers/upper/hole")).blocks).toBe(0);
    await session.close();
    const review = await openChanges(fixture.runDirectory);
    await review?.discard();
    fixture.remove();
  });

  // An engine on a socket of this machine has none of another's.
  test.skipIf(ENGINE.dockerHost?.startsWith("unix:") === true)("leaves alone what others have on the engine", async () => {
    const label = `warder.owner=another-boot/pid:[1]/1/1`;
    const volume = command("volume", "create", "--label", label);
    const fixture = makeFixture();
    const lines = await runtime().reap(fixture.state);
    expect(lines.join("\n")).not.toContain(volume);
    expect(spawnSync("docker", ["volume", "rm", volume], { stdio: "ignore" }).status).toBe(0);
    fixture.remove();
  });

  test("says that the volume of a run is gone, and goes on", async () => {
    const fixture = makeFixture({ "a.txt": "a\n" });
    const child = spawn(process.execPath, [OWNER_SCRIPT, "docker", JSON.stringify({ fixture })], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    await until("nothing of it runs", () => docker.running(fixture.runId).length === 0);
    const ids = docker.leftovers(fixture.runId);
    spawnSync("docker", ["rm", "--force", ...ids], { stdio: "ignore" });
    spawnSync("docker", ["volume", "rm", ...ids], { stdio: "ignore" });
    expect((await runtime().reap(fixture.state)).join("\n")).toContain(`has no more what ${fixture.runId} wrote there`);
    expect(existsSync(join(fixture.runDirectory, "workspace/owner"))).toBe(false);
    fixture.remove();
  });
});
