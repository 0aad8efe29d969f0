import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { AgentError } from "../../base/errors.ts";
import type { ConnectionRecord } from "./connection-record.ts";
import type { EgressMessage, EgressOrder } from "./process-protocol.ts";

export type EgressPlan = {
  /** Made anew; holds the socket and nothing else. The only part of the host that the sandbox sees of the proxy. */
  readonly directory: string;
  readonly allow: readonly string[];
  readonly names: EgressOrder["names"];
  /** Called for each connection when it has ended. When it throws, the proxy is ended and `close` rejects with the error. */
  readonly onConnection: (record: ConnectionRecord) => void;
};

/** A session's way out. */
export type Egress = {
  readonly directory: string;
  /** Ends every connection and the process; every record has been delivered then. Idempotent. */
  close(): Promise<void>;
};

/** A user that owns nothing and runs nothing else: neither Warder's state nor the sandbox's files are open to it. */
const EGRESS_USER = { uid: 65531, gid: 65531 };
const START_TIMEOUT_MS = 20_000;
const END_TIMEOUT_MS = 3000;
const MAX_COMPLAINT = 4096;

/** Starts the proxy's process. Throws `sandbox-unavailable` when it does not listen; then nothing is left. */
export async function startEgress(plan: EgressPlan): Promise<Egress> {
  rmSync(plan.directory, { recursive: true, force: true });
  mkdirSync(plan.directory, { mode: 0o755 });
  // Whatever the umask.
  chmodSync(plan.directory, 0o755);
  const child = spawn(process.execPath, programArguments(), { cwd: plan.directory, env: {}, stdio: ["pipe", "pipe", "pipe"] });
  const ended = once(child, "close").then(
    () => undefined,
    () => undefined,
  );
  // Its end is seen by `close`; a write after it would raise EPIPE here too.
  child.stdin.on("error", () => undefined);
  let complaint = "";
  child.stderr.on("data", (data: Buffer) => {
    complaint = (complaint + data.toString()).slice(-MAX_COMPLAINT);
  });
  let failure: Error | null = null;
  const ready = Promise.withResolvers<boolean>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as EgressMessage;
    if (message.kind === "ready") ready.resolve(true);
    else if (failure === null) {
      try {
        plan.onConnection(message.record);
      } catch (error) {
        // What cannot be recorded must not go on.
        failure = error instanceof Error ? error : new Error("unknown fault", { cause: error });
        child.kill("SIGKILL");
      }
    }
  });
  const end = async (): Promise<void> => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), END_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
    rmSync(plan.directory, { recursive: true, force: true });
    if (failure !== null) throw failure;
  };
  const order: EgressOrder = { allow: plan.allow, names: plan.names, user: process.getuid?.() === 0 ? EGRESS_USER : null };
  child.stdin.write(`${JSON.stringify(order)}\n`);
  const timer = setTimeout(() => {
    ready.resolve(false);
  }, START_TIMEOUT_MS);
  const isReady = await Promise.race([ready.promise, ended.then(() => false)]);
  clearTimeout(timer);
  let closing: Promise<void> | null = null;
  if (isReady) return { directory: plan.directory, close: () => (closing ??= end()) };
  await end();
  throw new AgentError("sandbox-unavailable", `The egress proxy did not start: ${complaint.trim() === "" ? "it gave no reason" : complaint.trim()}`);
}

/** Node's permission model on top of the user: it reads its own program, writes no file and starts no process. */
function programArguments(): readonly string[] {
  const own = fileURLToPath(import.meta.url);
  const source = dirname(dirname(dirname(own)));
  // The library by its real place, and by every place where the search for it looks: `node_modules` may be a link.
  const readable = [source, dirname(dirname(fileURLToPath(import.meta.resolve("ipaddr.js"))))];
  for (let folder = dirname(source); ; folder = dirname(folder)) {
    readable.push(join(folder, "node_modules"), join(folder, "package.json"));
    if (folder === dirname(folder)) break;
  }
  return ["--permission", ...readable.map((path) => `--allow-fs-read=${path}`), `${dirname(own)}/proxy-process${extname(own)}`];
}
