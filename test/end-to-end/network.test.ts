import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type LocalServers, startLocalServers } from "../sandbox/egress/local-servers.ts";
import { describeWithDocker } from "../support/docker.ts";
import { OPENED, makePlace, warder, writePolicy } from "../support/warder-cli.ts";

describeWithDocker("a policy with a network", () => {
  let servers: LocalServers;
  let place: ReturnType<typeof makePlace>;
  beforeAll(async () => {
    servers = await startLocalServers();
  });
  afterAll(() => servers.close());
  beforeEach(() => {
    place = makePlace();
  });
  afterEach(() => place.remove());

  const policy = (): string =>
    writePolicy(
      place,
      "open",
      `version: 1\nname: open\nextends: base\nautonomy: supervised\nworkspace: { roots: [{ path: ".", access: read-write }] }\nsandbox:\n  network: { allow: ["127.0.0.1:${servers.http}"] }\n`,
    );

  test("lets a command reach a listed host without a question, and records the connection", async () => {
    const url = `http://127.0.0.1:${servers.http}/out`;
    expect(await warder(place, ["exec", "--policy", policy(), "--", `curl -sS ${url}`])).toMatchObject({
      exitCode: 0,
      stdout: "hello /out",
      stderr: expect.stringMatching(OPENED),
    });
    const log = await warder(place, ["audit", "tail", "--json"]);
    const record: unknown = JSON.parse(log.stdout.split("\n").find((line) => line.includes('"kind":"connection"')) ?? "null");
    expect(record).toMatchObject({ host: "127.0.0.1", port: servers.http, address: "127.0.0.1", decision: "allow", reason: "closed", bytesDown: 10 });
    expect((await warder(place, ["audit", "verify"])).exitCode).toBe(0);
  });

  test("refuses another host before anything runs", async () => {
    const end = await warder(place, ["exec", "--policy", policy(), "--json", "--", "curl http://127.0.0.1:9/"]);
    expect(end.exitCode).toBe(3);
    expect(end.stdout).toContain("host-not-allowed");
  });

  test("is not needed for a server that a command starts itself", async () => {
    const ask = `node -e 'fetch("http://localhost:8123/").then(async (r) => process.stdout.write(await r.text()), () => process.exit(1))'`;
    const serve = `node -e 'require("node:http").createServer((_q, r) => r.end("inside")).listen(8123, "127.0.0.1")' & until ${ask}; do sleep 0.1; done`;
    const { stdout, exitCode } = await warder(place, ["exec", "--policy", "unattended", "--", serve]);
    expect({ stdout, exitCode }).toEqual({ stdout: "inside", exitCode: 0 });
    // What the host listens at is another loopback's.
    const outside = await warder(place, ["exec", "--policy", "unattended", "--", `curl -sS http://127.0.0.1:${servers.http}/out`]);
    expect(outside).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringMatching(/connect/u) });
  });

  test("that is missing is said at once, and to the person too", async () => {
    const end = await warder(place, ["exec", "--policy", "unattended", "--", "npx left-pad"]);
    expect(end).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/ENOTCACHED[^]*warder: This policy gives its sandbox no network.*sandbox\.network\.allow/u),
    });
  });
});
