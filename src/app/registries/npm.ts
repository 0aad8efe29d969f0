import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AgentError } from "../../base/errors.ts";
import { certificatesIn, linesOf, type RegistryClient, type RegistryLogin } from "./client.ts";

/** What `npm config list --json` says, as far as it is used. Tokens are not in it: npm calls them protected. */
type NpmConfig = Readonly<Record<string, unknown>>;

const LOOK_TIMEOUT_MS = 20_000;

/**
 * How this account's npm reaches its registries: as the person configured it, and not the project. Throws `usage` where npm does not say, and for an
 * address with a password in it.
 */
export async function npmClient(): Promise<RegistryClient> {
  const config = await configOfNpm();
  const text = (name: string): string => (typeof config[name] === "string" ? config[name] : "");
  const scoped = Object.keys(config).filter((name) => /^@[^/:]+:registry$/u.test(name));
  const urls = new Map(["registry", ...scoped].map((name) => [name, registryUrl(name, text(name))]));
  const tokens = tokensOf(await settingsOf(config));
  const cafile = text("cafile");
  return {
    registry: "npm",
    places: [...new Map([...urls.values()].map((url) => [url.href, url])).values()].map((url) => ({ url, login: loginAt(url, tokens) })),
    env: {
      ...Object.fromEntries([...urls].map(([name, url]) => [`npm_config_${name}`, url.href])),
      npm_config_replace_registry_host: text("replace-registry-host") === "" ? "npmjs" : text("replace-registry-host"),
      // Both would send.
      npm_config_audit: "false",
      npm_config_fund: "false",
    },
    trusted: cafile === "" ? [] : certificatesIn(cafile, "npm's cafile"),
  };
}

function loginAt({ host, pathname }: URL, tokens: readonly Token[]): RegistryLogin | null {
  const place = `${host}${pathname}`.replace(/\/$/u, "");
  const token = tokens.find(({ at }) => place === at || place.startsWith(`${at}/`));
  return token === undefined ? null : { secret: token.secret, form: token.form };
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
