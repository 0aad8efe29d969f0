import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalServers, startLocalServers } from "../sandbox/egress/local-servers.ts";
import { describeWithDocker } from "../support/docker.ts";
import { makePlace, type Place, warder } from "../support/warder-cli.ts";

const SECRET = "s3cret-Value/of+the=run";
const FOUND = { web: { results: [{ title: "A page", url: "https://found.example.org/a", description: `said with ${SECRET}` }] } };

type Result = { readonly ending: string; readonly isError: boolean; readonly text: string };

describeWithDocker("the tools of the web, called by a run's model", () => {
  let here: Place & { remove(): void };
  let servers: LocalServers;
  let results: Readonly<Record<string, Result>>;
  let log = "";

  // One run of the command line plays every call, a turn each.
  beforeAll(async () => {
    here = makePlace();
    servers = await startLocalServers({ "/v1/search": Buffer.from(JSON.stringify(FOUND)) });
    const { http, https } = servers;
    const plain = `http://127.0.0.1:${http}`;
    const secure = `https://secure.example.org:${https}`;
    const calls = {
      fetched: { tool: "web_fetch", input: { url: `${plain}/hello/page` } },
      posted: { tool: "http_request", input: { method: "POST", url: `${plain}/hello/echo`, body: "it's sent" } },
      asked: { tool: "http_request", input: { method: "GET", url: `${plain}/hello/headers`, headers: [{ name: "Accept", value: "text/plain" }] } },
      signed: { tool: "http_request", input: { method: "GET", url: `${secure}/v1/headers` } },
      scope: { tool: "http_request", input: { method: "GET", url: `${secure}/v2/items` } },
      elsewhere: { tool: "web_fetch", input: { url: "http://198.51.100.7/" } },
      shell: { tool: "shell", input: { command: "curl -sSg -- http://198.51.100.7/" } },
      secret: { tool: "http_request", input: { method: "GET", url: `${secure}/v1/items`, headers: [{ name: "Authorization", value: "Bearer mine" }] } },
      searched: { tool: "web_search", input: { query: "what is searched" } },
      file: { tool: "web_fetch", input: { url: "file:///etc/passwd" } },
    };
    const turns = [...Object.values(calls).map((call) => ({ calls: [call] })), { say: "Done." }];
    writeFileSync(join(here.root, "script.yaml"), JSON.stringify({ protocol: "anthropic", turns }));
    writeFileSync(join(here.root, "authority.pem"), servers.certificate);
    mkdirSync(here.state, { mode: 0o700 });
    writeFileSync(join(here.state, "settings.yaml"), `version: 1\nsearch: { kind: brave, url: "${secure}/v1/search" }\n`, { mode: 0o600 });
    writeFileSync(
      join(here.root, "own.yaml"),
      `version: 1
name: own
extends: base
autonomy: supervised
workspace: { roots: [{ path: ".", access: read-write }] }
sandbox:
  network:
    allow: ["127.0.0.1:${http}", "127.0.0.1:${https}", "secure.example.org:${https}"]
    names: { secure.example.org: 127.0.0.1 }
    credentials:
      - { id: a-token, secret: { env: A_TOKEN }, host: secure.example.org, port: ${https}, methods: [GET], paths: ["/v1/**"], header: { authorization: "Bearer {secret}" } }
`,
    );
    const argv = ["run", "--policy", join(here.root, "own.yaml"), "--json", "--model", `scripted:${join(here.root, "script.yaml")}`, "Go."];
    const { stdout } = await warder(here, argv, { environment: { A_TOKEN: SECRET, NODE_EXTRA_CA_CERTS: join(here.root, "authority.pem") } });
    const events = stdout.split("\n").filter((line) => line.includes('"kind":"tool-result"'));
    const told = events.map((line) => JSON.parse(line) as Result);
    results = Object.fromEntries(Object.keys(calls).map((name, index) => [name, told[index] as Result]));
    log = (await warder(here, ["audit", "tail", "--json", "--limit", "300"])).stdout;
  });
  afterAll(() => {
    servers?.close();
    here?.remove();
  });

  test("web_fetch reads what a listed host answers, labelled untrusted, with its source", () => {
    const source = `source: http://127.0.0.1:${servers.http}/hello/page`;
    expect(results["fetched"]).toMatchObject({ isError: false, text: expect.stringMatching(/^\[untrusted output\]\nsource: [^]*hello \/hello\/page$/u) });
    expect(results["fetched"]?.text).toContain(source);
    expect(results["file"]).toMatchObject({ ending: "invalid", text: expect.stringContaining("for a file use read_file") });
  });

  test("another host is refused before anything is asked, as the same command in the shell", () => {
    for (const name of ["elsewhere", "shell"]) expect(results[name]).toMatchObject({ ending: "denied", text: expect.stringContaining("host-not-allowed") });
  });

  test("http_request sends nothing that nobody allowed, and reads as the shell does", () => {
    expect(results["posted"]?.ending).not.toBe("executed");
    expect(results["asked"]?.text).toMatch(/status: 200[^]*"accept":"text\/plain"/u);
    expect(servers.asked.some(({ method }) => method === "POST")).toBe(false);
  });

  test("web_search asks the engine of the settings, with the key that the proxy adds, labelled untrusted", () => {
    expect(servers.asked.find(({ url }) => url.startsWith("/v1/search"))).toMatchObject({
      url: "/v1/search?q=what+is+searched&count=8",
      headers: { authorization: `Bearer ${SECRET}` },
    });
    const text = results["searched"]?.text ?? "";
    expect(text).toMatch(
      /^\[untrusted output\]\nsource: [^]*\n1\. \[found\.example\.org\] A page\n {3}https:\/\/found\.example\.org\/a\n {3}said with \[redacted: a-token\]$/u,
    );
    expect(text).not.toContain(SECRET);
  });

  test("a credential is added on the way out: neither the model nor the log sees it, and none goes where it is not for", () => {
    expect(servers.asked.find(({ url }) => url === "/v1/headers")?.headers["authorization"]).toBe(`Bearer ${SECRET}`);
    expect(results["signed"]?.text).toContain('"authorization":"Bearer [redacted: a-token]"');
    expect(results["scope"]).toMatchObject({ isError: true, text: expect.stringContaining("(credential-scope)") });
    expect(results["secret"]).toMatchObject({ ending: "invalid", text: expect.stringContaining("sandbox.network.credentials") });
    expect(log).toMatch(/"kind":"credential-used"[^\n]*"a-token"/u);
    expect(log).toMatch(/"does":"request"/u);
    expect(log).not.toContain(SECRET);
  });
});
