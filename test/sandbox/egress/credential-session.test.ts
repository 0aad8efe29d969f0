import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bubblewrapRuntime } from "../../../src/sandbox/bubblewrap/runtime.ts";
import { dockerRuntime } from "../../../src/sandbox/docker/runtime.ts";
import type { ConnectionRecord } from "../../../src/sandbox/egress/traffic/connection-record.ts";
import type { CredentialUse } from "../../../src/sandbox/egress/secrets/credential.ts";
import type { OpenOptions, Runtime, Session } from "../../../src/sandbox/runtime.ts";
import { makeFixture, profileOf, run, type SandboxFixture } from "../../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../../support/docker.ts";
import { type LocalServers, startLocalServers } from "./local-servers.ts";

const SECRET = "s3cret-Value/of+the=run";

/** A target, and a header beside it: one of them makes servers take the request for another. */
const MOVING: readonly (readonly [target: string, header: string])[] = [
  ["/v1/items?a[_method]=DELETE", "Accept: x"],
  ["/v1/items?_method=DELETE", "Accept: x"],
  ...[
    "X-HTTP-Method-Override: DELETE",
    "X_HTTP_Method: DELETE",
    "X-Override-URL: /admin",
    "X-Rewrite-Path: /admin",
    "X-Rewrite-URL: /admin",
    "X-Envoy-Original-Path: /admin",
    "X-Original-URL: /admin",
    "X-Request-URI: /admin",
    "X-Proxy-Url: https://admin.example.org",
    "X-Forwarded-Host: admin.example.org",
    "X-Forwarded-Prefix: /admin",
    "Forwarded: host=admin.example.org",
    "Destination: /admin",
    "x-amz-copy-source: /private/x",
    "X-Whatever-Comes-Next: /admin",
  ].map((header) => ["/v1/items", header] as const),
];

function suite(runtime: Runtime): void {
  let servers: LocalServers;
  let fixture: SandboxFixture;
  let session: Session;
  let options: OpenOptions;
  let url = "";
  const records: ConnectionRecord[] = [];
  const uses: CredentialUse[] = [];

  beforeAll(async () => {
    servers = await startLocalServers();
    fixture = makeFixture();
    const { http, https } = servers;
    url = `https://secure.example.org:${https}`;
    const network = {
      allow: [`secure.example.org:${https}`, `files.example.org:${http}`, `127.0.0.1:${https}`, `127.0.0.1:${http}`],
      credentials: [
        {
          id: "a-token",
          secret: { kind: "variable" as const, name: "A_TOKEN" },
          host: "secure.example.org",
          port: https,
          methods: ["GET", "POST"],
          paths: ["/v1/**"],
          header: { name: "authorization", value: "Bearer {secret}" },
          otherwise: "refuse" as const,
        },
      ],
      limits: { run: { bytesDown: 3 * 1024 ** 2 } },
    };
    options = {
      runId: fixture.runId,
      runDirectory: fixture.runDirectory,
      names: { "secure.example.org": ["127.0.0.1"], "files.example.org": ["127.0.0.1"] },
      secrets: new Map([["a-token", SECRET]]),
      trusted: [servers.certificate],
      onConnection: (record) => records.push(record),
      onCredentialUse: (use) => uses.push(use) > 0,
    };
    session = await runtime.open(profileOf(fixture, { settings: { workspace: "bind", runtime: runtime.name, network } }), options);
  });

  afterAll(async () => {
    await session.close();
    servers.close();
    fixture.remove();
  });

  test("curl is answered as who has the credential, and sees neither it nor a certificate that it does not trust", async () => {
    const ran = await run(session, `curl -sS -H 'Authorization: Bearer mine' ${url}/v1/headers`);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toContain('"authorization":"Bearer [redacted: a-token]"');
    expect(servers.asked.at(-1)?.headers["authorization"]).toBe(`Bearer ${SECRET}`);
    expect(uses.at(-1)).toMatchObject({ credential: "a-token", method: "GET", path: "/v1/headers" });
  });

  test("a body goes up and comes back", async () => {
    expect(await run(session, `head -c 300000 /dev/zero | tr '\\0' x | curl -sS --data-binary @- ${url}/v1/echo | wc -c`)).toMatchObject({ out: "300000\n" });
  });

  test("git trusts the session's authority too", async () => {
    // It is no repository: what counts is that git came as far as asking.
    await run(session, `git ls-remote ${url}/v1/repository.git`);
    const asked = servers.asked.find((request) => request.url === "/v1/repository.git/info/refs?service=git-upload-pack");
    expect(asked?.headers["authorization"]).toBe(`Bearer ${SECRET}`);
  });

  // The host's Node.js may be older than the setting.
  test.runIf(runtime.name === "docker")("so does Node.js", async () => {
    const ran = await run(session, `node --input-type=module -e 'console.log(await (await fetch("${url}/v1/node")).text())'`);
    expect(ran).toMatchObject({ code: 0, out: "hello /v1/node\n" });
  });

  test("so does Python, with its strict verification", async () => {
    const script = `import ssl, urllib.request
context = ssl.create_default_context()
context.verify_flags |= ssl.VERIFY_X509_STRICT
print(urllib.request.build_opener(urllib.request.ProxyHandler(), urllib.request.HTTPSHandler(context=context)).open("${url}/v1/python").read().decode())`;
    expect(await run(session, `python3 -c '${script}'`)).toMatchObject({ code: 0, out: "hello /v1/python\n" });
  });

  test("what would make a request another one stays in the sandbox, whichever client sends it", async () => {
    const requests = MOVING.map(([target, header]) => [`${url}${target}`, header] as const);
    const before = servers.asked.length;
    const curled = requests.map(([target, header]) => `-gsS -o /dev/null -w '%{http_code} ' -H '${header}' '${target}'`).join(" --next ");
    expect((await run(session, `curl ${curled}`)).out).toMatch(new RegExp(`^(?:40[03] ){${String(requests.length)}}$`, "u"));
    const script = `import http.client, json, os, ssl, sys, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["https_proxy"])
codes = []
for target, header in json.load(sys.stdin):
    place = urllib.parse.urlsplit(target)
    client = http.client.HTTPSConnection(proxy.hostname, proxy.port, context=ssl.create_default_context())
    client.set_tunnel(place.hostname, place.port)
    name, _, value = header.partition(": ")
    client.request("GET", place.path + ("?" + place.query if place.query else ""), headers={name: value})
    codes.append(client.getresponse().status)
print(len(codes), set(codes) <= {400, 403})`;
    expect((await run(session, `python3 -c '${script}' <<'END'\n${JSON.stringify(requests)}\nEND`)).out).toBe(`${String(requests.length)} True\n`);
    expect(servers.asked.length).toBe(before);
    expect((await run(session, `curl -sS -o /dev/null -w '%{http_code}' -H 'Accept-Language: en' ${url}/v1/items`)).out).toBe("200");
  });

  test("a program that trusts the image's list alone does not", async () => {
    const ran = await run(session, `curl -sS --cacert /etc/ssl/certs/ca-certificates.crt ${url}/v1/items`);
    expect(ran.code).not.toBe(0);
    expect(ran.err).toMatch(/certificate/u);
  });

  test("nothing in the sandbox is the secret or the authority's key", async () => {
    const look = `{ env; cat /proc/*/environ /proc/*/cmdline; cat /.warder/egress/*.pem /.warder/egress/*.conf /.warder/egress/wgetrc; strings /.warder/egress/*.jks; } 2>/dev/null | tr '\\0' '\\n'`;
    const { out } = await run(
      session,
      `${look} > seen; ls /.warder/egress; grep ^SSL_CERT_FILE seen | sort -u; grep -c '^-----BEGIN CERT' seen; grep -c '[s]3cret' seen; grep -c '[P]RIVATE' seen`,
    );
    expect(out).toMatch(
      /^apt-trust\.conf\nauthorities\.jks\nauthorities\.pem\nproxy\.sock\nwgetrc\nSSL_CERT_FILE=\/\.warder\/egress\/authorities\.pem\n[1-9][0-9]{1,2}\n0\n0\n$/u,
    );
  });

  test("a redirect leads to the other host without it", async () => {
    expect(await run(session, `curl -sS -L ${url}/v1/away`)).toMatchObject({ code: 0, out: "hello /hello/landed" });
    expect(servers.asked.slice(-2).map(({ url, headers }) => [url, headers["authorization"]])).toEqual([
      ["/v1/away", `Bearer ${SECRET}`],
      ["/hello/landed", undefined],
    ]);
  });

  test("what one tunnel let through counts in the next", async () => {
    // Refused as the tunnel is asked for, before a name is looked up: curl calls that the code of CONNECT.
    const get = `curl -sS -o /dev/null -w '%{http_connect}/%{http_code} ' ${url}/v1/large`;
    const { out } = await run(session, `${get}; ${get}; ${get}; ${get}`);
    expect(out).toMatch(/^200\/200 200\/200 200\/200 429\/000 $/u);
    await expect.poll(() => records.at(-1)).toMatchObject({ decision: "deny", reason: "bytes-spent" });
  });

  test("what earlier sessions of the run let through counts in the next", async () => {
    const later = makeFixture();
    const spent = new Map([["secure.example.org", { bytesUp: 0, bytesDown: 3 * 1024 ** 2, records: 4 }]]);
    const resumed = await runtime.open(profileOf(later, { settings: session.profile.settings }), {
      ...options,
      runId: later.runId,
      runDirectory: later.runDirectory,
      spent,
    });
    try {
      expect((await run(resumed, `curl -sS -o /dev/null -w '%{http_connect}' ${url}/v1/headers`)).out).toBe("429");
    } finally {
      await resumed.close();
      later.remove();
    }
  });
}

describeWithDocker("a credential in a Docker session", () => {
  suite(dockerRuntime());
});

const { isReady, detail } = await bubblewrapRuntime().check();
const group = isReady || process.env["REQUIRE_DOCKER"] === "1" ? describe : describe.skip;
group(isReady ? "a credential in a bubblewrap session" : `a credential in a bubblewrap session [skipped: ${detail}]`, () => {
  suite(bubblewrapRuntime());
});
