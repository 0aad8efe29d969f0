import { spawn } from "node:child_process";
import type { Agent } from "node:http";
import { Duplex, PassThrough } from "node:stream";
import { makeVisibleLine } from "../../../base/text.ts";

const http = process.getBuiltinModule("node:http");

const MAX_COMPLAINT = 1000;

export type SshDestination = { readonly host: string; /** Empty: as ssh is set up. */ readonly user: string; readonly port: string };

/**
 * Reaches an engine as Docker's own client does: each connection is an `ssh` of its own that runs `docker system dial-stdio` over there. Nothing is
 * asked at the terminal: an unknown host, or a key with a passphrase that no agent holds, is refused.
 */
export function sshAgent(destination: SshDestination): Agent {
  const agent = new http.Agent({ keepAlive: true });
  agent.createConnection = () => dial(destination);
  return agent;
}

function dial({ host, user, port }: SshDestination): Duplex {
  const options = ["-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=30", ...(user === "" ? [] : ["-l", user]), ...(port === "" ? [] : ["-p", port])];
  const child = spawn("ssh", [...options, "--", host, "docker", "system", "dial-stdio"], { stdio: ["pipe", "pipe", "pipe"] });
  // It ends when ssh has: then ssh has said why.
  const incoming = new PassThrough();
  child.stdout.pipe(incoming, { end: false });
  const stream = Duplex.from({ readable: incoming, writable: child.stdin });
  let complaint = "";
  child.stderr.on("data", (data: Buffer) => {
    complaint = (complaint + data.toString()).slice(-MAX_COMPLAINT);
  });
  // What it writes after its end is refused by `close`.
  child.stdin.on("error", () => undefined);
  child.once("error", (error) => stream.destroy(error));
  child.once("close", (code) => {
    if (code === 0 || code === null) incoming.end();
    else stream.destroy(new Error(`ssh to ${host} ended: ${makeVisibleLine(complaint.trim()) || `exit code ${String(code)}`}`));
  });
  stream.once("close", () => child.kill());
  const unref = (): Duplex => {
    setReferenced(child, false);
    return stream;
  };
  const ref = (): Duplex => {
    setReferenced(child, true);
    return stream;
  };
  // What node:http asks of a socket; the engine's calls have limits of their own.
  return Object.assign(stream, { setTimeout: () => stream, setNoDelay: () => stream, setKeepAlive: () => stream, ref, unref });
}

/** A connection that waits for the next call must not keep this process. */
function setReferenced(child: ReturnType<typeof spawn>, isReferenced: boolean): void {
  for (const part of [child, child.stdin, child.stdout, child.stderr] as readonly { ref?: () => void; unref?: () => void }[])
    if (isReferenced) part.ref?.();
    else part.unref?.();
}
