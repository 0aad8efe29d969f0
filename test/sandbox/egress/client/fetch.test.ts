import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fetchThrough } from "../../../../src/sandbox/egress/client/fetch.ts";
import { openEgress } from "../../../../src/sandbox/egress/session.ts";
import type { ConnectionRecord } from "../../../../src/sandbox/egress/traffic/connection-record.ts";
import { listen, portOf } from "../local-servers.ts";

test("fetch through the proxy reaches what is named, follows nothing, meets no private address by a name, and hears a stream as it comes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "warder-egress-"));
  const asked: string[] = [];
  let isGone = false;
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ""} ${request.url ?? ""}`);
    if (request.url === "/away") response.writeHead(307, { location: `http://127.0.0.1:${String(portOf(server))}/landed` }).end();
    else if (request.url === "/stream") {
      response.on("close", () => (isGone = true));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: first\n\n");
    } else request.pipe(response.writeHead(200, { "x-two": ["a", "b"] }));
  });
  await listen(server);
  const records: ConnectionRecord[] = [];
  const here = `127.0.0.1:${String(portOf(server))}`;
  const options = {
    runId: "x",
    runDirectory: folder,
    names: { "inside.example.org": ["10.0.0.1"] },
    onConnection: (record: ConnectionRecord) => void records.push(record),
  };
  const egress = await openEgress({ allow: [here, "inside.example.org"] }, options, { directory: join(folder, "egress"), traffic: new Map() });
  onTestFinished(async () => {
    await egress?.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  if (egress === null) throw new Error("There is a host.");
  const fetched = fetchThrough({ egress });

  const echo = await fetched(`http://${here}/echo`, { method: "POST", body: "hello" });
  expect([echo.status, echo.headers.get("x-two"), await echo.text()]).toEqual([200, "a, b", "hello"]);
  const away = await fetched(`http://${here}/away`);
  expect([away.status, await away.text()]).toEqual([307, ""]);
  await expect(fetched("http://127.0.0.1:1/")).rejects.toThrow(/127\.0\.0\.1:1: /u);
  await expect(fetched("https://inside.example.org/")).rejects.toThrow("the name leads to an address that is not public");
  await expect(fetched("http://169.254.169.254/latest/meta-data/")).rejects.toThrow(/169\.254\.169\.254: /u);
  await expect(fetched("file:///etc/passwd")).rejects.toThrow("file: is no protocol");

  const stop = new AbortController();
  const stream = await fetched(`http://${here}/stream`, { signal: stop.signal });
  const reader = stream.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("data: first\n\n");
  stop.abort();
  await expect(reader?.read()).rejects.toThrow(/aborted|terminated|closed/u);
  await expect.poll(() => isGone).toBe(true);
  expect(asked).toEqual(["POST /echo", "GET /away", "GET /stream"]);
  await egress.close();
  expect(records.filter(({ decision }) => decision === "deny").map(({ host }) => host)).toEqual(["127.0.0.1", "inside.example.org", "169.254.169.254"]);
});
