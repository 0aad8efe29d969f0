import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { SECRET, useScene } from "../terminating-scene.ts";

const { open } = useScene();
const bearer = `Bearer ${SECRET}`;

describe("an answer that holds the secret", () => {
  const forms: readonly (readonly [string, string])[] = [
    ["as it is", SECRET],
    ["in capitals", SECRET.toUpperCase()],
    ["as a header", `authorization: Bearer ${SECRET}`],
    ["in base64", Buffer.from(SECRET).toString("base64")],
    ["in base64 one byte on", Buffer.from(`x${SECRET}`).toString("base64")],
    ["in base64 within more", Buffer.from(`{"Authorization":"Bearer ${SECRET}"}`).toString("base64")],
    ["in base64 for URLs", Buffer.from(`xy${SECRET}z`).toString("base64url")],
    ["in base64 that is wrapped", Buffer.from(`Bearer ${SECRET}`).toString("base64").replaceAll(/.{10}/gu, "$&\r\n")],
    ["in hexadecimal", Buffer.from(SECRET).toString("hex")],
    ["in a URL", encodeURIComponent(SECRET)],
    ["in a URL, every byte escaped", [...Buffer.from(SECRET)].map((byte) => `%${byte.toString(16)}`).join("")],
    ["in a URL within a URL", encodeURIComponent(encodeURIComponent(SECRET))],
    ["in base64 in a URL", encodeURIComponent(Buffer.from(SECRET).toString("base64"))],
    ["in JSON with escaped slashes", SECRET.replaceAll("/", "\\/")],
    ["in JSON, every character escaped", [...SECRET].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")],
    ["in JavaScript", [...SECRET].map((character) => `\\x${character.charCodeAt(0).toString(16)}`).join("")],
    ["in HTML", [...SECRET].map((character) => `&#${String(character.charCodeAt(0))};`).join("")],
    ["in HTML, in hexadecimal", [...SECRET].map((character) => `&#x${character.charCodeAt(0).toString(16)};`).join("")],
    ["in UTF-16", Buffer.from(SECRET, "utf16le").toString("latin1")],
  ];

  test.each(forms)("has it taken out of the body: %s", async (_form, written) => {
    const { get } = await open({ reply: (_request, response) => response.end(Buffer.from(`<${written}>`, "latin1")) });
    const answer = await get("/v1/items");
    expect(answer).toContain("[redacted: a-token]");
    expect(answer).not.toContain(written.slice(4, -4));
  });

  test.each(forms)("has it taken out over any parts: %s", async (_form, written) => {
    const { get } = await open({
      reply: (_request, response) => {
        const bytes = Buffer.from(`<${written}>`, "latin1");
        const next = (at: number): void => {
          if (at >= bytes.length) response.end();
          else response.write(bytes.subarray(at, at + 3), () => setImmediate(next, at + 3));
        };
        next(0);
      },
    });
    const answer = await get("/v1/items");
    expect(answer).toContain("[redacted: a-token]");
    expect(answer).not.toContain(written.slice(-14, -4));
  });

  test("has it taken out of headers, the reason and an error page; and cookies stay behind", async () => {
    const { get } = await open({
      reply: (request, response) => {
        response.writeHead(401, `No ${SECRET}`, {
          "x-echo": bearer,
          "set-cookie": "session=abc",
          "www-authenticate": `Bearer error="${SECRET}"`,
          [SECRET.replaceAll(/[^a-z0-9]/giu, "-")]: "x",
        });
        response.end(`<h1>${String(request.headers.authorization)}</h1>`);
      },
    });
    const answer = await get("/v1/items");
    expect(answer).toMatch(/^HTTP\/1\.1 401 No \[redacted: a-token\]/u);
    expect(answer).not.toContain(SECRET);
    expect(answer).not.toContain("session=abc");
    expect(answer).toContain("<h1>Bearer [redacted: a-token]</h1>");
  });

  test("has it taken out where it came compressed all the same", async () => {
    const { get } = await open({
      reply: (_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(`token=${SECRET};`)),
    });
    const answer = await get("/v1/items");
    expect(answer).toContain("token=[redacted: a-token];");
    expect(answer).not.toMatch(/content-encoding/iu);
  });

  test("has it taken out where more headers than anybody counts stand before the one that says so", async () => {
    const bytes = gzipSync(`token=${SECRET};`);
    const head = `HTTP/1.1 200 OK\r\n${"a:\r\n".repeat(1100)}Content-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\nConnection: close\r\n\r\n`;
    const { get } = await open({ reply: ({ socket }) => void socket.end(Buffer.concat([Buffer.from(head), bytes])) });
    expect(await get("/v1/items")).toContain("token=[redacted: a-token];");
  });

  test("does not pass in an encoding that cannot be undone", async () => {
    const { get, records } = await open({
      reply: (_request, response) => response.writeHead(200, { "content-encoding": "gzip, gzip" }).end(gzipSync(gzipSync(SECRET))),
    });
    expect(await get("/v1/items")).toMatch(/^HTTP\/1\.1 502[\s\S]*cannot be looked through/u);
    expect(records.at(-1)).toMatchObject({ reason: "encoding-unknown" });
  });

  test("does not pass where it was compressed for the way", async () => {
    const bytes = gzipSync(`token=${SECRET}`);
    const head = `HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n${bytes.length.toString(16)}\r\n`;
    const { get, records } = await open({ reply: ({ socket }) => void socket.end(Buffer.concat([Buffer.from(head), bytes, Buffer.from("\r\n0\r\n\r\n")])) });
    expect(await get("/v1/items")).toMatch(/^HTTP\/1\.1 502[\s\S]*cannot be looked through/u);
    expect(records.at(-1)).toMatchObject({ reason: "encoding-unknown" });
  });

  test.each([
    ["of bytes", 206, { "content-range": "bytes 0-9/40" }],
    ["of bytes, without saying which", 206, {}],
    ["several of bytes", 206, { "content-type": "multipart/byteranges; boundary=x" }],
    ["as a difference", 226, { im: "diffe" }],
  ])("does not pass in parts, which nobody asked for: %s", async (_what, status, headers) => {
    const { get, records } = await open({ reply: (_request, response) => response.writeHead(status, headers).end(SECRET.slice(0, 10)) });
    const answer = await get("/v1/items");
    expect(answer).toMatch(/^HTTP\/1\.1 502[\s\S]*cannot be looked through/u);
    expect(answer).not.toContain(SECRET.slice(0, 10));
    expect(records.at(-1)).toMatchObject({ reason: "encoding-unknown" });
  });

  test("passes as a page of items", async () => {
    const { get } = await open({ reply: (_request, response) => response.writeHead(206, { "content-range": "0-24/3573" }).end("items") });
    expect(await get("/v1/items")).toMatch(/^HTTP\/1\.1 206[\s\S]*items/u);
  });

  test.each(["ibm037", "utf-7", "x-own", '"IBM037"'])("does not pass in characters that are not looked through: %s", async (charset) => {
    const { get, records } = await open({
      reply: (_request, response) => response.writeHead(200, { "content-type": `text/plain; charset=${charset}` }).end(Buffer.from([0xa2, 0xf3])),
    });
    expect(await get("/v1/items")).toMatch(/^HTTP\/1\.1 502[\s\S]*cannot be looked through/u);
    expect(records.at(-1)).toMatchObject({ reason: "encoding-unknown" });
  });

  test.each(["UTF-8", '"utf-8"', "iso-8859-15", "Shift_JIS", "utf-16be"])("passes in characters that are: %s", async (charset) => {
    const { get } = await open({
      reply: (_request, response) => response.writeHead(200, { "content-type": `text/plain; charset=${charset}; format=flowed` }).end(SECRET),
    });
    expect(await get("/v1/items")).toMatch(/^HTTP\/1\.1 200[\s\S]*\[redacted: a-token\]/u);
  });

  test("has it taken out of another host's answer too, which keeps its cookies", async () => {
    const { sendPlain, plainPort } = await open({ reply: (_request, response) => response.writeHead(200, { "set-cookie": "session=abc" }).end(SECRET) });
    const answer = await sendPlain(`GET http://api.example.org:${plainPort}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/set-cookie: session=abc[\s\S]*\[redacted: a-token\]/iu);
  });

  test("loses trailers, and says nothing of itself to HEAD", async () => {
    const { send, port } = await open({
      reply: (request, response) => {
        if (request.method === "HEAD") {
          response.writeHead(200, { "content-length": "5", "x-echo": bearer }).end();
          return;
        }
        response.writeHead(200, { trailer: "x-echo" });
        response.addTrailers({ "x-echo": bearer });
        response.end("hello");
      },
    });
    const head = ` HTTP/1.1\r\nHost: api.example.org:${port}\r\nConnection: close\r\n\r\n`;
    expect(await send(`GET /v1/items${head}`)).not.toContain(SECRET);
    const answer = await send(`HEAD /v1/items${head}`);
    expect(answer).toMatch(/content-length: 5/iu);
    expect(answer).not.toContain(SECRET);
  });

  test("comes through at once where it holds nothing: a part of a stream does not wait for the next", async () => {
    let finish = (): void => undefined;
    const { open: openTunnel, port } = await open({
      reply: (_request, response) => {
        response.write("data: one\n\n");
        finish = () => void response.end();
      },
    });
    const secure = await openTunnel();
    let text = "";
    secure.on("data", (data: Buffer) => (text += data.toString()));
    secure.write(`GET /v1/items HTTP/1.1\r\nHost: api.example.org:${port}\r\nConnection: close\r\n\r\n`);
    await expect.poll(() => text).toContain("data: one\n\n");
    finish();
    await new Promise((resolve) => secure.once("close", resolve));
  });
});
