import type { NetworkSettings } from "../../../policy/network.ts";
import { needsTermination } from "../../../policy/matching/network-entries.ts";
import type { EgressOrder } from "../protocol.ts";
import { createRedactor, type Redactor } from "../secrets/redactor.ts";
import type { Authority } from "./authority.ts";
import type { CredentialUse } from "../secrets/credential.ts";

/** What it takes to speak for a host to the sandbox, and to the host with a credential. */
export type Termination = {
  readonly authority: Authority;
  /** PEM: whom a server's certificate may come from. */
  readonly trusted: readonly string[];
  /** Values, by the credential's id. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Null when there are no secrets. */
  readonly redactor: Redactor | null;
  /** Asks that a use be counted and recorded; false: it must not happen. */
  readonly onUse: (use: CredentialUse) => Promise<boolean>;
};

/** What a proxy needs to end TLS, under a policy that wants it; else null, and nothing of it is loaded. */
export async function terminationFor(
  order: Pick<EgressOrder, "network" | "secrets" | "trusted" | "origins">,
  onUse: Termination["onUse"],
): Promise<Termination | null> {
  const { network, trusted, origins } = order;
  if (!needsTermination(network)) return null;
  const { createAuthority } = await import("./authority.ts");
  const secrets = new Map(Object.entries(order.secrets));
  const missing = network.credentials?.find(({ id }) => !secrets.has(id));
  if (missing !== undefined) throw new Error(`The value of the credential ${missing.id} is missing.`);
  return {
    authority: createAuthority([...new Set([...terminatedHosts(network), ...origins.map(({ host }) => host)])]),
    trusted,
    secrets,
    redactor: createRedactor(secrets),
    onUse,
  };
}

/** The patterns, without ports, of every host to which TLS may end in the proxy. */
function terminatedHosts({ refined = [], credentials = [] }: NetworkSettings): readonly string[] {
  return [...new Set([...refined, ...credentials].map(({ host }) => host.replace(/:\d+$/u, "")))];
}
