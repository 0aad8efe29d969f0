import { connect } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { describe, expect, test } from "vitest";
import { readAll, type Scene, useScene } from "../terminating-scene.ts";

const { open, asked } = useScene();

/** The first bytes that a TLS client sends. */
function clientHello(servername: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const wire = new Duplex({
      read: () => undefined,
      write: (part: Buffer, _encoding, done) => {
        resolve(part);
        done();
      },
    });
    connectTls({ socket: wire, servername }).on("error", () => undefined);
  });
}

/** A client that is quick, while others are not. */
const quick = (scene: Scene): Promise<string> => scene.get("/v1/quick");

describe("a client that takes its time", () => {
  test("loses its tunnel when it does not finish the handshake", async () => {
    const scene = await open({ limits: { headMs: 3000 } });
    const slow = connect(scene.path);
    const closed = readAll(slow);
    slow.write(`CONNECT api.example.org:${scene.port} HTTP/1.1\r\nHost: x\r\n\r\n`);
    slow.write(await clientHello("api.example.org"));
    expect(await quick(scene)).toContain("hello /v1/quick");
    // The proxy spoke TLS to it, and then no longer.
    expect(await closed).toMatch(/^HTTP\/1\.1 200 Connection Established\r\n\r\n\x16\x03/u);
  });

  test.each([
    ["within TLS", true],
    ["within a tunnel", false],
  ])("is told so when its request does not come to an end, %s", async (_where, isEncrypted) => {
    const scene = await open({ limits: { headMs: 3000 } });
    const slow = isEncrypted ? await scene.open() : connect(scene.path);
    const answer = readAll(slow);
    if (!isEncrypted) slow.write(`CONNECT api.example.org:${scene.plainPort} HTTP/1.1\r\nHost: x\r\n\r\n`);
    slow.write("GET /v1/items HTTP/1.1\r\nX: ");
    expect(await quick(scene)).toContain("hello /v1/quick");
    expect(await answer).toMatch(/HTTP\/1\.1 408/u);
    expect(asked().map(({ url }) => url)).toEqual(["/v1/quick"]);
  });

  test("keeps what it pipelined: the time for the next head begins when nothing is under way", async () => {
    const scene = await open({
      // Longer than any pause between two parts, and shorter than all of them.
      limits: { idleMs: 3000 },
      reply: (request, response) => {
        let parts = request.url === "/v1/slow" ? 10 : 1;
        const timer = setInterval(() => {
          response.write("part;");
          parts -= 1;
          if (parts > 0) return;
          clearInterval(timer);
          response.end("end");
        }, 400);
      },
    });
    const socket = await scene.open();
    const answer = readAll(socket);
    const head = `Host: api.example.org:${scene.port}\r\n`;
    socket.write(`GET /v1/quick HTTP/1.1\r\n${head}\r\nGET /v1/slow HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
    expect((await answer).match(/part;/gu)).toHaveLength(11);
    expect(scene.records.map(({ reason }) => reason)).toEqual(["closed", "closed", "closed"]);
  });

  test("loses its request when the body stops, and the use of the credential stands all the same", async () => {
    const scene = await open({ limits: { idleMs: 3000 } });
    const slow = await scene.open();
    slow.on("error", () => undefined);
    const answer = readAll(slow);
    slow.write(`POST /v1/items HTTP/1.1\r\nHost: api.example.org:${scene.port}\r\nContent-Length: 100\r\n\r\nabc`);
    expect(await quick(scene)).toContain("hello /v1/quick");
    await answer;
    expect(scene.records.at(-1)).toMatchObject({ request: { method: "POST", credentials: ["a-token"] }, reason: "idle", bytesUp: 3 });
    expect(scene.uses).toHaveLength(2);
  });

  // More than the sockets between take, and less than would keep the server waiting: what is left lies in the proxy.
  test.each([
    ["a request", "", 250_000],
    ["a request", "", 300_000],
    ["what asked for a WebSocket", "Connection: Upgrade\r\nUpgrade: websocket\r\n", 250_000],
    ["what asked for a WebSocket", "Connection: Upgrade\r\nUpgrade: websocket\r\n", 300_000],
  ])("loses its place at the end of its time where it does not read the answer to %s", async (_what, lines, size) => {
    const scene = await open({
      credential: null,
      limits: { headMs: 2000, totalMs: 3000 },
      reply: (_request, response) => void response.end("x".repeat(size)),
    });
    const place = `api.example.org:${scene.plainPort}`;
    const socket = connect(scene.path);
    socket.on("error", () => undefined).pause();
    socket.write(`CONNECT ${place} HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/items HTTP/1.1\r\nHost: ${place}\r\n${lines}\r\n`);
    await expect.poll(() => scene.records, { timeout: 20_000 }).toHaveLength(2);
    // On a machine with larger buffers nothing is left over.
    expect(scene.records.at(-1)).toMatchObject({ request: { path: "/v1/items" }, reason: expect.stringMatching(/^(?:time-limit|closed)$/u) });
    socket.destroy();
  });

  test("with others like it takes every place, and is refused with a record; the places come back", async () => {
    const scene = await open({ limits: { headMs: 3000, connections: 2 } });
    // Four sockets for two connections at once: see server.ts.
    const slow = Array.from({ length: 12 }, () => {
      const socket = connect(scene.path);
      socket.write("GET http://api.example.org/ HTTP/1.1\r\nX: ");
      return readAll(socket);
    });
    const answers = await Promise.all(slow);
    expect(answers.filter((answer) => answer === "")).toHaveLength(4);
    expect(answers.filter((answer) => answer.startsWith("HTTP/1.1 408"))).toHaveLength(8);
    expect(scene.records.map(({ reason }) => reason)).toEqual(Array.from({ length: 4 }, () => "connection-limit"));
    expect(await quick(scene)).toContain("hello /v1/quick");
  });
});
