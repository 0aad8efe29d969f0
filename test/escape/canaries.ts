import { execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { sha256 } from "../../src/base/digest.ts";
import { ownerOf } from "../../src/sandbox/owner.ts";
import { once } from "../support/until.ts";

/** Things of the host that no attack may touch. */
export type Canaries = {
  /** What the attacks are told of them, to know what to aim at. */
  readonly targets: Readonly<Record<string, string>>;
  /** What moved since the start, a line each. */
  moved(): Promise<readonly string[]>;
  close(): void;
};

const SYSTEM_FILES = [
  "/etc/passwd",
  "/etc/shadow",
  "/etc/group",
  "/etc/hosts",
  "/etc/ld.so.preload",
  "/etc/crontab",
  "/etc/profile",
  "/root/.bashrc",
  "/root/.profile",
  "/root/.gitconfig",
  "/root/.ssh/authorized_keys",
  "/bin/sh",
  "/usr/bin/env",
];
const SYSTEM_FOLDERS = ["/", "/etc/cron.d", "/etc/profile.d", "/etc/systemd/system", "/root/.ssh", "/usr/local/bin", "/opt", "/srv"];
const SETTINGS = [
  "kernel/core_pattern",
  "kernel/modprobe",
  "kernel/hostname",
  "kernel/domainname",
  "kernel/panic",
  "kernel/sysrq",
  "vm/overcommit_memory",
  "net/ipv4/ip_forward",
  "fs/suid_dumpable",
].map((name) => `/proc/sys/${name}`);
/** The clock may drift by this much against the time since boot, milliseconds. */
const CLOCK_SLACK_MS = 10_000;

/** Puts them up. Folders are watched to the last byte; `mark` names what is to be found if anything leaks; without `probe` there is no queue. */
export async function openCanaries(mark: string, options: { readonly watched: readonly string[]; readonly probe: string | null }): Promise<Canaries> {
  const { watched } = options;
  const arrivals: string[] = [];
  const servers: Server[] = [];
  const listen = async (where: { port: number; host: string } | { path: string }, name: string): Promise<Server> => {
    const server = createServer((socket) => {
      arrivals.push(`a connection to ${name}`);
      socket.destroy();
    });
    server.listen(where);
    await once(server, "listening");
    servers.push(server);
    return server;
  };
  const tcp = await listen({ port: 0, host: "::" }, "the host's TCP port");
  const address = tcp.address();
  if (address === null || typeof address === "string") throw new Error("The canary has no port.");
  const udp = createSocket("udp4", () => arrivals.push("a datagram"));
  udp.bind(address.port, "0.0.0.0");
  await once(udp, "listening");
  await listen({ path: `\0${mark}` }, "the host's abstract socket");
  // It ends with this process, however that ends.
  const child = spawn("setpriv", ["--pdeathsig", "KILL", "/bin/bash", "-c", `exec -a ${mark} sleep 100000`], { stdio: "ignore" });
  const pid = child.pid ?? 0;
  writeFileSync(`/dev/shm/${mark}`, mark);
  withQueue(options.probe, mark, "open-queue");
  const started = { clockMs: Date.now() - performance.now(), owner: ownerOf(pid) };
  const before = snapshot(watched);
  return {
    targets: {
      MARK: mark,
      PORT: String(address.port),
      ABSTRACT: mark,
      HOST_PID: String(pid),
      ADDRESSES: Object.values(networkInterfaces())
        .flatMap((list) => list ?? [])
        .filter((entry) => entry.family === "IPv4")
        .map((entry) => entry.address)
        .join(" "),
    },
    moved: async () => {
      // What waits in the servers' queues is counted first.
      for (let turn = 0; turn < 3; turn += 1) await nextTurn();
      const now = snapshot(watched);
      const changed = [...before].filter(([name, value]) => now.get(name) !== value).map(([name]) => `${name} changed`);
      if (Math.abs(Date.now() - performance.now() - started.clockMs) > CLOCK_SLACK_MS) changed.push("the clock moved");
      if (started.owner === null || ownerOf(pid) !== started.owner) changed.push("the canary process is gone");
      return [...changed, ...arrivals.splice(0)];
    },
    close: () => {
      for (const server of servers) server.close();
      udp.close();
      child.kill("SIGKILL");
      rmSync(`/dev/shm/${mark}`, { force: true });
      withQueue(options.probe, mark, "close-queue");
    },
  };
}

/** A small POSIX message queue of the host, made by the attacks' own program (probe.h); by it, because the defaults of a queue are large and counted. */
function withQueue(probe: string | null, mark: string, step: "open-queue" | "close-queue"): void {
  if (probe !== null) execFileSync(probe, [step], { env: { MARK: mark, SCRATCH: "/" } });
}

function snapshot(watched: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>([["the host's name", hostname()]]);
  for (const file of [...SYSTEM_FILES, ...SETTINGS]) values.set(file, contentOf(file));
  for (const folder of SYSTEM_FOLDERS) values.set(folder, namesIn(folder).join("\n"));
  for (const folder of watched) values.set(folder, treeOf(folder));
  return values;
}

function contentOf(file: string): string {
  try {
    return sha256(readFileSync(file));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable";
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    return [(error as NodeJS.ErrnoException).code ?? "unreadable"];
  }
}

/** Names, types, modes, owners and contents of everything below a folder. */
function treeOf(folder: string): string {
  const lines: string[] = [];
  const visit = (path: string): void => {
    const status = lstatSync(path);
    const content = status.isFile() ? contentOf(path) : status.isSymbolicLink() ? readlinkSync(path) : "";
    lines.push(`${path} ${status.mode.toString(8)} ${String(status.uid)} ${content}`);
    if (status.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
  };
  visit(folder);
  return lines.join("\n");
}
