import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { loadImage } from "./own-engine.ts";

/** A Docker Engine that shares no file with this machine's view but its storage, and is reached by TCP on the loopback. */
export type EngineElsewhere = {
  /** For DOCKER_HOST. */
  readonly host: string;
  /** Ends everything of it. */
  stop(): Promise<void>;
};

/** Over each lies an empty directory. What is left are system files, which no run may use. */
const HIDDEN = ["/home", "/root", "/tmp", "/var/tmp", "/var/lib/docker"];

const SCRIPT = `set -eu
mount --make-rprivate /
mount -t tmpfs tmpfs /mnt
mkdir /mnt/storage /mnt/place
mount --bind "$1" /mnt/storage
mount --bind "$2" /mnt/place
shift 2
for directory; do [ ! -d "$directory" ] || mount -t tmpfs tmpfs "$directory"; done
cd /
exec dockerd --bridge=none --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false --cgroup-parent=/warder-elsewhere --log-level=error \
  --data-root /mnt/storage --exec-root /mnt/place/exec --pidfile /mnt/place/docker.pid --host unix:///mnt/place/docker.sock`;

/** Carries a port of the loopback to a socket: the daemon has a network namespace of its own, where none of its bridges meets another engine's. */
const RELAY = `const { connect, createServer } = require("node:net");
const [port, socket] = process.argv.slice(1);
createServer({ allowHalfOpen: true }, (client) => {
  const server = connect({ path: socket, allowHalfOpen: true });
  for (const [one, other] of [[client, server], [server, client]]) one.pipe(other).on("error", () => one.destroy());
}).listen(Number(port), "127.0.0.1");`;

/**
 * Starts one with its storage below `storage` (kept, so that the sandbox image of `checkout` is loaded once) and everything else below `place`. Needs root,
 * and Docker Engine's programs. Throws when it does not answer within a minute.
 */
export async function engineElsewhere(place: string, storage: string, checkout: string): Promise<EngineElsewhere> {
  for (const directory of [place, storage]) mkdirSync(directory, { recursive: true, mode: 0o700 });
  rmSync(join(place, "docker.pid"), { force: true });
  const port = await freePort();
  const host = `tcp://127.0.0.1:${String(port)}`;
  const log = openSync(join(place, "dockerd.log"), "a");
  const hidden = [...HIDDEN, checkout];
  const child = spawn("unshare", ["--mount", "--net", "--", "sh", "-c", SCRIPT, "sh", storage, place, ...hidden], {
    stdio: ["ignore", log, log],
    detached: true,
  });
  const relay = spawn(process.execPath, ["--eval", RELAY, String(port), join(place, "docker.sock")], { stdio: "ignore" });
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  const stop = async (): Promise<void> => {
    relay.kill();
    if (isAlive()) child.kill("SIGTERM");
    for (let tries = 0; tries < 150 && isAlive(); tries += 1) await pause(100);
    if (isAlive()) child.kill("SIGKILL");
  };
  const env = { ...process.env, DOCKER_HOST: host };
  for (let tries = 0; tries < 300 && isAlive(); tries += 1) {
    if (spawnSync("docker", ["version"], { env, stdio: "ignore" }).status === 0) {
      loadImage({ host }, join(checkout, "sandbox", "build", "image-id"));
      return { host, stop };
    }
    await pause(200);
  }
  await stop();
  throw new Error(
    `the engine elsewhere does not answer: ${existsSync(join(place, "dockerd.log")) ? readFileSync(join(place, "dockerd.log"), "utf8").slice(-2000) : ""}`,
  );
}

/** A port of 127.0.0.1 that nothing listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
