/**
 * What the egress proxy costs: a small request over TLS to a server on loopback, directly, through CONNECT untouched, and with TLS ended and a
 * credential added, each on connections of its own; how fast answers are searched for a secret; and the memory that a gibibyte takes.
 *
 *   npm run bench -- egress [--json] [--rounds N]
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { createServer, request } from "node:https";
import { connect, type AddressInfo, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { parseArgs } from "node:util";
import { startEgress } from "../../src/sandbox/egress/start.ts";
import { createRedactor } from "../../src/sandbox/egress/secrets/redactor.ts";
import { rowOf, type Row } from "../shared/samples.ts";

const { values: options } = parseArgs({ options: { json: { type: "boolean", default: false }, rounds: { type: "string", default: "200" } } });

const SECRET = "example-token-0123456789abcdefABCDEF";
const MIB = 1024 ** 2;
const GIBIBYTE = 1024 * MIB;
const folder = mkdtempSync("/tmp/warder-bench-");

execFileSync(
  "openssl",
  `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=bench -addext subjectAltName=DNS:plain.example.org,DNS:api.example.org -keyout ${folder}/key -out ${folder}/cert`.split(
    " ",
  ),
  { stdio: "pipe" },
);
const cert = readFileSync(`${folder}/cert`, "utf8");
const part = Buffer.alloc(256 * 1024, "x");
const server = createServer({ cert, key: readFileSync(`${folder}/key`) }, (asked, response) => {
  let left = asked.url === "/large" ? GIBIBYTE : 5;
  const more = (): void => {
    while (left > 0) {
      const size = Math.min(left, part.length);
      left -= size;
      if (!response.write(part.subarray(0, size))) {
        response.once("drain", more);
        return;
      }
    }
    response.end();
  };
  more();
});
await new Promise<void>((done) => {
  server.listen(0, "127.0.0.1", done);
});
const { port } = server.address() as AddressInfo;

const egress = await startEgress({
  directory: `${folder}/egress`,
  network: {
    allow: [`plain.example.org:${port}`, `api.example.org:${port}`, `127.0.0.1:${port}`],
    credentials: [
      {
        id: "bench",
        secret: { kind: "variable", name: "BENCH" },
        host: "api.example.org",
        port,
        methods: ["GET"],
        paths: ["/**"],
        header: { name: "authorization", value: "Bearer {secret}" },
        otherwise: "refuse",
      },
    ],
  },
  names: { "plain.example.org": ["127.0.0.1"], "api.example.org": ["127.0.0.1"] },
  secrets: new Map([["bench", SECRET]]),
  trusted: [cert],
  onCredentialUse: () => true,
  onConnection: () => undefined,
});

async function tunnel(host: string): Promise<Socket> {
  const socket = connect(`${egress.directory}/proxy.sock`);
  socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`);
  await new Promise((resolve) => socket.once("data", resolve));
  return socket;
}

/** Fetches over a connection of its own; the bytes of the answer. */
async function fetchOver(host: string, path: string, socket: Socket | null): Promise<number> {
  const ca = [cert, egress.authority ?? ""];
  const createConnection = () =>
    socket === null ? connectTls({ host: "127.0.0.1", port, servername: host, ca }) : connectTls({ socket, servername: host, ca });
  return await new Promise<number>((resolve, reject) => {
    const asking = request({ host, path, createConnection, headers: { host: `${host}:${port}` } }, (answer) => {
      let bytes = 0;
      answer
        .on("data", (data: Buffer) => (bytes += data.length))
        .on("end", () => {
          resolve(bytes);
        });
    });
    asking.on("error", reject).end();
  });
}

const WAYS: Readonly<Record<string, () => Promise<number>>> = {
  "TLS, direct": () => fetchOver("plain.example.org", "/", null),
  "TLS through CONNECT, untouched": async () => fetchOver("plain.example.org", "/", await tunnel("plain.example.org")),
  "TLS ended, a credential added": async () => fetchOver("api.example.org", "/", await tunnel("api.example.org")),
};

const samples = new Map<string, number[]>(Object.keys(WAYS).map((name) => [name, []]));
for (let round = -20; round < Number(options.rounds); round += 1) {
  for (const [name, ask] of Object.entries(WAYS)) {
    const startedMs = performance.now();
    await ask();
    if (round >= 0) samples.get(name)?.push(performance.now() - startedMs);
  }
}
const rows: Record<string, Row> = Object.fromEntries([...samples].map(([name, times]) => [name, rowOf(times)]));

/** MiB a second through the search for a secret, in parts of 64 KiB. */
function searchSpeed(body: Buffer): number {
  const redactor = createRedactor(new Map([["bench", SECRET]]));
  const parts = redactor?.parts();
  const startedMs = performance.now();
  for (let at = 0; at < body.length; at += 65_536) parts?.push(body.toString("latin1", at, at + 65_536));
  return Math.round(body.length / MIB / ((performance.now() - startedMs) / 1000));
}

const source = readFileSync(new URL("../../src/sandbox/egress/secrets/pattern.ts", import.meta.url), "utf8");
const json = JSON.stringify({ name: "alpha", value: "x & y %20 \\ z", items: [1, 2, 3] });
const memory = (): number => {
  const pid = readdirSync("/proc").find((name) => /^\d+$/u.test(name) && isProxy(name));
  return Number(/^VmHWM:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
};
const before = memory();
const startedMs = performance.now();
const bytes = await fetchOver("plain.example.org", "/large", await tunnel("plain.example.org"));
const seconds = (performance.now() - startedMs) / 1000;
const figures = {
  "search of program text, MiB/s": searchSpeed(Buffer.from(source.repeat(4000))),
  "search of JSON full of escapes, MiB/s": searchSpeed(Buffer.from(json.repeat(300_000))),
  "a gibibyte through CONNECT, s": Math.round(seconds * 10) / 10,
  "bytes of it": bytes,
  "memory that it took, MiB": Math.round(memory() - before),
};

function isProxy(pid: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === egress.directory;
  } catch (error) {
    // Gone meanwhile, or somebody else's.
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

await egress.close();
server.close();
rmSync(folder, { recursive: true });
if (options.json) console.log(JSON.stringify({ rows, figures }));
else {
  for (const [name, row] of Object.entries(rows))
    console.log(`${name.padEnd(34)} p50 ${row.p50Ms.toFixed(2)} ms   p95 ${row.p95Ms.toFixed(2)} ms   n ${row.n}`);
  for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(40)} ${value}`);
}
