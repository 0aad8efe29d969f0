import { PassThrough, type Duplex, type Writable } from "node:stream";
import { AgentError } from "../../../base/errors.ts";
import type { CallLimit } from "./call-timeout.ts";
import type { EngineAddress } from "./address.ts";

const { request } = process.getBuiltinModule("node:http");

export type AttachedStreams = {
  readonly stdin: Writable;
  /** Demultiplexed: the container's standard output alone. */
  readonly stdout: PassThrough;
  /** The last of what the container wrote to standard error. */
  complaint(): string;
  destroy(): void;
};

const HEADER_BYTES = 8;
const MAX_COMPLAINT = 4096;

/**
 * Attaches to a container's standard streams with a raw HTTP upgrade (Engine API, "Attach to a
 * container"): one private socket, without the latency and the buffering of an exec. Throws
 * `sandbox-unavailable` when the engine refuses.
 */
export async function attachContainer(address: EngineAddress, containerId: string, limit: CallLimit): Promise<AttachedStreams> {
  const path = `/containers/${containerId}/attach`;
  const name = `POST /containers/${containerId.slice(0, 12)}/attach`;
  const socket = await limit.bound(name, (signal) => upgrade(address, `${path}?stream=1&stdin=1&stdout=1&stderr=1`, signal));
  const stdout = new PassThrough();
  let complaint = "";
  // Where nobody reads, the engine is not read either, and the container waits.
  const pass = (data: Buffer): void => {
    if (!stdout.write(data)) socket.pause();
  };
  stdout.on("drain", () => socket.resume());
  const take = demultiplexer((stream, data) => {
    if (stream === 1) pass(data);
    else complaint = (complaint + data.toString()).slice(-MAX_COMPLAINT);
  });
  socket.on("data", (data: Buffer) => {
    if (!take(data)) socket.destroy(new Error("The engine sent a malformed stream header."));
  });
  socket.on("error", (error) => stdout.destroy(error));
  socket.on("close", () => stdout.end());
  return {
    stdin: socket,
    stdout,
    complaint: () => complaint.trim(),
    destroy: () => {
      socket.destroy();
    },
  };
}

/**
 * Takes the engine's multiplexed stream in any portions: an 8-byte header (stream number, three zeros,
 * big-endian length), then the data. Returns false for a header that is none; nothing is parsed after it.
 */
export function demultiplexer(onData: (stream: number, data: Buffer) => void): (data: Buffer) => boolean {
  let header = Buffer.alloc(0);
  let stream = 0;
  let left = 0;
  let isBroken = false;
  return (data) => {
    let rest = data;
    while (!isBroken && rest.byteLength > 0) {
      if (left > 0) {
        const part = rest.subarray(0, left);
        onData(stream, part);
        left -= part.byteLength;
        rest = rest.subarray(part.byteLength);
        continue;
      }
      const missing = HEADER_BYTES - header.byteLength;
      header = Buffer.concat([header, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (header.byteLength < HEADER_BYTES) break;
      stream = header.readUInt8(0);
      left = header.readUInt32BE(4);
      isBroken = stream > 2 || header.readUIntBE(1, 3) !== 0;
      header = Buffer.alloc(0);
    }
    return !isBroken;
  };
}

function upgrade(address: EngineAddress, path: string, signal: AbortSignal): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const call = request({
    ...address.request,
    path,
    method: "POST",
    headers: { Connection: "Upgrade", Upgrade: "tcp", Host: "docker" },
  });
  signal.addEventListener("abort", () => call.destroy(new Error("it was given up")), { once: true });
  call.on("upgrade", (_response, socket: Duplex, head: Buffer) => {
    if (head.byteLength > 0) socket.unshift(head);
    resolve(socket);
  });
  call.on("response", (response) => {
    response.resume();
    reject(new AgentError("sandbox-unavailable", `The engine refused to attach to the container (status ${String(response.statusCode)}).`));
  });
  call.on("error", (error) => {
    reject(new AgentError("sandbox-unavailable", `The engine could not be attached to: ${error.message}`, { cause: error }));
  });
  call.end();
  return promise;
}
