import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type LocalServers, startLocalServers } from "../sandbox/egress/local-servers.ts";
import { describeWithDocker } from "../support/docker.ts";
import { makePlace, warder, writePolicy } from "../support/warder-cli.ts";

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

  const policy = (changes: { secret?: string; limits?: string } = {}): string => {
    const { https } = servers;
    return writePolicy(
      place,
      "credential",
      `version: 1
name: credential
extends: base
autonomy: supervised
workspace: { roots: [{ path: ".", access: read-write }] }
${changes.limits ?? ""}
sandbox:
  network:
    allow: ["secure.example.org:${https}", "127.0.0.1:${https}"]
    names: { secure.example.org: 127.0.0.1 }
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
    expect(ran).toMatchObject({ exitCode: 0, stdout: "hello /v1/items", stderr: "" });
    expect(servers.asked[0]?.headers["authorization"]).toBe(`Bearer ${SECRET}`);
    expect(await kinds("credential-used")).toMatchObject([
      { credential: "a-token", host: "secure.example.org", method: "GET", path: "/v1/items", decision: "allow" },
    ]);
    expect(await kinds("connection")).toMatchObject([{ via: "connect" }, { via: "http", request: { credentials: ["a-token"] }, reason: "closed" }]);
    const log = await warder(place, ["audit", "tail", "--json", "--limit", "100"]);
    expect(log.stdout).not.toContain(SECRET);
    expect((await warder(place, ["audit", "verify"])).exitCode).toBe(0);
  });
});
