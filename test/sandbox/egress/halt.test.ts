import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished, expect, test } from "vitest";
import type { ConnectionRecord } from "../../../src/sandbox/egress/traffic/connection-record.ts";
import { openEgress } from "../../../src/sandbox/egress/session.ts";
import { listen, portOf } from "./local-servers.ts";
import { once } from "../../support/until.ts";

/** A real proxy process before a server that says hello and then holds the line; `network.isStopped` stands where the stop switch is. */
async function place(isStopped = false) {
  const folder = mkdtempSync(join(tmpdir(), "warder-egress-"));
  const heard: Socket[] = [];
  const server = createServer((socket) => {
    heard.push(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello"));
  });
  await listen(server);
  const port = portOf(server);
  const network = { isStopped };
  const records: ConnectionRecord[] = [];
  const egress = await openEgress(
    { allow: [`files.example.org:${port}`, `127.0.0.1:${port}`] },
    {
      runId: "run",
      runDirectory: folder,
      names: { "files.example.org": ["127.0.0.1"] },
      onConnection: (record) => records.push(record),
      isNetworkStopped: () => network.isStopped,
    },
    { directory: `${folder}/egress`, traffic: new Map() },
  );
  onTestFinished(async () => {
    await egress?.close();
    server.close();
    for (const socket of heard) socket.destroy();
    rmSync(folder, { recursive: true, force: true });
  });
  const ask = async (request: string): Promise<{ readonly socket: Socket; readonly said: () => string; readonly closed: Promise<unknown> }> => {
    const socket = connect(`${egress?.directory ?? ""}/proxy.sock`);
    let said = "";
    socket.setEncoding("utf8").on("data", (text: string) => (said += text));
    socket.on("error", () => undefined);
    const closed = once(socket, "close");
    await once(socket, "connect");
    socket.write(request.replaceAll("HOST", `files.example.org:${port}`));
    return { socket, said: () => said, closed };
  };
  return { network, records, ask, heard };
}

const GET = "GET http://HOST/ HTTP/1.1\r\nHost: HOST\r\n\r\n";
const CONNECT = "CONNECT HOST HTTP/1.1\r\nHost: HOST\r\n\r\n";

test("a connection that is under way is cut, none is made while the network is stopped, and then they go on", async () => {
  const { network, records, ask, heard } = await place();
  const open = await ask(GET);
  await expect.poll(open.said).toContain("hello");
  network.isStopped = true;
  await open.closed;
  await expect.poll(() => heard.every((socket) => socket.destroyed || socket.readableEnded)).toBe(true);
  const reached = heard.length;
  for (const request of [GET, CONNECT]) {
    const refused = await ask(request);
    await refused.closed;
    expect(refused.said()).not.toContain("hello");
    expect(refused.said()).not.toContain("Established");
  }
  expect(heard).toHaveLength(reached);
  // They come from the proxy's process.
  await expect
    .poll(() => records.map(({ via, host, decision, reason }) => [via, host.replace(/:\d+$/u, ""), decision, reason]))
    .toEqual([
      // Not at its own end, which comes where nothing moves for two minutes.
      ["http", "files.example.org", "allow", expect.not.stringMatching(/^idle$/u)],
      ["http", "files.example.org", "deny", "stop-switch"],
      ["connect", "files.example.org", "deny", "stop-switch"],
    ]);
  network.isStopped = false;
  await expect
    .poll(async () => {
      const again = await ask(GET);
      await once(again.socket, "data").catch(() => again.closed);
      again.socket.destroy();
      return again.said();
    })
    .toContain("hello");
});

test("a proxy that starts while the network is stopped lets nothing through", async () => {
  const { ask, heard } = await place(true);
  const refused = await ask(GET);
  await refused.closed;
  expect(refused.said()).toContain("x-warder-refusal: stop-switch");
  expect(heard).toEqual([]);
});
