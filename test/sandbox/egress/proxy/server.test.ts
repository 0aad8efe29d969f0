import type { Server } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { ConnectionRecord } from "../../../../src/sandbox/egress/traffic/connection-record.ts";
import { EGRESS_LIMITS, type EgressLimits } from "../../../../src/sandbox/egress/traffic/limits.ts";
import { NamesBudget } from "../../../../src/sandbox/egress/registries/names.ts";
import { createProxy } from "../../../../src/sandbox/egress/proxy/server.ts";
import { Traffic } from "../../../../src/sandbox/egress/traffic/quotas.ts";
import { listen, type LocalServers, portOf, startLocalServers } from "../local-servers.ts";

let servers: LocalServers;
let folder: string;
let proxy: Server;
let records: ConnectionRecord[];

beforeAll(async () => {
  servers = await startLocalServers();
});
afterAll(() => servers.close());

/** What DNS says; a list of answers is given one after the other. */
const NAMES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "files.example.org": [["127.0.0.1"]],
  "secure.example.org": [["127.0.0.1"]],
  "private.example.org": [["10.0.0.7"]],
  "mixed.example.org": [["192.0.43.8", "169.254.169.254"]],
  "rebound.example.org": [["127.0.0.1"], ["10.0.0.7"]],
  "mapped.example.org": [["::ffff:10.0.0.7"]],
};

async function start(limits: Partial<EgressLimits> = {}, more: readonly string[] = []): Promise<void> {
  const { http, https } = servers;
  const asked = new Map<string, number>();
  const allow = ["files", "secure", "private", "mixed", "rebound", "mapped", "nowhere"].flatMap((name) => [
    `${name}.example.org:${http}`,
    `${name}.example.org:${https}`,
    `${name}.example.org`,
  ]);
  records = [];
  proxy = createProxy({
    registries: { origins: [], names: new NamesBudget() },
    network: { allow: [...allow, `127.0.0.1:${http}`, `127.0.0.1:${https}`, ...more] },
    resolve: async (host) => {
      const answers = NAMES[host] ?? [];
      const turn = asked.get(host) ?? 0;
      asked.set(host, turn + 1);
      return answers[Math.min(turn, answers.length - 1)] ?? [];
    },
    limits: { ...EGRESS_LIMITS, ...limits },
    traffic: new Traffic({}),
    onConnection: (record) => records.push(record),
    termination: null,
  });
  await new Promise<void>((done) => {
    proxy.listen(`${folder}/proxy.sock`, done);
  });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "warder-proxy-"));
  servers.asked.length = 0;
  await start();
});
afterEach(() => stop());

function stop(): void {
  proxy.closeAllConnections();
  proxy.close();
  rmSync(folder, { recursive: true, force: true });
}

async function restart(limits: Partial<EgressLimits>, more: readonly string[] = []): Promise<void> {
  stop();
  folder = mkdtempSync(join(tmpdir(), "warder-proxy-"));
  await start(limits, more);
}

/** Sends bytes and reads until the proxy closes, or `until` was seen. */
function send(bytes: string | Buffer, until = "\0"): Promise<string> {
  const socket = connect(`${folder}/proxy.sock`);
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
    if (text.includes(until)) socket.destroy();
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    resolve(text);
  });
  socket.write(bytes);
  return promise;
}

const get = (url: string, headers = ""): Promise<string> => send(`GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`);
const refusalOf = (answer: string): string | undefined => /x-warder-refusal: ([a-z-]+)/iu.exec(answer)?.[1];

/** A TLS client through CONNECT; what it was told, or the error's code. */
async function overTls(authority: string, servername: string): Promise<string> {
  const socket = connect(`${folder}/proxy.sock`);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const answer = await new Promise<string>((resolve) => {
    socket.once("data", (data: Buffer) => {
      resolve(data.toString());
    });
  });
  if (!answer.startsWith("HTTP/1.1 200")) {
    socket.destroy();
    return answer;
  }
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  const tls = connectTls({ socket, servername, ca: servers.certificate, checkServerIdentity: () => undefined }, () => {
    tls.write("GET /tls HTTP/1.1\r\nHost: secure.example.org\r\nConnection: close\r\n\r\n");
  });
  tls.on("data", (data: Buffer) => {
    text += data.toString();
  });
  tls.on("error", () => undefined);
  tls.on("close", () => {
    socket.destroy();
    resolve(text);
  });
  return promise;
}

test("passes a request on and writes it anew for the server", async () => {
  const answer = await get(
    `http://FILES.Example.org.:${servers.http}/a?b`,
    "Proxy-Authorization: Basic c2VjcmV0\r\nProxy-Connection: x\r\nTE: trailers\r\nX-One: 1\r\nX-Hop: 2\r\nConnection: X-Hop\r\n",
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200[\s\S]*hello \/a\?b$/u);
  expect(servers.asked).toHaveLength(1);
  const { headers } = servers.asked[0]!;
  expect(headers).toEqual({ host: `files.example.org:${servers.http}`, "x-one": "1", connection: "close" });
  expect(records).toMatchObject([
    { via: "http", host: "files.example.org", port: servers.http, address: "127.0.0.1", decision: "allow", reason: "closed", bytesDown: 10 },
  ]);
});

test("passes bodies both ways, with a length and in chunks", async () => {
  const url = `http://files.example.org:${servers.http}/echo`;
  expect(await send(`POST ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nfirst`)).toMatch(/first$/u);
  expect(await send(`GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nsecond\r\n0\r\n\r\n`)).toContain("second");
  expect(servers.asked.map(({ body }) => body)).toEqual(["first", "second"]);
  expect(records.map(({ bytesUp, bytesDown }) => [bytesUp, bytesDown])).toEqual([
    [5, 5],
    [6, 6],
  ]);
});

test("lets TLS through to the host that CONNECT names", async () => {
  expect(await overTls(`secure.example.org:${servers.https}`, "secure.example.org")).toContain("hello /tls");
  await expect.poll(() => records).toMatchObject([{ via: "connect", host: "secure.example.org", decision: "allow", reason: "closed" }]);
});

test.each([
  ["a host that is not listed", "http://other.example.org:HTTP/", "host-not-allowed"],
  ["a host that ends like one", "http://evilfiles.example.org:HTTP/", "host-not-allowed"],
  ["a port that is not listed", "http://files.example.org:22/", "host-not-allowed"],
  ["an address", "http://127.0.0.2:HTTP/", "host-not-allowed"],
  ["an IPv6 address", "http://[::1]:HTTP/", "host-not-allowed"],
  ["a listed address in decimal", "http://2130706433:HTTP/", "address-form"],
  ["one in hexadecimal", "http://0x7f000001:HTTP/", "address-form"],
  ["one in octal", "http://0177.0.0.1:HTTP/", "address-form"],
  ["one that is short", "http://127.1:HTTP/", "address-form"],
  ["a private answer", "http://private.example.org:HTTP/", "private-address"],
  ["one private answer among others", "http://mixed.example.org:HTTP/", "private-address"],
  ["an IPv4 address within IPv6", "http://mapped.example.org:HTTP/", "private-address"],
  ["no answer", "http://nowhere.example.org:HTTP/", "not-resolved"],
  ["a user name", "http://files.example.org@other.example.org:HTTP/", "bad-request"],
  ["an escape", "http://files%2eexample.org:HTTP/", "bad-request"],
  ["another scheme", "ftp://files.example.org:HTTP/", "bad-request"],
  ["the origin form", "/", "bad-request"],
])("refuses %s, and says so in a record", async (_what, url, reason) => {
  expect(refusalOf(await get(url.replace("HTTP", String(servers.http))))).toBe(reason);
  expect(records).toMatchObject([{ decision: "deny", reason, bytesUp: 0, bytesDown: 0 }]);
  expect(servers.asked).toEqual([]);
});

test.each([
  ["a NUL in the host", "GET http://files.example.org\0.evil.org/ HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a backslash in the host", "GET http://files.example.org\\@other.example.org/ HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a byte beyond ASCII", "GET http://f\u00edles.example.org/ HTTP/1.1\r\nHost: x\r\n\r\n"],
  [
    "both lengths of a body",
    "POST http://files.example.org:HTTP/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://files.example.org:HTTP/smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
  ],
  ["two lengths", "POST http://files.example.org:HTTP/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\naaaaaa"],
  ["a bare line feed in a header", "GET http://files.example.org:HTTP/ HTTP/1.1\r\nHost: x\r\nA: b\nGET /smuggled HTTP/1.1\r\n\r\n"],
  ["a space before a colon", "GET http://files.example.org:HTTP/ HTTP/1.1\r\nHost: x\r\nContent-Length : 4\r\n\r\naaaa"],
])("nothing reaches a server with %s", async (_what, bytes) => {
  const answer = await send(Buffer.from(bytes.replaceAll("HTTP/ ", `${servers.http}/ `).replaceAll("HTTP/smuggled", `${servers.http}/smuggled`), "latin1"));
  expect(answer).toMatch(/^HTTP\/1\.1 (?:400|403)/u);
  expect(servers.asked).toEqual([]);
});

test("a body without framing of its own is the next request to the proxy, never to the server", async () => {
  const url = `http://files.example.org:${servers.http}`;
  const answer = await send(`GET ${url}/one HTTP/1.1\r\nHost: x\r\n\r\nGET /two HTTP/1.1\r\nHost: files.example.org\r\nConnection: close\r\n\r\n`);
  expect(answer).toContain("hello /one");
  expect(refusalOf(answer)).toBe("bad-request");
  expect(servers.asked.map(({ url }) => url)).toEqual(["/one"]);
});

test("resolves a name once for each connection, and checks each time", async () => {
  const url = `http://rebound.example.org:${servers.http}/`;
  expect(await get(url)).toContain("hello");
  expect(refusalOf(await get(url))).toBe("private-address");
});

test.each([
  ["another server's name", "server-name-mismatch", "other.example.org"],
  ["no server's name", "no-server-name", ""],
])("refuses a ClientHello with %s", async (_what, reason, servername) => {
  expect(await overTls(`secure.example.org:${servers.https}`, servername)).toBe("");
  expect(records).toMatchObject([{ decision: "deny", reason }]);
});

test("refuses other bytes than TLS on port 443", async () => {
  const answer = await send("CONNECT secure.example.org:443 HTTP/1.1\r\nHost: x\r\n\r\nSSH-2.0-OpenSSH_9.2\r\n");
  // The name is a listed one on 443 too; its address is listed for other ports.
  expect(refusalOf(answer)).toBe("private-address");
  await restart({}, ["127.0.0.1:443"]);
  expect(await send("CONNECT secure.example.org:443 HTTP/1.1\r\nHost: x\r\n\r\nSSH-2.0-OpenSSH_9.2\r\n")).toBe("HTTP/1.1 200 Connection Established\r\n\r\n");
  expect(records).toMatchObject([{ decision: "deny", reason: "not-tls" }]);
});

test("judges plain HTTP within CONNECT request by request", async () => {
  const authority = `files.example.org:${servers.http}`;
  const within = (host: string): Promise<string> =>
    send(`CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n\r\nGET /inner HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  expect(await within(authority)).toContain("hello /inner");
  expect(refusalOf(await within("other.example.org"))).toBe("bad-request");
  expect(await send(`CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n\r\nSSH-2.0-OpenSSH_9.2\r\n\r\n`)).toContain("400 Bad Request");
  expect(servers.asked).toHaveLength(1);
});

test.each(["secure.example.org", "secure.example.org:0", "secure.example.org:65536", "user@secure.example.org:443", "secure.example.org:443/x"])(
  "CONNECT to %j is malformed",
  async (authority) => {
    expect(await send(`CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400/u);
    expect(records.map(({ decision }) => decision)).toEqual(["deny"]);
  },
);

test("a head that never ends is given up, in length and in time", async () => {
  expect(await get("http://files.example.org/", `X: ${"a".repeat(20_000)}\r\n`)).toMatch(/^HTTP\/1\.1 431/u);
  await restart({ headMs: 2000 });
  expect(await send("GET http://files.example.org/ HTTP/1.1\r\nX: ")).toMatch(/^HTTP\/1\.1 408/u);
  expect(await send(`CONNECT secure.example.org:${servers.https} HTTP/1.1\r\nHost: x\r\n\r\n\x16\x03\x01`)).toMatch(/^HTTP\/1\.1 200/u);
  expect(records).toMatchObject([{ decision: "deny", reason: "bad-hello" }]);
});

test("a connection ends at its limits of bytes, and when nothing moves", async () => {
  await restart({ bytesDown: 64 * 1024, bytesUp: 1000, idleMs: 3000 });
  const answer = await get(`http://files.example.org:${servers.http}/large`);
  expect(answer.length).toBeLessThan(100_000);
  await send(`POST http://files.example.org:${servers.http}/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5000\r\n\r\n${"a".repeat(5000)}`);
  const silent = createTcpServer(() => undefined);
  await listen(silent);
  stop();
  folder = mkdtempSync(join(tmpdir(), "warder-proxy-"));
  const earlier = records.map(({ reason }) => reason);
  await start({ idleMs: 3000 }, [`files.example.org:${portOf(silent)}`, `127.0.0.1:${portOf(silent)}`]);
  expect(await get(`http://files.example.org:${portOf(silent)}/`)).toMatch(/^HTTP\/1\.1 502/u);
  silent.close();
  expect([...earlier, ...records.map(({ reason }) => reason)]).toEqual(["byte-limit", "byte-limit", "idle"]);
});

test("a session's connections are counted, and the end of them is one record", async () => {
  await restart({ records: 2 });
  const answers = [];
  for (let turn = 0; turn < 5; turn += 1) answers.push(await get(`http://files.example.org:${servers.http}/`));
  expect(answers.map((answer) => answer.slice(9, 12))).toEqual(["200", "200", "429", "429", "429"]);
  expect(records.map(({ reason }) => reason)).toEqual(["closed", "closed", "too-many-connections"]);
});
