import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { EgressLimits } from "../traffic/limits.ts";
import type { Termination } from "./termination.ts";
import type { Target } from "../hosts/target.ts";

type TerminateSetting = { readonly termination: Termination | null; readonly limits: Pick<EgressLimits, "headMs"> };

/**
 * Ends a client's TLS here, in the target's name. What the client sent so far lies on the socket. Null when the client does not finish the
 * handshake in time or does not trust the session's authority; then the socket is closed.
 */
export async function terminate(client: Socket, target: Target, { termination, limits }: TerminateSetting): Promise<TLSSocket | null> {
  if (termination === null) {
    client.destroy();
    return null;
  }
  const secure = new TLSSocket(client, {
    isServer: true,
    secureContext: termination.authority.contextFor(target.host),
    // Requests are judged one by one: no protocol that the inner server does not read.
    ALPNProtocols: ["http/1.1"],
  });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => {
    resolve(false);
  }, limits.headMs);
  secure.once("secure", () => {
    resolve(true);
  });
  secure.on("error", () => {
    resolve(false);
    secure.destroy();
  });
  client.once("close", () => {
    resolve(false);
  });
  const isSecure = await promise;
  clearTimeout(timer);
  if (isSecure) return secure;
  secure.destroy();
  client.destroy();
  return null;
}
