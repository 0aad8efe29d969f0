import { execFile } from "node:child_process";
import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { getCACertificates } from "node:tls";
import { promisify } from "node:util";
import { AgentError } from "../../base/errors.ts";
import { isPublicAddress } from "../../sandbox/egress/hosts/public-address.ts";
import type { NetworkSettings } from "../../policy/network.ts";

/** What a command that fetches packages is given of this account's configuration. Nothing secret is in `env` or `network`. */
export type RegistryAccess = {
  readonly client: string;
  readonly env: Readonly<Record<string, string>>;
  readonly network: Required<Pick<NetworkSettings, "allow" | "refined" | "credentials" | "names">>;
  /** Values of the credentials, by id: the egress proxy's alone. */
  readonly secrets: ReadonlyMap<string, string>;
  /** PEM: whom a registry's certificate may come from. */
  readonly trusted: readonly string[];
};

/** What `npm config list --json` says, as far as it is used. Tokens are not in it: npm calls them protected. */
type NpmConfig = Readonly<Record<string, unknown>>;

const METHODS = ["GET", "HEAD"];
const LOOK_TIMEOUT_MS = 20_000;

/**
 * How this account's npm reaches its registries: as the person configured it, and not the project. Their addresses in a private network are named one by
 * one, certificates are trusted as on this machine, and a token is added by the egress proxy, so that nothing inside ever has it. Throws `usage` where
 * npm does not say.
 */
export async function npmRegistry(): Promise<RegistryAccess> {
  const config = await configOfNpm();
  const text = (name: string): string => (typeof config[name] === "string" ? config[name] : "");
  const scoped = Object.keys(config).filter((name) => /^@[^/:]+:registry$/u.test(name));
  const urls = new Map(["registry", ...scoped].map((name) => [name, registryUrl(name, text(name))]));
  const hosts = new Map([...urls.values()].map((url) => [withPort(url), url]));
  const tokens = tokensOf(await settingsOf(config));
  const secrets = new Map<string, string>();
  const credentials = [...hosts.values()].flatMap((url, index) => {
    const { host, hostname, protocol } = url;
    // In the clear a token goes nowhere.
    const token = protocol === "https:" ? tokens.find(({ at }) => at === host || at.startsWith(`${host}/`)) : undefined;
    if (token === undefined) return [];
    const id = `npm-registry-${String(index + 1)}`;
    secrets.set(id, token.secret);
    const header = { name: "authorization", value: token.form };
    const paths = [`${token.at.slice(host.length)}/**`];
    const secret = { kind: "variable" as const, name: "NPM_TOKEN" };
    return [{ id, secret, host: hostname, port: portOf(url), methods: METHODS, paths, header, otherwise: "pass" as const }];
  });
  const cafile = text("cafile");
  const inside = await privateAddresses([...hosts.values()]);
  return {
    client: "npm",
    env: Object.fromEntries([...urls].map(([name, url]) => [`npm_config_${name}`, url.href])),
    network: {
      allow: [...new Set([...hosts.keys(), ...inside.map(({ address, port }) => `${address}:${String(port)}`)])],
      refined: [...hosts.keys()].map((host) => ({ host, methods: METHODS, paths: null })),
      credentials,
      names: Object.fromEntries(inside.map(({ name, address }) => [name, address])),
    },
    secrets,
    trusted: [...new Set([...getCACertificates("default"), ...getCACertificates("system"), ...(cafile === "" ? [] : certificatesIn(cafile))])],
  };
}

async function configOfNpm(): Promise<NpmConfig> {
  try {
    const { stdout } = await promisify(execFile)("npm", ["config", "list", "--json"], { cwd: "/", timeout: LOOK_TIMEOUT_MS, maxBuffer: 4 * 1024 * 1024 });
    return JSON.parse(stdout) as NpmConfig;
  } catch (error) {
    throw new AgentError("usage", "npm, which is to say what registry this account uses, cannot be asked.", {
      cause: error,
      remedy: "Name the host by hand: --allow HOST",
    });
  }
}

function registryUrl(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/u.test(url.protocol) && url.username === "" && url.password === "") return url;
  throw new AgentError("usage", `npm's ${name} is no address without a password in it: ${url === null ? "none" : `${url.protocol}//${url.host}`}.`, {
    remedy: "Set another (npm config set), or name the host by hand: --allow HOST",
  });
}

const portOf = ({ port, protocol }: URL): number => Number(port === "" ? (protocol === "https:" ? 443 : 80) : port);

const withPort = (url: URL): string => `${url.hostname}:${String(portOf(url))}`;

type Inside = { readonly name: string; readonly address: string; readonly port: number };

/** Of names that lead to a private network the first IPv4 address: the proxy takes it only where it is listed, and of several answers all would have to be. */
async function privateAddresses(urls: readonly URL[]): Promise<readonly Inside[]> {
  const found: Inside[] = [];
  for (const url of urls) {
    // A name without an address is refused by the proxy, which says so.
    const addresses = await lookup(url.hostname, { all: true, family: 4 }).catch(() => []);
    const hidden = addresses.find(({ address }) => !isPublicAddress(address));
    if (hidden !== undefined) found.push({ name: url.hostname, address: hidden.address, port: portOf(url) });
  }
  return found;
}

/** The lines of npm's files and variables, by name; a later one counts. */
async function settingsOf(config: NpmConfig): Promise<ReadonlyMap<string, string>> {
  const settings = new Map<string, string>();
  for (const file of [config["globalconfig"], config["userconfig"]]) {
    for (const line of typeof file === "string" ? linesOf(file) : []) {
      const [, name, value] = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/u.exec(line) ?? [];
      if (name !== undefined && value !== undefined) settings.set(name, expanded(value.replace(/^(["'])(.*)\1$/u, "$2")));
    }
  }
  for (const [name, value] of Object.entries(process.env)) {
    const [, key] = /^npm_config_(\/\/.+)$/iu.exec(name) ?? [];
    if (key !== undefined && value !== undefined) settings.set(key, value);
  }
  return settings;
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

const expanded = (value: string): string => value.replaceAll(/\$\{([^}?]+)\??\}/gu, (whole, name: string) => process.env[name] ?? whole);

/** Where a token counts, as `host/path/`, and how it stands in a request. The longest place is first. */
type Token = { readonly at: string; readonly secret: string; readonly form: string };

function tokensOf(settings: ReadonlyMap<string, string>): readonly Token[] {
  const tokens = [...settings].flatMap(([name, value]): readonly Token[] => {
    const [, at, kind] = /^\/\/(.+?)\/?:(_authToken|_auth|_password)$/u.exec(name) ?? [];
    if (at === undefined || value === "") return [];
    if (kind === "_authToken") return [{ at, secret: value, form: "Bearer {secret}" }];
    if (kind === "_auth") return [{ at, secret: value, form: "Basic {secret}" }];
    const user = settings.get(`//${at}/:username`) ?? settings.get(`//${at}:username`);
    return user === undefined || user.includes("}") ? [] : [{ at, secret: Buffer.from(value, "base64").toString("utf8"), form: `Basic {basic ${user}}` }];
  });
  return tokens.toSorted((one, other) => other.at.length - one.at.length);
}

function certificatesIn(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/gu) ?? [];
  } catch (error) {
    throw new AgentError("usage", `npm's cafile ${file} cannot be read: ${String((error as NodeJS.ErrnoException).code)}.`, { cause: error });
  }
}
