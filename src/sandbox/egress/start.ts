import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import tls from "node:tls";
import { AgentError } from "../../base/errors.ts";
import { needsTermination } from "../../policy/matching/network-entries.ts";
import { programArguments } from "../own-process/program-arguments.ts";
import type { ConnectionRecord } from "./traffic/connection-record.ts";
import { BROWSER_FOLDER, type EgressMessage, type EgressOrder, type UseAnswer } from "./protocol.ts";
import type { CredentialUse } from "./secrets/credential.ts";

export type EgressPlan = {
  /** Made anew; holds the socket and nothing else. The only part of the host that the sandbox sees of the proxy. */
  readonly directory: string;
  readonly network: EgressOrder["network"];
  readonly names: EgressOrder["names"];
  /** Where the network's registries answer. */
  readonly origins?: EgressOrder["origins"];
  /** Values of the policy's credentials, by id. */
  readonly secrets?: ReadonlyMap<string, string>;
  /** PEM; absent: whom this process trusts, `NODE_EXTRA_CA_CERTS` included. */
  readonly trusted?: readonly string[];
  /** What earlier proxies of the run let through. */
  readonly spent?: EgressOrder["spent"];
  /** Called for each connection when it has ended. When it throws, the proxy is ended and `close` rejects with the error. */
  readonly onConnection: (record: ConnectionRecord) => void;
  /** Counts and records the use of a credential before it happens; false: it must not. When it throws, as above. Absent: none may. */
  readonly onCredentialUse?: (use: CredentialUse) => boolean;
  /** Asked several times a second: as long as it says so every connection is cut and none is made. Must not throw. */
  readonly isHalted?: () => boolean;
  /** Whether a browser has a door of its own: to the same hosts, without credentials and registries. Absent: no. */
  readonly hasBrowserDoor?: boolean;
};

/** A session's way out. */
export type Egress = {
  readonly directory: string;
  /** The folder of the browser's door; null where it has none. */
  readonly browserDirectory: string | null;
  /** The certificate (PEM) of the session's own authority, which its sandbox is to trust; null where no TLS ends in the proxy. */
  readonly authority: string | null;
  /** Ends every connection and the process; every record has been delivered then. Idempotent. */
  close(): Promise<void>;
};

/** A user that owns nothing and runs nothing else: neither Warder's state nor the sandbox's files are open to it. */
const EGRESS_USER = { uid: 65531, gid: 65531 };
/** Of a process that hangs: on a busy machine a sound one has needed more than a minute. */
const START_TIMEOUT_MS = 180_000;
const END_TIMEOUT_MS = 3000;
const MAX_COMPLAINT = 4096;
const HALT_POLL_MS = 250;

/** Starts the proxy's process. Throws `sandbox-unavailable` when it does not listen; then nothing is left. */
export async function startEgress(plan: EgressPlan): Promise<Egress> {
  const browserDirectory = plan.hasBrowserDoor === true ? join(plan.directory, BROWSER_FOLDER) : null;
  const directories = [plan.directory, ...(browserDirectory === null ? [] : [browserDirectory])];
  for (const directory of directories) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { mode: 0o755 });
    // Whatever the umask.
    chmodSync(directory, 0o755);
  }
  const child = spawn(process.execPath, proxyArguments(), { cwd: plan.directory, env: {}, stdio: ["pipe", "pipe", "pipe"] });
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
  const ready = Promise.withResolvers<Extract<EgressMessage, { kind: "ready" }> | null>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as EgressMessage;
    if (message.kind === "ready") ready.resolve(message);
    else if (failure === null) {
      try {
        if (message.kind === "connection") plan.onConnection(message.record);
        else child.stdin.write(`${JSON.stringify(answerTo(message, plan))}\n`);
      } catch (error) {
        // What cannot be recorded must not go on.
        failure = error instanceof Error ? error : new Error("unknown fault", { cause: error });
        child.kill("SIGKILL");
      }
    }
  });
  const halting = followHalt(plan, (isHalted) => void child.stdin.write(`${JSON.stringify({ isHalted })}\n`));
  const end = async (): Promise<void> => {
    clearInterval(halting);
    child.stdin.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), END_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
    if (failure !== null) throw failure;
  };
  const { network, names, origins = [], secrets = new Map<string, string>(), spent = {} } = plan;
  const order: EgressOrder = {
    network,
    names,
    origins,
    spent,
    user: process.getuid?.() === 0 ? EGRESS_USER : null,
    trusted: needsTermination(network) ? (plan.trusted ?? tls.getCACertificates("default")) : [],
    secrets: Object.fromEntries(secrets),
    isHalted: plan.isHalted?.() === true,
    hasBrowserDoor: browserDirectory !== null,
  };
  child.stdin.write(`${JSON.stringify(order)}\n`);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    ready.resolve(null);
  }, START_TIMEOUT_MS);
  const started = await Promise.race([ready.promise, ended.then(() => null)]);
  clearTimeout(timer);
  let closing: Promise<void> | null = null;
  if (started !== null) return { directory: plan.directory, browserDirectory, authority: started.authority, close: () => (closing ??= end()) };
  await end();
  const silence = isLate ? `it was not ready within ${String(START_TIMEOUT_MS / 1000)} seconds` : "it gave no reason";
  throw new AgentError("sandbox-unavailable", `The egress proxy did not start: ${complaint.trim() === "" ? silence : complaint.trim()}`);
}

/** Tells the proxy of each change. */
function followHalt({ isHalted }: EgressPlan, tell: (isHalted: boolean) => void): NodeJS.Timeout {
  let told = isHalted?.() === true;
  return setInterval(() => {
    const now = isHalted?.() === true;
    if (now !== told) tell(now);
    told = now;
  }, HALT_POLL_MS);
}

function answerTo({ number, use }: Extract<EgressMessage, { kind: "use" }>, { onCredentialUse }: EgressPlan): UseAnswer {
  return { use: number, isGranted: onCredentialUse?.(use) === true };
}

/** Node's permission model on top of the user. `known`: Node's own flags. */
export function proxyArguments(known?: ReadonlySet<string>): readonly string[] {
  const own = fileURLToPath(import.meta.url);
  const program = `${dirname(own)}/process${extname(own)}`;
  // What passes through is garbage at once: where it is collected often the proxy stays small (docs/measurements/egress.md).
  return ["--max-semi-space-size=1", ...programArguments({ program, packages: [import.meta.resolve("ipaddr.js")], hasNetwork: true, hasAddons: false }, known)];
}
