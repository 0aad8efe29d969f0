import type { EffectKind } from "../../programs/effect.ts";
import type { SourcePosition } from "../decision.ts";
import type { CommandHook } from "../hook.ts";
import type { Credential, NetworkLimits, NetworkSettings, TrafficLimit } from "../network.ts";
import type { CommandRule, PathPattern, Policy, WindowLimit } from "../policy.ts";
import type { Sight } from "../label.ts";
import { absolutePattern, type PolicyContext } from "../language/path-expansion.ts";
import { windowName, windowPlace } from "../language/places.ts";
import { oncePerGroup, wordsText } from "../matching/rule-words.ts";
import { hoursText } from "../text/hours.ts";
import { bytesText, durationText } from "../text/quantity.ts";
import { usesText } from "../text/uses.ts";

/** One thing that a policy says, in the words of the language, and the file that says it. */
export type EffectiveEntry = {
  /** The keys that lead to it; entries of a list share one. */
  readonly path: readonly string[];
  readonly isInList: boolean;
  /** As a policy file writes it. */
  readonly value: unknown;
  /** Null: no file says it, and this is the default. */
  readonly at: SourcePosition | null;
};

const MICRO_USD = 1_000_000;
const MINUTE_MS = 60_000;

/** All that a policy says once `extends` is merged in, in the order of the language. With a context, paths below the workspace and the home are short, as a file writes them. */
export function effectiveEntries(policy: Policy, context?: PolicyContext): readonly EffectiveEntry[] {
  const at = (place: string): SourcePosition | null => policy.positions?.get(place) ?? null;
  const one = (value: unknown, ...path: string[]): EffectiveEntry[] =>
    value === undefined || value === null ? [] : [{ path, isInList: false, value, at: at(path.join(".")) }];
  const list = <T>(items: readonly T[], path: readonly string[], written: (item: T) => unknown, placed: (item: T) => SourcePosition | null): EffectiveEntry[] =>
    items.map((item) => ({ path, isInList: true, value: written(item), at: placed(item) }));
  const patterns = (found: readonly PathPattern[], key: string): EffectiveEntry[] =>
    list(
      found,
      ["workspace", key],
      ({ pattern }) => (context === undefined ? pattern : shortPattern(pattern, context)),
      (pattern) => pattern.at,
    );
  const { workspace, commands, limits, sandbox, approvals, tools } = policy;
  // A credential's file is forbidden because the credential names it.
  const forbidden = workspace.forbidden.filter((pattern) => pattern.at !== at("sandbox.network.credentials"));
  return [
    ...one(policy.autonomy, "autonomy"),
    ...list(
      workspace.roots,
      ["workspace", "roots"],
      ({ path, access }) => ({ path: context === undefined ? path : shortPath(path, context), access }),
      ({ path }) => at(`workspace.roots.${path}`),
    ),
    ...patterns(
      forbidden.filter(({ isOfKeys }) => isOfKeys !== true),
      "forbidden",
    ),
    ...patterns(
      forbidden.filter(({ isOfKeys }) => isOfKeys === true),
      "keys",
    ),
    ...patterns(workspace.protected, "protected"),
    ...patterns(workspace.sensitive ?? [], "sensitive"),
    ...one(commands.only, "commands", "only"),
    ...one(commands.blockHighRisk, "commands", "block-high-risk"),
    ...effectEntries(commands),
    ...list(oncePerGroup(commands.rules), ["commands", "rules"], ruleAsWritten, (rule) => rule.at),
    ...one(commands.gitIdentity, "commands", "git-identity"),
    ...windowEntries(limits.windows, at),
    ...one(limits.run.turns, "limits", "run", "turns"),
    ...one(limits.run.tokens, "limits", "run", "tokens"),
    ...one(limits.run.minutes, "limits", "run", "minutes"),
    ...one(limits.run.actions, "limits", "run", "actions"),
    ...one(limits.run.calls, "limits", "run", "calls"),
    ...one(limits.run.asks, "limits", "run", "asks"),
    ...one(limits.run.maxUsd, "limits", "run", "max-usd"),
    ...one(limits.run.subAgents, "limits", "run", "sub-agents"),
    ...one(limits.run.subAgentDepth, "limits", "run", "sub-agent-depth"),
    ...one(sandbox.runtime, "sandbox", "runtime"),
    ...one(sandbox.image, "sandbox", "image"),
    ...one(sandbox.engineRuntime, "sandbox", "engine-runtime"),
    ...one(sandbox.workspace, "sandbox", "workspace"),
    ...one(sandbox.env, "sandbox", "env"),
    ...networkEntries(sandbox.network, at),
    ...one(bytesText(sandbox.memoryBytes), "sandbox", "memory"),
    ...one(sandbox.cpus, "sandbox", "cpus"),
    ...one(sandbox.processes, "sandbox", "processes"),
    ...one(durationText(sandbox.commandTimeoutMs), "sandbox", "command-timeout"),
    ...one(bytesText(sandbox.outputBytes), "sandbox", "output"),
    ...one(filled(approvals?.approvers), "approvals", "approvers"),
    ...one(filled(approvals?.codes), "approvals", "codes"),
    ...one(policy.unattended.onAsk, "unattended", "on-ask"),
    ...one(tools.allow, "tools", "allow"),
    ...list(
      tools.deny,
      ["tools", "deny"],
      (tool) => tool,
      (tool) => at(`tools.deny.${tool}`),
    ),
    ...(tools.mcp ?? []).flatMap(({ tool, sends, paths, hosts, commands }) =>
      one({ ...someOf("sends", sends), ...(filled(paths) && { paths }), ...someOf("hosts", hosts), ...someOf("commands", commands) }, "tools", "mcp", tool),
    ),
    ...list(policy.hooks ?? [], ["hooks"], hookAsWritten, (hook) => hook.at),
  ];
}

function someOf(key: string, values: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return values.length === 0 ? {} : { [key]: values };
}

function filled<T extends object>(value: T | undefined): T | undefined {
  return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}

function shortPath(path: string, { workspace, home, realPath = (same) => same }: PolicyContext): string {
  const main = realPath(workspace);
  if (path === main) return ".";
  if (path.startsWith(`${main}/`)) return path.slice(main.length + 1);
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The shortest way to write a pattern that is read as the same one again. */
function shortPattern(pattern: string, context: PolicyContext): string {
  const [inHome, inWorkspace] = [absolutePattern("~", context), absolutePattern("x", context).slice(0, -1)];
  const written = pattern.startsWith("/**/")
    ? pattern.slice(1)
    : pattern.startsWith(inWorkspace)
      ? pattern.slice(inWorkspace.length)
      : pattern.startsWith(`${inHome}/`)
        ? `~${pattern.slice(inHome.length)}`
        : pattern;
  return absolutePattern(written, context) === pattern ? written : pattern;
}

function effectEntries({ effects, tightened = [] }: Policy["commands"]): EffectiveEntry[] {
  const kinds = [...new Set<EffectKind>([...effects.keys(), ...tightened.map(({ kind }) => kind)])];
  return kinds.flatMap((kind) => {
    const path = ["commands", "effects", kind];
    const plain = effects.get(kind);
    const more = tightened.filter((effect) => effect.kind === kind);
    const isInList = more.length > 0;
    return [
      ...(plain === undefined ? [] : [{ path, isInList, value: plain.verdict, at: plain.at }]),
      ...more.map(({ verdict, when, at }) => ({ path, isInList, value: { verdict, when: whenAsWritten(when) }, at })),
    ];
  });
}

function whenAsWritten(when: readonly Sight[]): readonly Sight[] | "always" {
  return when.length === 0 ? "always" : when;
}

function ruleAsWritten({ id, verdict, words, group, because, when, except, between, max, expires, owner }: CommandRule): Record<string, unknown> {
  return {
    id,
    [verdict]: group === undefined ? wordsText(words) : { group: group.name, version: group.version },
    ...(except && { except: except.map(wordsText) }),
    ...(when && { when: whenAsWritten(when) }),
    ...(between && { between: hoursText(between) }),
    ...(max && { max: usesText(max) }),
    because,
    ...(expires !== undefined && { expires }),
    ...(owner !== undefined && { owner }),
  };
}

function windowAsWritten({ meter, max, perMs }: WindowLimit): Record<string, unknown> {
  const per = durationText(perMs);
  return meter === "cost" ? { "max-usd": max / MICRO_USD, per } : { max: meter === "minutes" ? max / MINUTE_MS : max, per };
}

function windowEntries(windows: readonly WindowLimit[], at: (place: string) => SourcePosition | null): EffectiveEntry[] {
  const entries = windows.map((window, index) => ({
    path: windowName(window).split("."),
    isInList: true,
    value: windowAsWritten(window),
    at: at(windowPlace(window, index)),
  }));
  return [...Map.groupBy(entries, ({ path }) => path.join(".")).entries()]
    .toSorted(([one], [other]) => one.split(".").length - other.split(".").length)
    .flatMap(([, found]) => found);
}

function networkEntries(
  { allow, refined = [], credentials, limits, names, registries }: NetworkSettings,
  at: (place: string) => SourcePosition | null,
): EffectiveEntry[] {
  const network = (value: unknown, key: string, place = `sandbox.network.${key}`): EffectiveEntry[] =>
    value === undefined ? [] : [{ path: ["sandbox", "network", key], isInList: false, value, at: at(place) }];
  const hosts = allow.flatMap((host): unknown[] => {
    const limited = refined.filter((entry) => entry.host === host);
    const [name, port] = host.split(":");
    const asWritten = { host: name, ...(port === undefined ? {} : { port: Number(port) }) };
    return limited.length === 0 ? [host] : limited.map(({ methods, paths }) => ({ ...asWritten, ...(methods && { methods }), ...(paths && { paths }) }));
  });
  return [
    ...network(hosts, "allow", "sandbox.network"),
    ...network(
      registries?.map((use) => (use.credentials ? use : use.name)),
      "registries",
    ),
    ...network(names, "names"),
    ...network(limits && limitsAsWritten(limits), "limits"),
    ...(credentials ?? []).map((credential) => ({
      path: ["sandbox", "network", "credentials"],
      isInList: true,
      value: credentialAsWritten(credential),
      at: at("sandbox.network.credentials"),
    })),
  ];
}

function credentialAsWritten({ id, secret, host, port, methods, paths, header, otherwise }: Credential): Record<string, unknown> {
  const source = secret.kind === "variable" ? { env: secret.name } : { file: secret.path };
  return { id, secret: source, host, port, methods, paths, header: { [header.name]: header.value }, otherwise };
}

function limitsAsWritten(limits: NetworkLimits): Record<string, unknown> {
  return Object.fromEntries(Object.entries(limits).map(([scope, limit]) => [scope, limitAsWritten(limit)]));
}

function limitAsWritten({ bytesUp, bytesDown, requestsPerMinute, connections }: TrafficLimit): Record<string, unknown> {
  return {
    ...(bytesUp !== undefined && { "bytes-up": bytesText(bytesUp) }),
    ...(bytesDown !== undefined && { "bytes-down": bytesText(bytesDown) }),
    ...(requestsPerMinute !== undefined && { "requests-per-minute": requestsPerMinute }),
    ...(connections !== undefined && { connections }),
  };
}

function hookAsWritten({ id, on, tools, argv, timeoutMs, cacheMs, mayRewrite, because }: CommandHook): Record<string, unknown> {
  const isScript = argv.length === 3 && argv[0] === "sh" && argv[1] === "-c";
  return {
    id,
    on,
    ...(tools && { tools }),
    ...(isScript ? { script: argv[2] } : { command: argv }),
    timeout: durationText(timeoutMs),
    ...(cacheMs > 0 && { cache: durationText(cacheMs) }),
    ...(mayRewrite && { rewrite: true }),
    because,
  };
}
