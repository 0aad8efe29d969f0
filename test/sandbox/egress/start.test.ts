import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { connect } from "node:net";
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ConnectionRecord } from "../../../src/sandbox/egress/traffic/connection-record.ts";
import { openEgress } from "../../../src/sandbox/egress/session.ts";
import { proxyArguments, startEgress } from "../../../src/sandbox/egress/start.ts";
import { listen, portOf } from "./local-servers.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "warder-egress-"));
});
afterEach(() => {
  // None is left but where a control is switched off.
  for (const pid of proxies()) process.kill(Number(pid), "SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const plan = (onConnection: (record: ConnectionRecord) => void) => ({
  directory: `${folder}/egress`,
  network: { allow: ["a.example.org"] },
  names: {},
  onConnection,
});

/** The processes whose working directory is the proxy's folder. */
function proxies(): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/u.test(pid)) return false;
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch (error) {
      // Gone meanwhile, a kernel thread, or a process of another user.
      if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
      throw error;
    }
  });
}

function ask(path: string, url = "http://b.example.org/"): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(path, () => socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
    socket.resume();
    socket.on("error", () => undefined);
    socket.on("close", () => {
      resolve();
    });
  });
}

test("it asks for the network where Node.js has a permission for it, and for nothing else", () => {
  const permissions = (...known: readonly string[]): readonly string[] => {
    const given = proxyArguments(new Set(known)).filter((argument) => argument.startsWith("--allow-"));
    return [...new Set(given.map((argument) => argument.replace(/=.*$/u, "")))].toSorted();
  };
  // Node.js 24, and later ones.
  expect(permissions("--permission")).toEqual(["--allow-fs-read"]);
  expect(permissions("--permission", "--allow-net", "--allow-fs-write")).toEqual(["--allow-fs-read", "--allow-net"]);
});

test("the socket lies alone in its folder, and the process has given up root", async () => {
  const records: ConnectionRecord[] = [];
  const egress = await startEgress(plan((record) => records.push(record)));
  expect(readdirSync(egress.directory)).toEqual(["proxy.sock"]);
  expect(statSync(egress.directory).mode & 0o777).toBe(0o755);
  const [pid, ...others] = proxies();
  expect(others).toEqual([]);
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const uid = process.getuid?.() === 0 ? 65531 : process.getuid?.();
  expect(status).toMatch(new RegExp(`^Uid:(\\t${String(uid)}){4}$`, "mu"));
  expect(status).toMatch(/^CapEff:\t0000000000000000$/mu);
  await ask(`${egress.directory}/proxy.sock`);
  await egress.close();
  expect(records).toMatchObject([{ host: "b.example.org", decision: "deny", reason: "host-not-allowed" }]);
  expect(proxies()).toEqual([]);
  expect(existsSync(egress.directory)).toBe(false);
});

test("what one proxy of a session let through counts for the next", async () => {
  const server = createServer((_request, response) => response.end("x".repeat(600)));
  await listen(server);
  const port = portOf(server);
  const network = { allow: [`files.example.org:${port}`, `127.0.0.1:${port}`], limits: { run: { bytesDown: 1000 } } };
  const traffic = new Map();
  const records: ConnectionRecord[] = [];
  const options = {
    runId: "run",
    runDirectory: folder,
    names: { "files.example.org": ["127.0.0.1"] },
    onConnection: (record: ConnectionRecord) => records.push(record),
  };
  for (let turn = 0; turn < 3; turn += 1) {
    const egress = await openEgress(network, options, { directory: `${folder}/egress`, traffic });
    await ask(`${egress?.directory}/proxy.sock`, `http://files.example.org:${port}/`);
    await egress?.close();
  }
  server.close();
  expect(records.map(({ reason }) => reason)).toEqual(["closed", "byte-limit", "bytes-spent"]);
});

test("what cannot be recorded ends the proxy, and closing says why", async () => {
  const egress = await startEgress(
    plan(() => {
      throw new Error("the disk is full");
    }),
  );
  await ask(`${egress.directory}/proxy.sock`);
  await expect.poll(proxies).toEqual([]);
  await expect(egress.close()).rejects.toThrow("the disk is full");
});

test("a proxy that cannot listen is reported, and nothing is left", async () => {
  const { directory } = plan(() => undefined);
  const execPath = process.execPath;
  process.execPath = "/bin/false";
  try {
    await expect(startEgress(plan(() => undefined))).rejects.toThrow("The egress proxy did not start");
  } finally {
    process.execPath = execPath;
  }
  expect(existsSync(directory)).toBe(false);
});

test("it ends with its owner, also when that is killed", async () => {
  const program = `import { startEgress } from ${JSON.stringify(fileURLToPath(new URL("../../../src/sandbox/egress/start.ts", import.meta.url)))};
    await startEgress({ directory: ${JSON.stringify(`${folder}/egress`)}, network: { allow: ["a.example.org"] }, names: {}, onConnection: () => undefined });
    console.log("ready"); setInterval(() => undefined, 1000);`;
  const owner = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => owner.stdout.once("data", resolve));
  expect(proxies()).toHaveLength(1);
  owner.kill("SIGKILL");
  await expect.poll(proxies).toEqual([]);
});
