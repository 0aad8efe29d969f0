import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { hostMatches } from "../../../policy/matching/hosts.ts";
import { isPublicAddress, ownAddresses } from "./public-address.ts";
import type { Target } from "./target.ts";
import type { Refusal } from "../refusal.ts";

/** All addresses of a name. An error is no answer. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const RESOLVE_TIMEOUT_MS = 10_000;

/** The machine's own resolution, `/etc/hosts` included. */
export const systemResolve: Resolve = async (host) => (await lookup(host, { all: true, order: "verbatim" })).map(({ address }) => address);

/**
 * The one address that a connection to the target is made to. A name is resolved once, here: what was checked is what is
 * connected to, so a name that answers differently the next time gains nothing. One answer that is not public, or is
 * this machine's (`own`), and not listed by itself refuses them all: of mixed answers nobody knows which a retry would take.
 */
export async function pinnedAddress(
  target: Target,
  allow: readonly string[],
  resolve: Resolve,
  own: ReadonlySet<string> = ownAddresses(),
): Promise<{ readonly address: string } | { readonly refusal: Refusal }> {
  const { host, port } = target;
  if (isIP(host) !== 0) return { address: host };
  let addresses: readonly string[];
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<readonly string[]>((done) => {
      timer = setTimeout(() => {
        done([]);
      }, RESOLVE_TIMEOUT_MS);
    });
    addresses = await Promise.race([resolve(host), late]);
  } catch (error) {
    // Every failure of a resolver is one thing here: there is no address.
    if (!(error instanceof Error)) throw error;
    return { refusal: "not-resolved" };
  } finally {
    clearTimeout(timer);
  }
  const [first] = addresses;
  if (first === undefined) return { refusal: "not-resolved" };
  const isAllowed = (address: string): boolean => (isPublicAddress(address) && !own.has(address)) || allow.some((entry) => hostMatches(entry, address, port));
  return addresses.every(isAllowed) ? { address: first } : { refusal: "private-address" };
}
