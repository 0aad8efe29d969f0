import { describe, expect, test } from "vitest";
import { makeCertificate } from "../../../support/certificate.ts";
import { CERTIFICATE, readAll, refusalOf, SECRET, useScene } from "../terminating-scene.ts";

const { open, asked, current } = useScene();
const bearer = `Bearer ${SECRET}`;

describe("a credential goes out", () => {
  test("with a request that it is for, over TLS that the proxy speaks itself, and the use is asked for first", async () => {
    const { get, records, uses, port } = await open();
    expect(await get("/v1/items?page=2", "X-Request-Id: 1")).toMatch(/^HTTP\/1\.1 200[\s\S]*hello \/v1\/items\?page=2/u);
    expect(asked()).toMatchObject([
      {
        method: "GET",
        url: "/v1/items?page=2",
        headers: { authorization: bearer, host: `api.example.org:${port}`, "x-request-id": "1", "accept-encoding": "identity" },
      },
    ]);
    expect(uses).toEqual([{ credential: "a-token", host: "api.example.org", port, method: "GET", path: "/v1/items" }]);
    expect(records).toMatchObject([
      { via: "connect", decision: "allow" },
      { via: "http", request: { method: "GET", path: "/v1/items", credentials: ["a-token"] }, decision: "allow", reason: "closed" },
    ]);
  });

  test("in base64 with a user's name", async () => {
    const { get } = await open({ credential: { header: { name: "authorization", value: "Basic {basic x-token}" } } });
    await get("/v1/items");
    expect(asked()[0]?.headers.authorization).toBe(`Basic ${Buffer.from(`x-token:${SECRET}`).toString("base64")}`);
  });

  test("with each of several requests on one connection, each asked for", async () => {
    const { send, port, uses } = await open();
    const head = `Host: api.example.org:${port}\r\n`;
    const answer = await send(`GET /v1/a HTTP/1.1\r\n${head}\r\nGET /admin HTTP/1.1\r\n${head}\r\nGET /v1/b HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
    expect(answer).toContain("hello /v1/a");
    expect(refusalOf(answer)).toBe("credential-scope");
    // What was pipelined behind a refusal may have gone out; its answer is not passed on.
    expect(answer).not.toContain("hello /v1/b");
    expect(asked().map(({ url }) => url)).not.toContain("/admin");
    expect(uses.map(({ path }) => path)).toEqual(asked().map(({ url }) => url));
  });

  test("never where its use is not granted", async () => {
    const { get, records } = await open({ onUse: () => false });
    expect(refusalOf(await get("/v1/items"))).toBe("credential-refused");
    expect(asked()).toEqual([]);
    expect(records.at(-1)).toMatchObject({ decision: "deny", reason: "credential-refused" });
  });

  test("never over plain HTTP, in the absolute form or in a tunnel", async () => {
    const started = await open();
    const { plainPort } = started;
    started.close();
    const { sendPlain, port } = await open();
    const within = `GET /v1/items HTTP/1.1\r\nHost: api.example.org:${port}\r\nConnection: close\r\n\r\n`;
    expect(refusalOf(await sendPlain(`CONNECT api.example.org:${port} HTTP/1.1\r\nHost: x\r\n\r\n${within}`))).toBe("credential-needs-tls");
    expect(refusalOf(await sendPlain(`GET http://api.example.org:${port}/v1/items HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`))).toBe(
      "credential-needs-tls",
    );
    expect(plainPort).not.toBe(port);
    expect(asked()).toEqual([]);
  });

  test("never to another port of its host", async () => {
    const { sendPlain, plainPort, uses } = await open();
    expect(await sendPlain(`GET http://api.example.org:${plainPort}/v1/items HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toContain("hello");
    expect(asked()[0]?.headers.authorization).toBeUndefined();
    expect(uses).toEqual([]);
  });
});

describe("what is no request of a credential", () => {
  test.each([
    ["another path", "GET /v2/items"],
    ["a path that begins alike", "GET /v1x"],
    ["another case", "GET /V1/items"],
    ["another method", "DELETE /v1/items"],
    ["TRACE, which would echo it", "TRACE /v1/items"],
    ["OPTIONS", "OPTIONS /v1/items"],
  ])("is refused: %s", async (_what, line) => {
    const { send, port, records } = await open();
    expect(refusalOf(await send(`${line} HTTP/1.1\r\nHost: api.example.org:${port}\r\nConnection: close\r\n\r\n`))).toBe("credential-scope");
    expect(asked()).toEqual([]);
    expect(records.at(-1)).toMatchObject({ decision: "deny", reason: "credential-scope" });
  });

  test("passes without it where the policy says so, and without the client's own", async () => {
    const { get, uses } = await open({ credential: { otherwise: "pass" } });
    expect(await get("/v2/items", "Authorization: Bearer mine")).toContain("hello /v2/items");
    expect(asked()[0]?.headers.authorization).toBeUndefined();
    expect(uses).toEqual([]);
  });

  test.each([
    ["a way up", "/v1/../admin", "path-form"],
    ["an escaped way up", "/v1/%2e%2e/admin", "path-form"],
    ["an escape of an escape", "/v1/%252e%252e/admin", "path-form"],
    ["an escaped slash", "/v1%2f..%2fadmin", "path-form"],
    ["an empty component", "/v1//admin", "path-form"],
    ["a path parameter", "/v1/..;/admin", "path-form"],
    ["a method in the query", "/v1/items?a=1&_method=DELETE", "method-override"],
    ["an escaped method in the query", "/v1/items?%5fm%65thod=DELETE", "method-override"],
    ["another method by whatever name in the query", "/v1/items?a=1&_HttpMethod=PATCH", "method-override"],
    ["another method by a plain name in the query", "/v1/items?method=delete", "method-override"],
    ["a header's name in the query, escaped", "/v1/items?X-HTTP-Method%2DOverride=%44ELETE", "method-override"],
    ["a method in a group of the query", "/v1/items?a[_method]=DELETE", "method-override"],
    ["an escaped method in a group of the query", "/v1/items?a%5b_method%5D=x", "method-override"],
    ["a method in a group of groups", "/v1/items?a[b][_method]=x", "method-override"],
    ["a method by a name in a group", "/v1/items?a[method]=delete", "method-override"],
    ["a method by a name that PHP reads so", "/v1/items?.method=x", "method-override"],
    ["a method of WebDAV", "/v1/items?http_method=MOVE", "method-override"],
    ["a method in a list", "/v1/items?method[0]=DELETE", "method-override"],
    ["a method behind a blank", "/v1/items?http_method=+DELETE", "method-override"],
    ["a method before a NUL", "/v1/items?method=DELETE%00", "method-override"],
    ["an absolute form", "https://other.example.org/v1/items", "bad-request"],
    ["two slashes first", "//other.example.org/v1/items", "path-form"],
    ["the asterisk form", "*", "bad-request"],
  ])("is refused where it could be read as another: %s", async (_what, path, reason) => {
    const { get } = await open();
    expect(refusalOf(await get(path))).toBe(reason);
    expect(asked()).toEqual([]);
  });

  test.each([
    "X-HTTP-Method-Override: DELETE",
    "x_http_method_override: DELETE",
    "X-HTTP-Method: DELETE",
    "X-Original-URL: /admin",
    "X-Rewrite-URL: /admin",
    "X.HTTP.Method.Override: DELETE",
    "X-Forwarded-Host: admin.example.org",
    "X_Forwarded_Host: admin.example.org",
    "Forwarded: host=admin.example.org",
    "X-Forwarded-Prefix: /admin",
  ])("is refused where a header could make it another: %s", async (line) => {
    const { get } = await open();
    expect(refusalOf(await get("/v1/items", line))).toBe("method-override");
    expect(asked()).toEqual([]);
  });

  test.each([
    "X-Override-URL: /admin",
    "X-Rewrite-Path: /admin",
    "X-Envoy-Original-Path: /admin",
    "X-Request-URI: /admin",
    "X-Proxy-Url: https://admin.example.org",
    "X-Whatever-Comes-Next: /admin",
    "CF-Connecting-IP: 10.0.0.1",
    "X-Forwarded-For: 10.0.0.1",
    "X-Real-IP: 10.0.0.1",
    "Destination: /admin",
    // These begin as harmless ones do, and name another path or method.
    "x-amz-copy-source: /private/x",
    "x-goog-copy-source: /private/x",
    "x-ms-copy-source: https://other.example.org/x",
    "x-ms-rename-source: /private/x",
    "x-ms-file-rename-source: /private/x",
    "x-ms-original-url: /admin",
    "x_amz_copy_source: /private/x",
    "Content-Location: /admin",
  ])("is refused where a header is not known to leave it as it is: %s", async (line) => {
    const { get } = await open();
    expect(refusalOf(await get("/v1/items", line))).toBe("unknown-header");
    expect(asked()).toEqual([]);
  });

  test.each([
    "Accept-Language: en",
    "If-None-Match: x",
    "npm-command: ci",
    "pacote-req-type: packument",
    "anthropic-version: 2023-06-01",
    "X-GitHub-Api-Version: 2022-11-28",
    "Git-Protocol: version=2",
    "Traceparent: 00-0",
    "Sec-Fetch-Mode: cors",
    "x-amz-content-sha256: 00",
    "x-stainless-helper-method: stream",
  ])("goes on with what usual clients send: %s", async (line) => {
    const { get } = await open();
    expect(await get("/v1/items", line)).toMatch(/^HTTP\/1\.1 200/u);
  });

  test.each(["/v1/items?method=GET", "/v1/items?method=flickr.photos.search", "/v1/items?payment_method=post-paid", "/v1/items?q=_method"])(
    "keeps a query that names no other method: %s",
    async (path) => {
      const { get } = await open();
      await get(path);
      expect(asked().map(({ url }) => url)).toEqual([path]);
    },
  );

  test("goes out as it was judged, not as it was written", async () => {
    const { get } = await open();
    await get("/v1/%69tems/%c3%a9");
    expect(asked()[0]?.url).toBe("/v1/items/%C3%A9");
  });
});

describe("a client's own headers", () => {
  test.each([
    ["one of the credential's name", ["Authorization: Bearer mine"]],
    ["several of them", ["Authorization: Bearer mine", "AUTHORIZATION: Basic mine"]],
    ["one that a connection is to drop", ["Connection: authorization"]],
    ["one of its name for CGI", ["authorization: Bearer mine"]],
  ])("do not replace the credential or stand beside it: %s", async (_what, lines) => {
    const { get } = await open();
    await get("/v1/items", ...lines);
    expect(asked()[0]?.rawHeaders.filter((text) => /^authorization$/iu.test(text))).toHaveLength(1);
    expect(asked()[0]?.headers.authorization).toBe(bearer);
  });

  test("do not reach it by another spelling either", async () => {
    const { get } = await open({ credential: { header: { name: "x-api-key", value: "{secret}" } } });
    await get("/v1/items", "X_Api_Key: mine", "x-api_key: mine", "X.Api.Key: mine", "X~Api!Key: mine");
    expect(asked()[0]?.rawHeaders.filter((text) => /^x.api.key$/iu.test(text))).toEqual(["x-api-key"]);
    expect(asked()[0]?.headers["x-api-key"]).toBe(SECRET);
  });

  test("come through no trailer", async () => {
    const { send, port } = await open();
    const head = `POST /v1/items HTTP/1.1\r\nHost: api.example.org:${port}\r\nTrailer: authorization\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    await send(`${head}3\r\nabc\r\n0\r\nauthorization: Bearer mine\r\n\r\n`);
    expect(asked()).toMatchObject([{ body: "abc", trailers: {}, headers: { authorization: bearer } }]);
    expect(asked()[0]?.headers.trailer).toBeUndefined();
  });

  test("ask for no part and no compression of what is looked through", async () => {
    const { get } = await open();
    await get("/v1/items", "Range: bytes=0-3", "If-Range: x", "Request-Range: bytes=0-3", "x-ms-range: bytes=0-3", "A-IM: gzip", "Accept-Encoding: gzip, br");
    for (const name of ["range", "if-range", "request-range", "x-ms-range", "a-im"]) expect(asked()[0]?.headers).not.toHaveProperty([name]);
    expect(asked()[0]?.headers["accept-encoding"]).toBe("identity");
  });
});

describe("smuggling into a request with a credential", () => {
  const tail = "GET /admin HTTP/1.1\r\nHost: api.example.org\r\n\r\n";
  test.each([
    ["a length and chunks", "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX"],
    ["chunks and a length", "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\nX"],
    ["two lengths", `Content-Length: 0\r\nContent-Length: ${tail.length}\r\n\r\n${tail}`],
    ["a length with a sign", `Content-Length: +${tail.length}\r\n\r\n${tail}`],
    ["lengths in a list", `Content-Length: 0, ${tail.length}\r\n\r\n${tail}`],
    ["chunked, hidden by a space", `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${tail}`],
    ["chunked with another coding after it", `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${tail}`],
    ["a bare line feed", `X: y\nContent-Length: ${tail.length}\r\n\r\n${tail}`],
    ["a bare carriage return", `X: y\rContent-Length: ${tail.length}\r\n\r\n${tail}`],
    ["a chunk whose size is none", `Transfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n${tail}`],
    ["a NUL in a header", `X: a\0b\r\n\r\n`],
  ])("reaches no server: %s", async (_what, rest) => {
    const { send, port } = await open();
    expect(await send(`POST /v1/items HTTP/1.1\r\nHost: api.example.org:${port}\r\n${rest}`)).toMatch(/^HTTP\/1\.1 400/u);
    expect(asked().filter(({ body }) => body !== "")).toEqual([]);
    expect(asked().map(({ url }) => url)).not.toContain("/admin");
  });

  test.each(["Transfer_Encoding: chunked", "TRANSFER_ENCODING: chunked", "Content_Length: 43"])(
    "framing in another spelling stays behind: %s",
    async (line) => {
      const { send, port } = await open();
      const head = `POST /v1/items HTTP/1.1\r\nHost: api.example.org:${port}\r\nContent-Length: ${tail.length}\r\nConnection: close\r\n`;
      await send(`${head}${line}\r\n\r\n${tail}`);
      expect(asked()).toMatchObject([{ url: "/v1/items", body: tail, headers: { "content-length": String(tail.length) } }]);
      expect(asked()[0]?.rawHeaders.filter((text) => /^(?:transfer|content).(?:encoding|length)$/iu.test(text))).toEqual(["Content-Length"]);
    },
  );

  test("a folded header reaches no server, as one header or as two", async () => {
    const { get } = await open();
    const answer = await get("/v1/items", "X-One: a", " Authorization: Bearer mine");
    expect(answer).toMatch(/^HTTP\/1\.1 400/u);
    expect(asked()).toEqual([]);
  });

  test("HTTP/1.0 is answered and framed anew; without a Host nothing is known of it", async () => {
    const { send, port } = await open();
    expect(await send(`GET /v1/items HTTP/1.0\r\nHost: api.example.org:${port}\r\n\r\n`)).toContain("hello");
    expect(refusalOf(await send("GET /v1/items HTTP/1.0\r\n\r\n"))).toBe("bad-request");
    expect(asked()).toHaveLength(1);
  });

  test("a Host within the tunnel that is another's is refused", async () => {
    const { send } = await open();
    expect(refusalOf(await send("GET /v1/items HTTP/1.1\r\nHost: other.example.org\r\nConnection: close\r\n\r\n"))).toBe("bad-request");
    expect(asked()).toEqual([]);
  });
});

describe("a server that takes the credential", () => {
  test.each([
    ["whose certificate nobody vouches for", { isTrusted: false }],
    ["whose certificate is for another name", { certificate: makeCertificate("other.example.org") }],
  ])("gets nothing: one %s", async (_what, options) => {
    const { get, records, uses } = await open({ ...options });
    expect(await get("/v1/items")).toMatch(/^HTTP\/1\.1 502[\s\S]*certificate/u);
    expect(asked()).toEqual([]);
    expect(uses).toEqual([]);
    expect(records.at(-1)).toMatchObject({ decision: "allow", reason: "certificate-refused" });
  });

  test("may send elsewhere, and there the credential does not go", async () => {
    const location = (): string => `https://other.example.org:${String(current()?.port)}/v1/items`;
    const { get, records } = await open({ reply: (_request, response) => response.writeHead(302, { location: location() }).end() });
    expect(await get("/v1/items")).toContain(`location: ${location()}`);
    // Nobody followed it: one request, one connection.
    expect(asked()).toHaveLength(1);
    expect(records.filter(({ via }) => via === "http")).toHaveLength(1);
  });

  test("is resolved for each request: a name that leads elsewhere meanwhile gets nothing", async () => {
    const names = { "api.example.org": ["127.0.0.1"] };
    const { open: openTunnel, port } = await open({ names });
    const secure = await openTunnel();
    const head = `Host: api.example.org:${port}\r\n`;
    secure.write(`GET /v1/a HTTP/1.1\r\n${head}\r\n`);
    await expect.poll(asked).toHaveLength(1);
    names["api.example.org"] = ["10.0.0.7"];
    secure.write(`GET /v1/b HTTP/1.1\r\n${head}\r\n`);
    expect(refusalOf(await readAll(secure))).toBe("private-address");
    expect(asked()).toHaveLength(1);
  });

  test("is named alike by CONNECT and by TLS", async () => {
    const { open: openTunnel, port, records } = await open();
    await expect(openTunnel({ servername: "other.example.org" })).rejects.toThrow(/disconnected|closed|reset/u);
    await expect(openTunnel({ authority: `other.example.org:${port}`, servername: "api.example.org" })).rejects.toThrow(/disconnected|closed|reset/u);
    expect(records.map(({ reason }) => reason)).toEqual(["server-name-mismatch", "server-name-mismatch"]);
    expect(asked()).toEqual([]);
  });

  test("hears nothing of a client that does not trust the session's authority", async () => {
    const { open: openTunnel } = await open();
    await expect(openTunnel({ ca: CERTIFICATE.cert })).rejects.toThrow(/certificate/u);
    expect(asked()).toEqual([]);
  });
});
