import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bubblewrapRuntime } from "../../../src/sandbox/bubblewrap/runtime.ts";
import { dockerRuntime } from "../../../src/sandbox/docker/runtime.ts";
import type { ConnectionRecord } from "../../../src/sandbox/egress/traffic/connection-record.ts";
import type { Runtime, Session } from "../../../src/sandbox/runtime.ts";
import { bash, makeFixture, perform, profileOf, run, type SandboxFixture } from "../../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../../support/docker.ts";
import { repositoryFiles } from "../../support/registries/git.ts";
import { type LocalServers, startLocalServers } from "./local-servers.ts";

function suite(runtime: Runtime): void {
  let servers: LocalServers;
  let fixture: SandboxFixture;
  let session: Session;
  const records: ConnectionRecord[] = [];

  beforeAll(async () => {
    servers = await startLocalServers(repositoryFiles());
    fixture = makeFixture({ "certificate.pem": servers.certificate });
    const { http, https } = servers;
    const allow = [`files.example.org:${http}`, `secure.example.org:${https}`, `127.0.0.1:${http}`, `127.0.0.1:${https}`, "private.example.org"];
    session = await runtime.open(profileOf(fixture, { settings: { workspace: "bind", runtime: runtime.name, network: { allow } } }), {
      runId: fixture.runId,
      runDirectory: fixture.runDirectory,
      onConnection: (record) => records.push(record),
      names: {
        "files.example.org": ["127.0.0.1"],
        "secure.example.org": ["127.0.0.1"],
        "private.example.org": ["10.0.0.1"],
        "other.example.org": ["127.0.0.1"],
      },
    });
  });

  afterAll(async () => {
    await session.close();
    servers.close();
    const left = proxiesIn(fixture.folder);
    fixture.remove();
    expect(left).toEqual([]);
  });

  test("curl fetches over HTTP and over TLS, and each connection is recorded", async () => {
    const { http, https } = servers;
    const result = await run(
      session,
      `curl -sS http://FILES.example.org.:${http}/hello/a && curl -sS --cacert certificate.pem https://secure.example.org:${https}/hello/b`,
    );
    expect(result).toMatchObject({ code: 0, out: "hello /hello/ahello /hello/b", err: "" });
    await expect
      .poll(() => records.filter(({ decision }) => decision === "allow"))
      .toMatchObject([
        { via: "http", host: "files.example.org", port: http, address: "127.0.0.1", reason: "closed", bytesDown: 14 },
        { via: "connect", host: "secure.example.org", port: https, address: "127.0.0.1", reason: "closed", bytesUp: expect.any(Number) },
      ]);
    expect(records.at(-1)?.bytesDown).toBeGreaterThan(500);
  });

  test("git clones", async () => {
    const { http } = servers;
    const cloned = await run(session, `git clone --quiet http://files.example.org:${http}/repository.git /tmp/cloned && cat /tmp/cloned/read-me`);
    expect(cloned).toMatchObject({ code: 0, out: "cloned\n" });
  });

  // The host's Node.js may be older than the setting.
  test.runIf(runtime.name === "docker")("Node.js fetches both ways", async () => {
    const { http, https } = servers;
    const script = `const get = async (url) => console.log(await (await fetch(url)).text());
      await get("http://files.example.org:${http}/hello/fetch"); await get("https://secure.example.org:${https}/hello/fetch");`;
    const fetched = await run(session, `NODE_EXTRA_CA_CERTS=$PWD/certificate.pem node --input-type=module -e '${script}'`);
    expect(fetched).toMatchObject({ code: 0, out: "hello /hello/fetch\nhello /hello/fetch\n" });
  });

  test.each([
    ["a host that is not listed", "http://other.example.org:HTTP/", "host-not-allowed"],
    ["a port that is not listed", "http://files.example.org:1/", "host-not-allowed"],
    ["a listed host with a private address", "http://private.example.org/", "private-address"],
    ["an address that is not listed", "http://127.0.0.2:HTTP/", "host-not-allowed"],
    ["an address that curl reads from another form", "http://2852039166:HTTP/", "host-not-allowed"],
    ["the metadata service", "http://169.254.169.254/latest/", "host-not-allowed"],
  ])("refuses %s", async (_what, url, reason) => {
    const before = records.length;
    const result = await run(session, `curl -sS -o /dev/null -w '%{http_code}' --noproxy '' ${url.replace("HTTP", String(servers.http))} -D -`);
    expect(result.out).toContain(`X-Warder-Refusal: ${reason}`.toLowerCase());
    await expect.poll(() => records.slice(before)).toContainEqual(expect.objectContaining({ decision: "deny", reason }));
  });

  test("says beside a command's end what was refused to it, and nothing of another's", async () => {
    const told = async (command: string): Promise<unknown> => {
      const outcome = await perform(session, bash(session, command));
      return outcome.kind === "completed" && outcome.result.kind === "exec" ? outcome.result.network : outcome;
    };
    const { http } = servers;
    const refused = { target: `other.example.org:${http}`, code: "host-not-allowed", reason: "the policy does not allow this host and port" };
    expect(await told(`for i in 1 2 3; do curl -sS http://other.example.org:${http}/; done; false`)).toEqual([refused]);
    expect(await told(`curl -sS http://files.example.org:${http}/hello/a`)).toEqual([]);
  });

  test("has no other way out: no TCP, no DNS, no interface but the loopback", async () => {
    const { http } = servers;
    const direct = await run(
      session,
      `curl -sS --noproxy '*' --max-time 5 http://127.0.0.1:${http}/; getent hosts files.example.org; ls /sys/class/net; cat /proc/net/route`,
    );
    expect(direct.out.replaceAll(/\s+/gu, " ")).not.toMatch(/hello|127\.0\.0\.1|eth0/u);
  });

  test("keeps its forwarder through the clean-up after each command, and takes it away with it", async () => {
    const { http } = servers;
    const url = `http://files.example.org:${http}/hello/again`;
    await run(session, `(setsid curl -sS --limit-rate 1 ${url} >/dev/null 2>&1 &) ; kill -9 -1`).catch(() => undefined);
    expect(await run(session, `curl -sS ${url}`)).toMatchObject({ code: 0, out: "hello /hello/again" });
    expect(await run(session, `curl -sS ${url}`)).toMatchObject({ code: 0, out: "hello /hello/again" });
  });

  test("says to programs where the proxy is", async () => {
    const { out } = await run(session, "env | grep -i proxy | sort");
    expect(out).toMatch(/^HTTPS_PROXY=http:\/\/127\.0\.0\.1:3128$/mu);
    expect(out).toMatch(/^NODE_USE_ENV_PROXY=1$/mu);
    expect(out).toMatch(/^JAVA_TOOL_OPTIONS=.*-Dhttps\.proxyHost=127\.0\.0\.1 -Dhttps\.proxyPort=3128 .*nonProxyHosts=localhost\|\[::1\] /mu);
  });
}

function proxiesIn(folder: string): readonly string[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/u.test(pid))
    .filter((pid) => {
      const { stdout } = spawnSync("readlink", [`/proc/${pid}/cwd`], { encoding: "utf8" });
      return stdout.startsWith(folder);
    });
}

describeWithDocker("the egress of a Docker session", () => {
  suite(dockerRuntime());
});

const { isReady, detail } = await bubblewrapRuntime().check();
const group = isReady || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;
group(isReady ? "the egress of a bubblewrap session" : `the egress of a bubblewrap session [skipped: ${detail}]`, () => {
  suite(bubblewrapRuntime());
});
