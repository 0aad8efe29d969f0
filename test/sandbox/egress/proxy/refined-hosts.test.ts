import { describe, expect, test } from "vitest";
import { CERTIFICATE, refusalOf, type Scene, useScene } from "../terminating-scene.ts";

const { open, asked } = useScene();

/** Two ports of one host, limited alike; no credential. */
async function openRefined(): Promise<Scene> {
  const scope = { methods: ["GET", "PUT"], paths: ["/v1/**"] };
  return await open({
    credential: null,
    network: ({ port, plainPort }) => ({
      refined: [
        { host: `api.example.org:${port}`, ...scope },
        { host: `api.example.org:${plainPort}`, ...scope },
        { host: `api.example.org:${plainPort}`, methods: ["POST"], paths: ["/upload"] },
      ],
    }),
  });
}

describe("a host that is limited to methods and paths", () => {
  const plain = (scene: Scene, line: string, more = ""): Promise<string> => {
    const [method = "", path = ""] = line.split(" ");
    return scene.sendPlain(`${method} http://api.example.org:${scene.plainPort}${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`);
  };
  const tunnelled = (scene: Scene, line: string, more = ""): Promise<string> =>
    scene.sendPlain(
      `CONNECT api.example.org:${scene.plainPort} HTTP/1.1\r\nHost: x\r\n\r\n${line} HTTP/1.1\r\nHost: api.example.org:${scene.plainPort}\r\nConnection: close\r\n${more}\r\n`,
    );
  const encrypted = (scene: Scene, line: string, more = ""): Promise<string> =>
    scene.send(`${line} HTTP/1.1\r\nHost: api.example.org:${scene.port}\r\nConnection: close\r\n${more}\r\n`);

  describe.each([
    ["over plain HTTP", plain],
    ["over plain HTTP within CONNECT", tunnelled],
    ["within TLS", encrypted],
  ])("%s", (_way, ask) => {
    test("answers what an entry names, and as it was asked", async () => {
      const scene = await openRefined();
      expect(await ask(scene, "GET /v1/items?a=1", "Authorization: Bearer mine\r\nRange: bytes=0-1\r\n")).toContain("hello /v1/items?a=1");
      expect(asked()).toMatchObject([{ method: "GET", headers: { authorization: "Bearer mine", range: "bytes=0-1" } }]);
      expect(scene.records.at(-1)).toMatchObject({ request: { method: "GET", path: "/v1/items", credentials: [] }, decision: "allow", reason: "closed" });
    });

    test.each([
      ["DELETE /v1/items", "request-not-allowed"],
      ["GET /v2", "request-not-allowed"],
      ["GET /upload", "request-not-allowed"],
      ["GET /v1/../v2", "path-form"],
      ["GET /v1/%2e%2e/v2", "path-form"],
      ["GET /v1/..%2fv2", "path-form"],
      ["GET /v1?_method=DELETE", "method-override"],
    ])("refuses %s", async (line, reason) => {
      const scene = await openRefined();
      expect(refusalOf(await ask(scene, line))).toBe(reason);
      expect(asked()).toEqual([]);
      expect(scene.records.at(-1)).toMatchObject({ decision: "deny", reason });
    });

    test("refuses a header that makes it another request", async () => {
      const scene = await openRefined();
      expect(refusalOf(await ask(scene, "GET /v1", "X-HTTP-Method-Override: DELETE\r\n"))).toBe("method-override");
    });
  });

  test("wants each reading of an escaped slash allowed, and sends it as it was", async () => {
    const scene = await openRefined();
    expect(await encrypted(scene, "GET /v1/@scope%2fname")).toContain("hello /v1/@scope%2Fname");
    // A name of one component, or `admin` below `/v1`: the first is no path of the entry.
    expect(refusalOf(await encrypted(scene, "GET /v1%2fadmin"))).toBe("request-not-allowed");
  });

  test("adds its entries up", async () => {
    const scene = await openRefined();
    expect(await plain(scene, "POST /upload")).toContain("hello /upload");
    expect(refusalOf(await encrypted(scene, "POST /upload"))).toBe("request-not-allowed");
  });

  test("speaks HTTP/1.1 alone where the proxy reads it", async () => {
    const scene = await openRefined();
    await expect(scene.open({ alpn: ["h2"] })).rejects.toThrow(/closed|alert|protocol|disconnected/u);
    const secure = await scene.open({ alpn: ["h2", "http/1.1"] });
    expect(secure.alpnProtocol).toBe("http/1.1");
    secure.destroy();
  });

  test("goes through untouched where nothing is limited: the server's own certificate", async () => {
    const scene = await open({ credential: null });
    const secure = await scene.open({ ca: CERTIFICATE.cert });
    expect(secure.authorized).toBe(true);
    secure.destroy();
  });
});
