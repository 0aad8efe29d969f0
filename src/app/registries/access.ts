import { lookup } from "node:dns/promises";
import { AgentError } from "../../base/errors.ts";
import { canonicalHost } from "../../policy/matching/hosts.ts";
import { canonicalPath } from "../../policy/matching/url-paths.ts";
import type { NetworkSettings, RegistryName, RegistryUse } from "../../policy/network.ts";
import { isPublicAddress, ownAddresses } from "../../sandbox/egress/hosts/public-address.ts";
import type { RegistryAccess, RegistryOrigin } from "../../sandbox/egress/registries/origin.ts";
import type { RegistryClient } from "./client.ts";
import { cratesClient } from "./crates.ts";
import { debianClient } from "./debian.ts";
import { goClient } from "./go.ts";
import { mavenClient } from "./maven.ts";
import { npmClient } from "./npm.ts";
import { pypiClient } from "./pypi.ts";

/** What a policy's registries are on this machine. */
export type Registries = {
  readonly uses: readonly RegistryUse[];
  readonly access: RegistryAccess;
  /** Values of what the proxy signs in with, by id: the egress proxy's alone. */
  readonly secrets: ReadonlyMap<string, string>;
};

const CLIENTS: Readonly<Record<RegistryName, () => RegistryClient | Promise<RegistryClient>>> = {
  npm: npmClient,
  pypi: pypiClient,
  debian: debianClient,
  crates: cratesClient,
  go: goClient,
  maven: mavenClient,
};

/**
 * Where the registries of a policy are, by this account's own configuration of their clients: read here, outside every workspace. Throws `usage` for a
 * configuration that says no address.
 */
export async function registriesOf({ registries = [], names = {} }: NetworkSettings): Promise<Registries> {
  const secrets = new Map<string, string>();
  const origins: RegistryOrigin[] = [];
  const env: Record<string, string> = {};
  const homeFiles: Record<string, string> = {};
  let apt: RegistryAccess["apt"];
  for (const use of registries) {
    const client = await CLIENTS[use.name]();
    Object.assign(env, client.env);
    Object.assign(homeFiles, client.homeFiles);
    apt ??= client.apt;
    for (const place of client.places) origins.push(await originOf(use, client, { place, secrets, names }));
  }
  return { uses: registries, access: { origins, env, homeFiles, ...(apt === undefined ? {} : { apt }) }, secrets };
}

type Around = {
  readonly place: RegistryClient["places"][number];
  readonly secrets: Map<string, string>;
  readonly names: NonNullable<NetworkSettings["names"]>;
};

async function originOf(
  { name, credentials }: RegistryUse,
  { trusted }: RegistryClient,
  { place: { url, login, hasFilesAlone }, secrets, names }: Around,
): Promise<RegistryOrigin> {
  const host = canonicalHost(url.hostname);
  if (host === null) throw new AgentError("usage", `The address of ${name} that this account is configured for names no host: ${url.host}.`);
  const isEncrypted = url.protocol === "https:";
  // In the clear nobody signs in.
  const isSigned = credentials && isEncrypted && login !== null;
  if (isSigned && login.secret.length < MIN_SECRET)
    throw new AgentError("usage", `What this account's client of ${name} signs in with at ${host} is too short to be told from ordinary text.`, {
      remedy: `Take \`credentials\` of ${name} out of the policy, or use a token.`,
    });
  const id = `registry-${name}-${String(secrets.size + 1)}`;
  if (isSigned) secrets.set(id, login.secret);
  return {
    registry: name,
    isEncrypted,
    host,
    port: Number(url.port === "" ? (isEncrypted ? 443 : 80) : url.port),
    base: hasFilesAlone === true ? null : baseOf(name, url),
    addresses: await hiddenAddresses(host, names[host]),
    trusted,
    credential: isSigned ? { id, form: login.form } : null,
  };
}

function baseOf(name: RegistryName, { pathname, host }: URL): string {
  const path = pathname.endsWith("/") ? pathname : `${pathname}/`;
  if (canonicalPath(path) === path) return path;
  throw new AgentError("usage", `The path of the address of ${name} at ${host} could be read as more than one: ${path}`);
}

/** A shorter one would be taken out of answers that only happen to hold it. */
const MIN_SECRET = 8;

/** Of a name that leads into a private network, or to this machine, every IPv4 address: the proxy connects to none but these. */
async function hiddenAddresses(host: string, stated: string | undefined): Promise<readonly string[]> {
  if (stated !== undefined) return [stated];
  const own = ownAddresses();
  // A name without an address is refused by the proxy, which says so.
  const addresses = await lookup(host, { all: true, family: 4 }).catch(() => []);
  return addresses.map(({ address }) => address).filter((address) => !isPublicAddress(address) || own.has(address));
}
