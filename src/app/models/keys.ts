import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import type { KeyringEntry, KeySource, ModelSettings } from "../../config/model-settings.ts";
import { readSecret, vouchedFor } from "../../config/secrets.ts";
import type { ProviderName } from "../../providers/contract/model-name.ts";
import { startedByWords } from "../setup/outside-program.ts";
import { pathApart, writablePlaceIn } from "../setup/places-apart.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that a provider's key is in; null: it has none. */
export const KEY_VARIABLES: Readonly<Record<ProviderName, string | null>> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
  ollama: "WARDER_API_KEY",
  "openai-compatible": "WARDER_API_KEY",
  scripted: null,
};

const COMMAND_TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 16 * 1024;

export type KeyPlaces = {
  readonly settings: ModelSettings;
  readonly environment: Environment;
  /** Where agents may write: no program that prints a key lies there. */
  readonly writable: readonly string[];
};

/** Which key a provider would use: of its variable, which comes first, or of the settings; null: none is configured. */
export function keySourceOf(provider: ProviderName, { settings, environment }: Pick<KeyPlaces, "settings" | "environment">): KeySource | null {
  const name = KEY_VARIABLES[provider];
  if (name !== null && (environment[name]?.trim() ?? "") !== "") return { kind: "variable", name };
  return settings.keys.get(provider) ?? null;
}

/**
 * The environment with the keys of these providers, and those that the settings brought, by what stands in their place wherever they would appear. Throws
 * `bad-configuration`, never with a key in it.
 */
export function readKeys(
  providers: readonly ProviderName[],
  places: KeyPlaces,
): { readonly environment: Environment; readonly secrets: ReadonlyMap<string, string> } {
  const found: Record<string, string> = {};
  const secrets = new Map<string, string>();
  for (const provider of new Set(providers)) {
    const variable = KEY_VARIABLES[provider];
    const source = keySourceOf(provider, places);
    if (variable === null || source === null || (source.kind === "variable" && source.name === variable)) continue;
    const what = `The key of ${provider}`;
    const key = keyIn(what, source, places);
    found[variable] = key;
    secrets.set(`key of ${provider}`, key);
  }
  return { environment: { ...places.environment, ...found }, secrets };
}

function keyIn(what: string, source: KeySource, places: KeyPlaces): string {
  if (source.kind === "command") return printedKey(what, source.argv, places);
  return source.kind === "keyring" ? keyringKey(what, source, places) : readSecret(what, source, places.environment);
}

/** A process that a person has to unlock the keyring for is waited for longer than one that prints. */
const KEYRING_TIMEOUT_MS = 60_000;
const KEYRING_PROCESS = fileURLToPath(new URL(`./keyring-process${import.meta.url.slice(-3)}`, import.meta.url));

function keyringKey(what: string, { service, account }: KeyringEntry, { environment }: KeyPlaces): string {
  const fail = (why: string, remedy = "See docs/guides/models.md#keys"): never => {
    throw new AgentError("bad-configuration", `${what} cannot be used: the keyring ${why}.`, { remedy });
  };
  const { NODE_OPTIONS: _options, ...rest } = environment;
  const ended = spawnSync(process.execPath, [KEYRING_PROCESS, service, account], {
    cwd: "/",
    env: rest,
    timeout: KEYRING_TIMEOUT_MS,
    killSignal: "SIGKILL",
    maxBuffer: MAX_OUTPUT_BYTES,
    encoding: "latin1",
  });
  const code = ended.error !== undefined && "code" in ended.error ? String(ended.error.code) : "";
  if (code === "ETIMEDOUT") return fail(`gave no answer in ${String(KEYRING_TIMEOUT_MS / 1000)} seconds`, "Unlock it, then try again.");
  if (code !== "") return fail(`cannot be asked (${code})`);
  if (ended.status === 3) return fail(`has no entry of service ${service} and account ${account}`, storeRemedy(service, account));
  if (ended.status === 4)
    return fail(
      `of this system does not answer (${makeVisibleLine(ended.stderr.slice(0, 200))})`,
      "It needs a desktop session with a keyring (D-Bus). Without one, use `{ file: … }` or `{ command: … }`: docs/guides/models.md#keys",
    );
  if (ended.status !== 0) return fail("could not be read: the package @napi-rs/keyring does not load on this machine", "Run npm ci, or use `{ command: … }`.");
  return vouchedFor(ended.stdout, (why) => fail(`has what ${why}`));
}

function storeRemedy(service: string, account: string): string {
  return `Put it in. On Linux: secret-tool store --label=${shown(service)} service ${shown(service)} username ${shown(account)}`;
}

const shown = (name: string): string => (/^[\w.-]+$/u.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`);

function printedKey(what: string, argv: readonly [string, ...string[]], { environment, writable }: KeyPlaces): string {
  const [program, ...words] = argv;
  const fail = (why: string): never => {
    throw new AgentError("bad-configuration", `${what} cannot be used: the program ${program} ${why}.`, { remedy: "See docs/guides/models.md#keys" });
  };
  const inside = writablePlaceIn(argv, writable);
  if (inside !== undefined) return fail(`or a word of it names ${inside}, where an agent may write`);
  const cause = startedByWords(argv);
  if (cause !== null) return fail(`could run another text than its own: ${cause}`);
  const ended = spawnSync(program, words, {
    cwd: "/",
    env: { ...environment, PATH: pathApart(writable) },
    timeout: COMMAND_TIMEOUT_MS,
    killSignal: "SIGKILL",
    maxBuffer: MAX_OUTPUT_BYTES,
    // What it says beside the key may hold it.
    stdio: ["ignore", "pipe", "ignore"],
    encoding: "latin1",
  });
  const code = ended.error !== undefined && "code" in ended.error ? String(ended.error.code) : "";
  if (code === "ETIMEDOUT") return fail(`printed nothing in ${String(COMMAND_TIMEOUT_MS / 1000)} seconds`);
  if (code !== "") return fail(code === "ENOBUFS" ? "printed more than a key" : `cannot be started (${code})`);
  if (ended.status !== 0) return fail(ended.status === null ? `was ended by ${String(ended.signal)}` : `ended with exit code ${String(ended.status)}`);
  return vouchedFor(ended.stdout.replace(/\r?\n$/u, ""), (why) => fail(`printed what ${why}`));
}
