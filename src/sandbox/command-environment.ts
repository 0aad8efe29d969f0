import { hasNetwork, needsTermination } from "../policy/matching/network-entries.ts";
import type { NetworkSettings } from "../policy/network.ts";
import { installedPrograms, registryEnvironment } from "./registry-clients.ts";
import { javaTrustOptions, trustVariables } from "./egress/tls/trust.ts";
import { EGRESS_TARGET } from "./hardening.ts";
import type { SandboxProfile } from "./runtime.ts";

/** Where the supervisor's forwarder listens while a command runs (sandbox/supervisor/forward.c). */
const PROXY_URL = "http://127.0.0.1:3128";

/** Variables that every command gets; `profile.env` adds to them and never replaces them. `hooks`: where git finds hooks in place of the repository's, which they call. */
export function commandEnvironment(profile: SandboxProfile, home: string, hooks: string | null = null): Readonly<Record<string, string>> {
  const isTerminated = needsTermination(profile.settings.network);
  const javaTrust = isTerminated ? javaTrustOptions(EGRESS_TARGET) : [];
  return {
    ...profile.env,
    PATH: `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin${installedPrograms(profile, home)}`,
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "dumb",
    USER: "sandbox",
    ...gitSettings(profile, hooks),
    // Else a look at the form of a project's files leaves a directory in it.
    RUFF_NO_CACHE: "true",
    ...packageManagers(profile.settings.network),
    ...proxyEnvironment(profile, javaTrust),
    ...(isTerminated ? trustVariables(EGRESS_TARGET) : {}),
    ...registryEnvironment(profile, home),
  };
}

/** Settings that stand above every file that git reads. */
function gitSettings({ gitIdentity }: SandboxProfile, hooks: string | null): Readonly<Record<string, string>> {
  const settings: (readonly [string, string])[] = [
    // A directory that looks like a bare repository has a configuration, which names programs that git starts.
    ["safe.bareRepository", "explicit"],
    // What a signature says of itself would stand among what git log is asked for.
    ["log.showSignature", "false"],
    // A repository may want its commits signed, and the person's keys stay outside: without a signature they are made all the same.
    ["commit.gpgSign", "false"],
    ["tag.gpgSign", "false"],
    ["tag.forceSignAnnotated", "false"],
  ];
  if (hooks !== null) settings.push(["core.hooksPath", hooks]);
  if (gitIdentity !== undefined) settings.push(["user.name", gitIdentity.name], ["user.email", gitIdentity.email]);
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${String(index)}`, key] as const,
    [`GIT_CONFIG_VALUE_${String(index)}`, value] as const,
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(numbered) };
}

/** Only a hint: there is no other way out, whatever a program does with it. Upper and lower case, because programs read one or the other. */
function proxyEnvironment({ settings: { network }, registries }: SandboxProfile, javaTrust: readonly string[]): Readonly<Record<string, string>> {
  if (!hasNetwork(network)) return {};
  const allow = [...network.allow, ...(registries?.origins ?? []).map(({ host }) => host)];
  // What a command starts inside the sandbox is reached directly; where policy lists the host's own loopback, that is meant.
  const direct = ["localhost", "127.0.0.1", "::1"].filter((host) => !allow.some((entry) => entry === host || entry.startsWith(`${host}:`))).join(",");
  return {
    HTTP_PROXY: PROXY_URL,
    HTTPS_PROXY: PROXY_URL,
    http_proxy: PROXY_URL,
    https_proxy: PROXY_URL,
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: "1",
    JAVA_TOOL_OPTIONS: [...javaOptions(direct), ...javaTrust].join(" "),
  };
}

/**
 * A Java machine reads no variable of a proxy's (java.net.doc, "Networking Properties"). It says on standard error that it was given these. Maven's own client looks at
 * them from 3.9 on only if it is told to (maven.apache.org/resolver/configuration.html).
 */
function javaOptions(direct: string): readonly string[] {
  const { hostname, port } = new URL(PROXY_URL);
  const hosts = direct.split(",").map((host) => (host === "::1" ? "[::1]" : host));
  const options = ["http", "https"].flatMap((scheme) => [`-D${scheme}.proxyHost=${hostname}`, `-D${scheme}.proxyPort=${port}`]);
  return [...options, `-Dhttp.nonProxyHosts=${hosts.join("|")}`, "-Daether.connector.http.useSystemProperties=true"];
}

/**
 * Nobody looks for news of a package manager here. Where there is no network they do not try it again and again: npm waits for 72 s by itself
 * (`fetch-retries`, https://docs.npmjs.com/cli/using-npm/config).
 */
function packageManagers(network: NetworkSettings): Readonly<Record<string, string>> {
  const quiet = { npm_config_update_notifier: "false", NO_UPDATE_NOTIFIER: "1", PIP_DISABLE_PIP_VERSION_CHECK: "1", DENO_NO_UPDATE_CHECK: "1" };
  return hasNetwork(network) ? quiet : { ...quiet, ...OFFLINE };
}

/** npm and pnpm, pip, uv, Yarn 2 and later, Cargo, Go, Composer, conda, Bundler. */
const OFFLINE: Readonly<Record<string, string>> = {
  npm_config_offline: "true",
  PIP_RETRIES: "0",
  UV_OFFLINE: "1",
  YARN_ENABLE_NETWORK: "false",
  CARGO_NET_OFFLINE: "true",
  GOPROXY: "off",
  GOTOOLCHAIN: "local",
  COMPOSER_DISABLE_NETWORK: "1",
  CONDA_OFFLINE: "true",
  BUNDLE_RETRY: "0",
};
