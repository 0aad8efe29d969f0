import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type LocalServers, startLocalServers } from "../sandbox/egress/local-servers.ts";
import { describeWithDocker } from "../support/docker.ts";
import { OPENED, makePlace, startWarder, warder, writePolicy } from "../support/warder-cli.ts";

const SECRET = "s3cret-Value/of+the=run";

describeWithDocker("a policy with a credential", () => {
  let servers: LocalServers;
  let place: ReturnType<typeof makePlace>;
  let environment: Record<string, string>;
  beforeAll(async () => {
    servers = await startLocalServers();
  });
  afterAll(() => servers.close());
  beforeEach(() => {
    place = makePlace();
    servers.asked.length = 0;
    writeFileSync(join(place.root, "authority.pem"), servers.certificate);
    environment = { A_TOKEN: SECRET, NODE_EXTRA_CA_CERTS: join(place.root, "authority.pem") };
  });
  afterEach(() => place.remove());

  const policy = (changes: { secret?: string; limits?: string; more?: string; roots?: string } = {}): string => {
    const { https } = servers;
    return writePolicy(
      place,
      "credential",
      `version: 1
name: credential
extends: base
autonomy: supervised
workspace: { roots: [{ path: ".", access: read-write }${changes.roots ?? ""}] }
${changes.limits ?? ""}
sandbox:
  network:
    allow: ["secure.example.org:${https}", "127.0.0.1:${https}"${changes.more ?? ""}]
    names: { secure.example.org: 127.0.0.1, files.example.org: 127.0.0.1 }
    credentials:
      - id: a-token
        secret: ${changes.secret ?? "{ env: A_TOKEN }"}
        host: secure.example.org
        port: ${https}
        methods: [GET]
        paths: ["/v1/**"]
        header: { authorization: "Bearer {secret}" }
`,
    );
  };
  const curl = (path: string): string => `curl -sS https://secure.example.org:${servers.https}${path}`;
  const kinds = async (kind: string): Promise<unknown[]> =>
    (await warder(place, ["audit", "tail", "--json", "--limit", "100"])).stdout
      .split("\n")
      .filter((line) => line.includes(`"kind":"${kind}"`))
      .map((line) => JSON.parse(line) as unknown);

  test("a command gets the answer and never the secret; the use is recorded before the connection", async () => {
    const ran = await warder(place, ["exec", "--policy", policy(), "--", curl("/v1/items")], { environment });
    expect(ran).toMatchObject({ exitCode: 0, stdout: "hello /v1/items", stderr: expect.stringMatching(OPENED) });
    expect(servers.asked[0]?.headers["authorization"]).toBe(`Bearer ${SECRET}`);
    expect(await kinds("credential-used")).toMatchObject([
      { credential: "a-token", host: "secure.example.org", method: "GET", path: "/v1/items", decision: "allow" },
    ]);
    expect(await kinds("connection")).toMatchObject([{ via: "connect" }, { via: "http", request: { credentials: ["a-token"] }, reason: "closed" }]);
    const log = await warder(place, ["audit", "tail", "--json", "--limit", "100"]);
    expect(log.stdout).not.toContain(SECRET);
    expect((await warder(place, ["audit", "verify"])).exitCode).toBe(0);
  });

  test("an echo is redacted, a redirect is followed without it, and another path is refused", async () => {
    const script = [curl("/v1/headers"), `${curl("/v1/away")} --location --max-redirs 1`, curl("/v2/items")].join("; echo; ");
    const ran = await warder(
      place,
      ["exec", "--policy", policy({ more: `, "files.example.org:${servers.http}", "127.0.0.1:${servers.http}"` }), "--", script],
      { environment },
    );
    expect(ran.stdout).toContain('"authorization":"Bearer [redacted: a-token]"');
    expect(ran.stdout).toContain("hello /hello/landed");
    expect(ran.stdout).toContain("credential-scope");
    expect(ran.stdout + ran.stderr).not.toContain(SECRET);
    expect(servers.asked.map(({ url, headers }) => [url, headers["authorization"]])).toEqual([
      ["/v1/headers", `Bearer ${SECRET}`],
      ["/v1/away", `Bearer ${SECRET}`],
      ["/hello/landed", undefined],
    ]);
  });

  test("each use is an action, and without one left there is none", async () => {
    const path = policy({ limits: "limits: { actions: { max: 3, per: 1h } }" });
    // The command itself is the first.
    const ran = await warder(place, ["exec", "--policy", path, "--", `${curl("/v1/a")}; ${curl("/v1/b")}; ${curl("/v1/c")}`], { environment });
    expect(ran.stdout).toMatch(/^hello \/v1\/ahello \/v1\/bWarder's egress proxy refused[^\n]*credential-refused/u);
    expect(servers.asked.map(({ url }) => url)).toEqual(["/v1/a", "/v1/b"]);
    expect(await kinds("credential-used")).toMatchObject([{ decision: "allow" }, { decision: "allow" }, { decision: "deny", reason: "budget-actions" }]);
  });

  test("a use that is under way when Warder is killed stands in the log", async () => {
    const child = startWarder(place, ["exec", "--policy", policy(), "--", curl("/v1/hold")], environment);
    await expect.poll(() => servers.asked.map(({ url }) => url)).toEqual(["/v1/hold"]);
    process.kill(-Number(child.pid), "SIGKILL");
    expect(await kinds("credential-used")).toMatchObject([{ credential: "a-token", path: "/v1/hold", decision: "allow" }]);
    expect((await warder(place, ["audit", "verify"])).exitCode).toBe(0);
  });

  test.each([
    ["that is not set", "{ env: NOT_SET }", 0o600, "is not set"],
    ["in a file that is not there", "{ file: ~/absent }", 0o600, "is not there"],
    ["in a file that others may read", "{ file: ~/token }", 0o640, "chmod 600"],
    ["that is too short", "{ env: SHORT }", 0o600, "8 to 4096"],
    ["with a line end within", "{ env: LINES }", 0o600, "visible ASCII"],
  ])("a run does not start with a secret %s", async (_what, secret, mode, says) => {
    writeFileSync(join(place.home, "token"), `${SECRET}\n`);
    chmodSync(join(place.home, "token"), mode);
    const more = { SHORT: "s3cret", LINES: `${SECRET}\r\nX: y` };
    const ran = await warder(place, ["exec", "--policy", policy({ secret }), "--", "echo started"], { environment: { ...environment, ...more } });
    expect(ran.exitCode).toBe(78);
    expect(ran.stderr).toContain(says);
    expect(ran.stdout + ran.stderr).not.toContain("s3cret");
  });

  test("a secret's file is used by the proxy and by nothing else, also below a root", async () => {
    writeFileSync(join(place.home, "token"), `${SECRET}\n`, { mode: 0o600 });
    const path = policy({ secret: "{ file: ~/token }", roots: `, { path: "~", access: read }` });
    const run = (command: string) => warder(place, ["exec", "--policy", path, "--", command], { environment });
    expect(await run(curl("/v1/items"))).toMatchObject({ exitCode: 0, stdout: "hello /v1/items" });
    expect(servers.asked[0]?.headers["authorization"]).toBe(`Bearer ${SECRET}`);
    expect(await run("cat ~/token")).toMatchObject({ exitCode: 3, stdout: "", stderr: expect.stringContaining("forbidden-path") });
    const found = await run("grep -r s3cret ~ 2>/dev/null");
    expect(found.stdout).toBe("");
  });
});
