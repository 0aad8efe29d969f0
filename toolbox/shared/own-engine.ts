import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** A Docker Engine of a soak's own: dockerd and containerd with sockets, storage, state and network namespace of their own. */
export type OwnEngine = {
  /** For DOCKER_HOST. */
  readonly host: string;
  /** In the command line of every process of this engine, its shims included. */
  readonly mark: string;
  /** Starts what is not running, and waits until it can start containers. Throws when it does not within a minute. */
  ensure(): Promise<void>;
  /** The process ids of what answers. */
  pidOf(part: "dockerd" | "containerd"): number | null;
  /** Runs the client; its output. Throws when it fails. */
  client(...argv: string[]): string;
  /** Ends everything of it, containers included. */
  stop(): Promise<void>;
};

/**
 * An engine with its storage below `storage` (kept, so that the image is loaded once) and everything else below `place`, whose path is
 * short enough for sockets; `settings` are its daemon.json. It lives in a network namespace of its own: two engines in one would fight over bridge and rules.
 */
export function ownEngine(place: string, storage: string, settings: Readonly<Record<string, unknown>> = {}): OwnEngine {
  const socket = (name: string): string => join(place, `${name}.sock`);
  const host = `unix://${socket("docker")}`;
  const running: Partial<Record<"dockerd" | "containerd", ChildProcess>> = {};
  for (const directory of [storage, join(place, "exec")]) mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(join(place, "daemon.json"), `${JSON.stringify(settings)}\n`);
  writeFileSync(
    join(place, "containerd.toml"),
    `version = 2\nroot = "${storage}/containerd"\nstate = "${place}/containerd"\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n[grpc]\naddress = "${socket("containerd")}"\n`,
  );
  const client = (...argv: string[]): string =>
    execFileSync("docker", argv, { encoding: "utf8", env: { ...process.env, DOCKER_HOST: host }, stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 }).trim();
  const isAlive = (part: "dockerd" | "containerd"): boolean => running[part]?.exitCode === null && running[part].signalCode === null;
  const start = (part: "dockerd" | "containerd", argv: readonly string[]): void => {
    if (isAlive(part)) return;
    const log = openSync(join(place, `${part}.log`), "a");
    // `unshare` becomes what it starts: the process that is killed is the daemon itself.
    running[part] = spawn("unshare", ["--net", "--", ...argv], { stdio: ["ignore", log, log], detached: true });
  };
  /** dockerd answers before it has found its containerd again; then it starts no container, and names no version of it. */
  const hasContainerd = (): boolean => {
    const answer = spawnSync("docker", ["info", "--format", "{{.ContainerdCommit.ID}}"], {
      encoding: "utf8",
      env: { ...process.env, DOCKER_HOST: host },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 10_000,
    });
    return answer.status === 0 && !["", "N/A"].includes(answer.stdout.trim());
  };
  const ensure = async (): Promise<void> => {
    start("containerd", ["containerd", "--config", join(place, "containerd.toml"), "--log-level", "error"]);
    if (!isAlive("dockerd")) rmSync(join(place, "docker.pid"), { force: true });
    start("dockerd", [
      ...DOCKERD,
      "--data-root",
      join(storage, "docker"),
      "--exec-root",
      join(place, "exec"),
      "--pidfile",
      join(place, "docker.pid"),
      "--host",
      host,
      "--containerd",
      socket("containerd"),
      "--config-file",
      join(place, "daemon.json"),
      ...(Math.random() < 0.5 ? ["--live-restore"] : []),
    ]);
    for (let tries = 0; tries < 300; tries += 1) {
      if (hasContainerd()) return;
      await pause(200);
      if (!isAlive("containerd") || !isAlive("dockerd")) return await ensure();
    }
    throw new Error(`the engine does not answer: see ${place}/dockerd.log`);
  };
  const end = async (part: "dockerd" | "containerd"): Promise<void> => {
    const child = running[part];
    if (child === undefined || !isAlive(part)) return;
    child.kill("SIGTERM");
    for (let tries = 0; tries < 150 && isAlive(part); tries += 1) await pause(100);
    if (isAlive(part)) child.kill("SIGKILL");
  };
  return {
    host,
    mark: place,
    ensure,
    pidOf: (part) => (isAlive(part) ? (running[part]?.pid ?? null) : null),
    client,
    stop: async () => {
      await end("dockerd");
      await end("containerd");
    },
  };
}

const DOCKERD = [
  "dockerd",
  "--bridge=none",
  "--iptables=false",
  "--ip6tables=false",
  "--ip-forward=false",
  "--ip-masq=false",
  "--cgroup-parent=/warder-soak",
  "--log-level=error",
];

/** Brings the sandbox image over from the machine's own engine, once. */
export function loadImage(engine: Pick<OwnEngine, "host">, idFile: string): void {
  const id = readFileSync(idFile, "utf8").trim();
  const known = spawnSync("docker", ["image", "inspect", id], { env: { ...process.env, DOCKER_HOST: engine.host }, stdio: "ignore" });
  if (known.status === 0) return;
  const loaded = spawnSync("sh", ["-c", 'docker save "$1" | DOCKER_HOST="$2" docker load', "sh", id, engine.host], { stdio: ["ignore", "ignore", "inherit"] });
  if (loaded.status !== 0) throw new Error("the sandbox image could not be loaded into the soak's engine");
}
