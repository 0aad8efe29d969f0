import { connect as connectHttp2, createSecureServer } from "node:http2";
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { CERTIFICATE, readAll, refusalOf, type Scene, type SceneOptions, SECRET, useScene } from "../terminating-scene.ts";
import { listen, portOf } from "../local-servers.ts";

const { open, asked } = useScene();

const openPlain = (limits: NonNullable<ReturnType<NonNullable<SceneOptions["network"]>>["limits"]>, more: Parameters<typeof open>[0] = {}): Promise<Scene> =>
  open({ credential: null, network: () => ({ limits }), ...more });

const get = (scene: Scene, path = "/", headers = ""): Promise<string> =>
  scene.sendPlain(`GET http://api.example.org:${scene.plainPort}${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`);

describe("limits of a policy", () => {
  test("of requests in a minute are refused with a record", async () => {
    const scene = await openPlain({ host: { requestsPerMinute: 2 } });
    const answers = [await get(scene), await get(scene), await get(scene)];
    expect(answers.map((answer) => [answer.slice(9, 12), refusalOf(answer)])).toEqual([
      ["200", undefined],
      ["200", undefined],
      ["429", "rate-limit"],
    ]);
    expect(scene.records.at(-1)).toMatchObject({ host: "api.example.org", decision: "deny", reason: "rate-limit" });
  });

  test("of connections at once hold for a request that waits and a tunnel alike, and the place is given back", async () => {
    let answer = (): void => undefined;
    const scene = await openPlain({ run: { connections: 1 } }, { reply: (_request, response) => void (answer = () => void response.end("late")) });
    const waiting = get(scene);
    await expect.poll(asked).toHaveLength(1);
    expect(refusalOf(await get(scene))).toBe("connection-limit");
    await expect(scene.open({ ca: CERTIFICATE.cert })).rejects.toThrow(/^HTTP\/1\.1 429[\s\S]*connection-limit/u);
    expect(scene.records.map(({ reason }) => reason)).toEqual(["connection-limit", "connection-limit"]);
    answer();
    expect(await waiting).toContain("late");
    (await scene.open({ ca: CERTIFICATE.cert })).destroy();
  });

  test.each([
    ["requests", { requestsPerMinute: 1 }, "rate-limit"],
    ["bytes", { bytesUp: 40 }, "bytes-spent"],
  ])("of %s refuse a tunnel before its name is looked up: a name is a way to send, too", async (_what, limit, reason) => {
    const scene = await openPlain({ run: limit });
    await get(scene);
    const place = `api.example.org:${scene.port}`;
    expect(refusalOf(await scene.sendPlain(`CONNECT ${place} HTTP/1.1\r\nHost: x\r\n\r\n`))).toBe(reason);
    expect(scene.records.at(-1)).toMatchObject({ via: "connect", decision: "deny", reason, address: null });
  });

  test("of requests count a tunnel in which they are judged with its requests, and one that asks for nothing by itself", async () => {
    const scene = await open({ network: () => ({ limits: { run: { requestsPerMinute: 2 } } }) });
    expect(await scene.get("/v1/a")).toContain("hello");
    expect(await scene.get("/v1/b")).toContain("hello");
    expect(scene.records.filter(({ via, decision }) => via === "http" && decision === "allow")).toHaveLength(2);
  });

  test("of bytes hold over connections, whichever way the host was reached", async () => {
    const scene = await openPlain({ host: { bytesDown: 30_000 } }, { reply: (_request, response) => response.end("x".repeat(20_000)) });
    expect(await get(scene)).toContain("x".repeat(20_000));
    const secure = await scene.open({ ca: CERTIFICATE.cert });
    secure.write(`GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    secure.on("error", () => undefined);
    secure.resume();
    await new Promise((resolve) => secure.once("close", resolve));
    expect(scene.records.map(({ via, reason }) => [via, reason])).toEqual([
      ["http", "closed"],
      ["connect", "byte-limit"],
    ]);
    expect(refusalOf(await get(scene))).toBe("bytes-spent");
  });

  test("of bytes count a request's head as well: it is a way to send", async () => {
    const scene = await openPlain({ run: { bytesUp: 5000 } });
    const answers = [await get(scene, `/${"x".repeat(3000)}`), await get(scene, "/", `X: ${"x".repeat(3000)}\r\n`)];
    expect(answers.map(refusalOf)).toEqual([undefined, "bytes-spent"]);
    expect(asked().map(({ url }) => url.length)).toEqual([3001]);
  });

  test("of bytes count the head of what asks for a WebSocket as well", async () => {
    const scene = await openPlain({ run: { bytesUp: 5000 } });
    const place = `api.example.org:${scene.plainPort}`;
    const lines = `Host: ${place}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX: ${"x".repeat(3000)}`;
    const ask = (): Promise<string> => scene.sendPlain(`CONNECT ${place} HTTP/1.1\r\nHost: x\r\n\r\nGET /socket HTTP/1.1\r\n${lines}\r\n\r\n`);
    expect([await ask(), await ask()].map(refusalOf)).toEqual([undefined, "bytes-spent"]);
    expect(asked()).toHaveLength(1);
  });

  test("of bytes hold for what was compressed, as it is when it is not", async () => {
    const scene = await open({
      network: () => ({ limits: { connection: { bytesDown: 100_000 } } }),
      limits: { bytesDown: 100_000 },
      reply: (_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(50 * 1024 ** 2))),
    });
    const answer = await scene.get("/v1/items");
    expect(answer.length).toBeLessThan(200_000);
    expect(scene.records.at(-1)).toMatchObject({ reason: "byte-limit" });
  });
});

describe("what goes through untouched", () => {
  /** A tunnel to the scene's TLS port, as a socket. */
  async function tunnel(scene: Scene, port: number): Promise<Socket> {
    const socket = connect(scene.path);
    socket.write(`CONNECT api.example.org:${port} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    return socket;
  }

  test("is HTTP/2", async () => {
    const server = createSecureServer(CERTIFICATE, (request, response) => {
      response.end(`hello ${request.url} over ${request.httpVersion}`);
    });
    await listen(server);
    const port = portOf(server);
    const scene = await open({ credential: null, network: () => ({ allow: [`api.example.org:${port}`, `127.0.0.1:${port}`] }) });
    const socket = await tunnel(scene, port);
    const session = connectHttp2(`https://api.example.org:${port}`, {
      createConnection: () => connectTls({ socket, servername: "api.example.org", ca: CERTIFICATE.cert, ALPNProtocols: ["h2"] }),
    });
    const texts = await Promise.all(
      ["/a", "/b"].map(async (path) => {
        let text = "";
        for await (const part of session.request({ ":path": path })) text += String(part);
        return text;
      }),
    );
    expect(texts).toEqual(["hello /a over 2.0", "hello /b over 2.0"]);
    session.destroy();
    server.close();
  });

  /** Answers as a WebSocket's server, and echoes what comes. */
  function acceptWebSockets(server: Scene["server"] | Scene["plain"]): void {
    server.on("upgrade", (request: IncomingMessage, socket: Socket) => {
      if (request.url === "/refused") {
        socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\nConnection: close\r\n\r\nwho?");
        return;
      }
      const accept = createHash("sha1")
        .update(`${String(request.headers["sec-websocket-key"])}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest("base64");
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\nfirst`);
      socket.pipe(socket);
    });
  }
  const opening = (host: string, path = "/socket"): string =>
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`;
  const ACCEPTED = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

  test.each([
    ["over TLS", true],
    ["over plain HTTP", false],
  ])("is a WebSocket %s, in both directions", async (_how, isEncrypted) => {
    const scene = await open({ credential: null });
    acceptWebSockets(isEncrypted ? scene.server : scene.plain);
    const socket = isEncrypted ? await scene.open({ ca: CERTIFICATE.cert }) : await tunnel(scene, scene.plainPort);
    let text = "";
    socket.on("data", (data: Buffer) => (text += data.toString("latin1")));
    socket.write(opening(`api.example.org:${isEncrypted ? scene.port : scene.plainPort}`));
    await expect.poll(() => text).toMatch(/first$/u);
    expect(text).toContain(ACCEPTED);
    socket.write("frame");
    await expect.poll(() => text).toMatch(/firstframe$/u);
    socket.destroy();
    await expect.poll(() => scene.records.at(-1)).toMatchObject({ via: isEncrypted ? "connect" : "http", reason: "closed" });
  });

  test("is a WebSocket's refusal", async () => {
    const scene = await open({ credential: null });
    acceptWebSockets(scene.plain);
    const socket = await tunnel(scene, scene.plainPort);
    const answer = readAll(socket);
    socket.write(opening(`api.example.org:${scene.plainPort}`, "/refused"));
    expect(await answer).toMatch(/^HTTP\/1\.1 401 Unauthorized[\s\S]*who\?$/u);
  });

  test("is no way past what is taken out of answers", async () => {
    const scene = await open({
      reply: (_request, response) => response.writeHead(200, { "content-encoding": "gzip", "x-echo": SECRET }).end(gzipSync(`token=${SECRET};`)),
    });
    const socket = await tunnel(scene, scene.plainPort);
    const answer = readAll(socket);
    socket.write(opening(`api.example.org:${scene.plainPort}`));
    expect(await answer).toMatch(/^HTTP\/1\.1 200[\s\S]*x-echo: \[redacted: a-token\][\s\S]*token=\[redacted: a-token\];$/u);
    expect(await answer).not.toContain(SECRET);
  });

  test.each([
    ["where requests are judged", "api.example.org", "upgrade-not-allowed"],
    ["to another host than the tunnel's", "other.example.org", "bad-request"],
  ])("is no WebSocket %s", async (_where, host, reason) => {
    const scene = await open({
      credential: null,
      network: ({ plainPort }) => (reason === "bad-request" ? {} : { refined: [{ host: `api.example.org:${plainPort}`, methods: ["GET"], paths: null }] }),
    });
    acceptWebSockets(scene.plain);
    const socket = await tunnel(scene, scene.plainPort);
    const answer = readAll(socket);
    socket.write(opening(`${host}:${scene.plainPort}`));
    expect(refusalOf(await answer)).toBe(reason);
    expect(scene.records.at(-1)).toMatchObject({ decision: "deny", reason });
  });
});
