import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterEach, expect, test } from "vitest";
import type { NetworkSettings } from "../../../../src/policy/network.ts";
import type { ConnectionRecord } from "../../../../src/sandbox/egress/traffic/connection-record.ts";
import { startEgress } from "../../../../src/sandbox/egress/start.ts";
import { isWhole } from "../../../support/extent.ts";
import { listen, portOf } from "../local-servers.ts";
import { useScene } from "../terminating-scene.ts";

const { open } = useScene();
const MIB = 1024 ** 2;
/** Several times what the proxy may grow by, and more than may go out where nothing is stated. */
const MUCH = (isWhole ? 1024 : 288) * MIB;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** So many bytes, made as they are read. */
function bytes(count: number): Readable {
  const part = Buffer.alloc(256 * 1024, "x");
  return Readable.from(
    (function* () {
      for (let left = count; left > 0; left -= part.length) yield left < part.length ? part.subarray(0, left) : part;
    })(),
    { objectMode: false },
  );
}

/** The real proxy's process, with a server behind it that takes what it is sent and answers with much. */
async function openProcess(limits: NetworkSettings["limits"]) {
  const server = createServer((request, response) => {
    let taken = 0;
    request.on("data", (part: Buffer) => (taken += part.length));
    request.on("end", () => {
      if (request.method === "POST") response.end(`took ${taken}`);
      else void pipeline(bytes(MUCH), response).catch(() => undefined);
    });
  });
  await listen(server);
  const port = portOf(server);
  const folder = mkdtempSync(join(tmpdir(), "warder-large-"));
  const records: ConnectionRecord[] = [];
  const egress = await startEgress({
    directory: `${folder}/egress`,
    network: { allow: [`files.example.org:${port}`, `127.0.0.1:${port}`], ...(limits === undefined ? {} : { limits }) },
    names: { "files.example.org": ["127.0.0.1"] },
    onConnection: (record) => records.push(record),
  });
  closing.push(
    () => rmSync(folder, { recursive: true }),
    () => egress.close(),
    () => server.close(),
    () => server.closeAllConnections(),
  );
  closing.reverse();
  const pid = readdirSync("/proc").find((name) => /^\d+$/u.test(name) && cwdOf(name) === egress.directory);
  const memory = (): number => Number(/^VmHWM:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
  return { memory, records, url: `http://files.example.org:${port}/`, socket: connect(`${egress.directory}/proxy.sock`) };
}

function cwdOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}

async function count(socket: Socket): Promise<{ bytes: number; last: string }> {
  let total = 0;
  let last = "";
  for await (const part of socket) {
    total += (part as Buffer).length;
    last = (part as Buffer).toString("latin1").slice(-100);
  }
  return { bytes: total, last };
}

test("a large body comes in without the proxy growing", async () => {
  const { socket, url, memory, records } = await openProcess(undefined);
  const before = memory();
  socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect((await count(socket)).bytes).toBeGreaterThan(MUCH);
  await expect.poll(() => records).toMatchObject([{ reason: "closed", bytesDown: MUCH }]);
  expect(memory() - before).toBeLessThan(96 * MIB);
});

test("a large body goes out without the proxy growing, where the policy allows so much", async () => {
  const { socket, url, memory, records } = await openProcess({ connection: { bytesUp: 2 * MUCH } });
  const before = memory();
  socket.write(`POST ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${MUCH}\r\n\r\n`);
  const counted = count(socket);
  await pipeline(bytes(MUCH), socket, { end: false });
  expect((await counted).last).toContain(`took ${MUCH}`);
  await expect.poll(() => records).toMatchObject([{ reason: "closed", bytesUp: MUCH }]);
  expect(memory() - before).toBeLessThan(96 * MIB);
});

test("where nothing is stated, 256 MiB go out and no more", async () => {
  const { socket, url, records } = await openProcess(undefined);
  socket.on("error", () => undefined);
  socket.write(`POST ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${MUCH}\r\n\r\n`);
  socket.resume();
  await pipeline(bytes(MUCH), socket).catch(() => undefined);
  await expect.poll(() => records).toMatchObject([{ reason: "byte-limit" }]);
  expect(records[0]?.bytesUp).toBeLessThanOrEqual(256 * MIB);
});

test.each([
  ["a client of plain HTTP", false],
  ["a client within TLS that ends at the proxy", true],
])("%s that reads slowly holds the server up, and not the proxy's memory", async (_what, isEncrypted) => {
  let written = 0;
  const scene = await open({
    reply: (_request, response) => {
      const more = (): void => {
        do written += 65_536;
        while (response.write(Buffer.alloc(65_536)) && written < 200 * MIB);
      };
      response.on("drain", more);
      more();
    },
  });
  const host = `Host: api.example.org:${scene.port}\r\n\r\n`;
  const reader = isEncrypted ? await scene.open() : connect(scene.path);
  reader.write(isEncrypted ? `GET /v1/items HTTP/1.1\r\n${host}` : `GET http://api.example.org:${scene.plainPort}/ HTTP/1.1\r\n${host}`);
  reader.pause();
  let last = -1;
  await expect
    .poll(
      () => {
        const isStill = written > 0 && written === last;
        last = written;
        return isStill;
      },
      { interval: 300 },
    )
    .toBe(true);
  expect(written).toBeLessThan(50 * MIB);
  reader.destroy();
});
