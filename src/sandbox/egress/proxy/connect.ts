import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { isAddress } from "../../../policy/matching/hosts.ts";
import type { Target } from "../hosts/target.ts";

/** Why there is no connection to a server. */
export type ConnectFailure = "unreachable" | "certificate-refused";

/** Connects to the address that was checked, without a second attempt elsewhere. */
export async function connectTo(address: string, port: number, timeoutMs: number): Promise<Socket | null> {
  const socket = connect({ host: address, port, allowHalfOpen: true, autoSelectFamily: false });
  return (await settled(socket, "connect", timeoutMs)) === null ? socket : null;
}

/**
 * The same over TLS, to a server that proves to be the target: by a chain to one of `authorities` (PEM) and by the target's own name, whatever
 * its address. HTTP/1.1 alone is offered. Revocation is not looked up.
 */
export async function connectOverTls(
  to: { readonly address: string; readonly target: Target },
  authorities: readonly string[],
  timeoutMs: number,
): Promise<Socket | ConnectFailure> {
  const { address, target } = to;
  const socket = connectTls({
    host: address,
    port: target.port,
    // An address is no server name (RFC 6066, 3); its certificate is checked against it all the same.
    ...(isAddress(target.host) ? {} : { servername: target.host }),
    ca: [...authorities],
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["http/1.1"],
  });
  const failure = await settled(socket, "secureConnect", timeoutMs);
  if (failure === null) return socket;
  return isAboutCertificate(failure) ? "certificate-refused" : "unreachable";
}

/** Null when the event came in time; else the error, and the socket is destroyed. */
async function settled(socket: Socket, event: "connect" | "secureConnect", timeoutMs: number): Promise<Error | null> {
  const { promise, resolve } = Promise.withResolvers<Error | null>();
  const timer = setTimeout(() => {
    resolve(new Error("too late"));
  }, timeoutMs);
  socket.once(event, () => {
    resolve(null);
  });
  // Also later: an error without a listener would end the process.
  socket.on("error", resolve);
  socket.once("close", () => {
    resolve(new Error("closed"));
  });
  const failure = await promise;
  clearTimeout(timer);
  if (failure !== null) socket.destroy();
  return failure;
}

/** OpenSSL's codes of a failed verification (`UNSPECIFIED` for those that Node.js has no name for), and Node.js's own for another name. */
function isAboutCertificate(error: Error): boolean {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return /CERT|SIGNATURE|ISSUER|SELF_SIGNED|ALTNAME|HOSTNAME_MISMATCH|UNSPECIFIED|INVALID_CA|INVALID_PURPOSE|CRL/u.test(code);
}
