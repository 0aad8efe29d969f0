import { createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import type { NetworkSettings } from "../../../../src/policy/network.ts";
import { CERTIFICATE, readAll, type Scene, useScene } from "../terminating-scene.ts";
import { listen, portOf } from "../local-servers.ts";

const { open, asked } = useScene();

/** A server that takes connections and says nothing until it is told to speak TLS. */
async function slowServer(): Promise<{ readonly port: number; readonly reached: () => number; readonly speak: () => Promise<string> }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    sockets.push(socket);
  });
  await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: portOf(server),
    reached: () => sockets.length,
    speak: () => readAll(new TLSSocket(sockets[0]!, { isServer: true, secureContext: createSecureContext(CERTIFICATE) })),
  };
}

const refined = (port: number): Partial<Omit<NetworkSettings, "credentials">> => ({
  allow: [`api.example.org:${port}`, `127.0.0.1:${port}`],
  refined: [{ host: `api.example.org:${port}`, methods: ["GET"], paths: null }],
});

describe("a request does not leave", () => {
  test("when its client went while the connection was made", async () => {
    const { port, reached, speak } = await slowServer();
    const scene = await open({ credential: null, network: () => refined(port) });
    const secure = await scene.open({ authority: `api.example.org:${port}` });
    secure.write(`GET /v1/items HTTP/1.1\r\nHost: api.example.org:${port}\r\n\r\n`);
    await expect.poll(reached).toBe(1);
    secure.destroy();
    // The proxy hears of it before it hears of the server.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await speak()).toBe("");
    expect(scene.records.at(-1)).toMatchObject({ via: "http", request: { path: "/v1/items" }, reason: "broken" });
  });

  test("when the network was stopped just after the use of its credential was granted", async () => {
    let scene: Scene | null = null;
    scene = await open({
      onUse: () => {
        if (scene !== null) scene.traffic.isHalted = true;
        return true;
      },
    });
    expect(await scene.get("/v1/items")).toBe("");
    expect(asked()).toEqual([]);
    expect(scene.records.at(-1)).toMatchObject({ request: { credentials: [] }, reason: "broken" });
  });
});

describe("a server that answers 101 to what asked for no other protocol", () => {
  test("is answered for, recorded, and gives its place back", async () => {
    const scene = await open({
      credential: null,
      network: () => ({ limits: { run: { connections: 1 } } }),
      reply: ({ url, socket }, response) => {
        if (url === "/switch") socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n");
        else response.end("hello");
      },
    });
    const get = (path: string): Promise<string> =>
      scene.sendPlain(`GET http://api.example.org:${scene.plainPort}${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(await get("/switch")).toMatch(/^HTTP\/1\.1 502[\s\S]*did not answer in HTTP/u);
    expect(scene.records).toMatchObject([{ request: { path: "/switch" }, decision: "allow", reason: "broken" }]);
    expect(await get("/again")).toContain("hello");
  });
});

describe("a server whose status line no client may be told", () => {
  test.each(["HTTP/1.1 200 a\x01b", "HTTP/1.1 099 early", "HTTP/1.1 200 \x1b[31m"])(
    "is answered for and recorded, and the proxy goes on: %j",
    async (line) => {
      const scene = await open({
        credential: null,
        reply: ({ url, socket }, response) => {
          if (url === "/odd") socket.end(`${line}\r\nContent-Length: 2\r\n\r\nhi`);
          else response.end("hello");
        },
      });
      const get = (path: string): Promise<string> =>
        scene.sendPlain(`GET http://api.example.org:${scene.plainPort}${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(await get("/odd")).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/u);
      expect(scene.records).toMatchObject([{ request: { path: "/odd" }, decision: "allow", reason: "broken" }]);
      expect(await get("/again")).toContain("hello");
      // Without the control nothing ever answers.
    },
    10_000,
  );
});
