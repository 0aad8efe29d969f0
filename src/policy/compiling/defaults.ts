import { digestOf } from "../../base/digest.ts";
import type { SourcePosition } from "../decision.ts";
import { NAMES, windowName, windowPlace } from "../language/places.ts";
import { withoutPlaces } from "../hook.ts";
import type { NetworkSettings } from "../network.ts";
import { combinedMapping, type StatedMapping } from "../tool-mapping.ts";
import type { PathPattern, Policy, SandboxSettings } from "../policy.ts";
import { literalPattern, type PolicyContext } from "../language/path-expansion.ts";
import type { PolicyStatement, StatedValues } from "../language/statement.ts";

type RunExtra = "runActions" | "runCalls" | "runAsks" | "runUsd" | "subAgents" | "subAgentDepth";

/** What holds where no file says anything: the strictest that still works. */
export const DEFAULTS: Omit<
  StatedValues,
  "only" | "gitIdentity" | "image" | "engineRuntime" | RunExtra | "credentials" | "networkLimits" | "hostNames" | "registries" | "approvers" | "codes"
> = {
  autonomy: "read-only",
  blockHighRisk: false,
  turns: 50,
  tokens: 400_000,
  minutes: 30,
  runtime: "docker",
  workspace: "transactional",
  env: [],
  network: [],
  memoryBytes: 1024 ** 3,
  cpus: 1,
  processes: 256,
  commandTimeoutMs: 60_000,
  outputBytes: 1024 ** 2,
  onAsk: "deny",
  tools: ["*"],
};

/** A merged statement as the policy that decides: defaults filled in, the workspace's root first. */
export function finishPolicy(statement: PolicyStatement, files: readonly string[], context: PolicyContext): Policy {
  const { values } = statement;
  const value = <Key extends keyof typeof DEFAULTS>(key: Key): StatedValues[Key] => (values[key]?.value ?? DEFAULTS[key]) as StatedValues[Key];
  const policy: Omit<Policy, "digest" | "files" | "positions"> = {
    name: statement.name,
    autonomy: value("autonomy"),
    workspace: {
      path: mainPath(context),
      roots: orderedRoots(statement, context),
      forbidden: [...statement.forbidden, ...secretFiles(values)],
      protected: statement.protected,
      ...(statement.sensitive.length === 0 ? {} : { sensitive: statement.sensitive }),
    },
    commands: {
      only: values.only?.value ?? null,
      onlyAt: values.only?.at ?? null,
      blockHighRisk: value("blockHighRisk"),
      effects: new Map([...statement.effects].map(([kind, { value: verdict, at }]) => [kind, { verdict, at }])),
      rules: statement.rules.map(({ match: _match, notMatch: _notMatch, ...rule }) => rule),
      ...(statement.tightened.length === 0 ? {} : { tightened: statement.tightened }),
      ...(values.gitIdentity === undefined ? {} : { gitIdentity: values.gitIdentity.value }),
    },
    limits: {
      windows: statement.windows.map(({ at: _at, ...window }) => window),
      run: {
        turns: value("turns"),
        tokens: value("tokens"),
        minutes: value("minutes"),
        actions: values.runActions?.value ?? null,
        calls: values.runCalls?.value ?? null,
        asks: values.runAsks?.value ?? null,
        maxUsd: values.runUsd?.value ?? null,
        ...(values.subAgents === undefined ? {} : { subAgents: values.subAgents.value }),
        ...(values.subAgentDepth === undefined ? {} : { subAgentDepth: values.subAgentDepth.value }),
      },
    },
    sandbox: {
      runtime: value("runtime"),
      ...imageOf(values),
      workspace: value("workspace"),
      env: value("env"),
      network: networkOf(values),
      memoryBytes: value("memoryBytes"),
      cpus: value("cpus"),
      processes: value("processes"),
      commandTimeoutMs: value("commandTimeoutMs"),
      outputBytes: value("outputBytes"),
    },
    unattended: { onAsk: value("onAsk") },
    ...approvalsOf(values),
    tools: {
      allow: value("tools"),
      deny: statement.deniedTools.map((tool) => tool.value),
      ...(statement.mappings.length === 0 ? {} : { mcp: combined(statement.mappings) }),
    },
    ...(statement.hooks.length === 0 ? {} : { hooks: statement.hooks }),
  };
  let digest: string | null = null;
  return {
    ...policy,
    // Worked out when it is first asked for: a verdict alone needs none.
    get digest() {
      return (digest ??= digestOf(withoutPositions(policy)));
    },
    files,
    positions: positionsOf(statement),
  };
}

/** One for each pattern, whoever states a part of it. */
function combined(mappings: PolicyStatement["mappings"]): readonly StatedMapping[] {
  const byTool = Map.groupBy(
    mappings.map(({ value }) => value),
    ({ tool }) => tool,
  );
  return [...byTool].map(([tool, all]) => ({ tool, ...combinedMapping(all) }));
}

function approvalsOf({ approvers, codes }: PolicyStatement["values"]): Pick<Policy, "approvals"> {
  if (approvers === undefined && codes === undefined) return {};
  return { approvals: { approvers: approvers?.value ?? {}, codes: codes?.value ?? [] } };
}

function imageOf({ image, engineRuntime }: PolicyStatement["values"]): Pick<SandboxSettings, "image" | "engineRuntime"> {
  return { ...(image === undefined ? {} : { image: image.value }), ...(engineRuntime === undefined ? {} : { engineRuntime: engineRuntime.value }) };
}

/** Only what is stated has a key: a policy without any of it keeps the digest that it had before the language knew of it. */
function networkOf(values: PolicyStatement["values"]): NetworkSettings {
  const entries = values.network?.value ?? DEFAULTS.network;
  const refined = entries.filter((entry) => entry.methods !== null || entry.paths !== null);
  const credentials = values.credentials?.value ?? [];
  const limits = values.networkLimits?.value;
  const names = values.hostNames?.value;
  const registries = values.registries?.value ?? [];
  return {
    allow: [...new Set(entries.map((entry) => entry.host))],
    ...(refined.length > 0 ? { refined } : {}),
    ...(credentials.length > 0 ? { credentials } : {}),
    ...(limits === undefined ? {} : { limits }),
    ...(names === undefined ? {} : { names }),
    ...(registries.length > 0 ? { registries } : {}),
  };
}

/** What the egress proxy alone may know is no file of the sandbox, whatever root it lies below. */
function secretFiles({ credentials }: PolicyStatement["values"]): readonly PathPattern[] {
  return (credentials?.value ?? []).flatMap(({ secret }) =>
    secret.kind === "file" && credentials !== undefined ? [{ pattern: literalPattern(secret.path), at: credentials.at }] : [],
  );
}

/** The workspace first: its root is the main one. Without any root stated, the workspace may be read. */
function orderedRoots({ roots }: PolicyStatement, context: PolicyContext): Policy["workspace"]["roots"] {
  const main = mainPath(context);
  const plain = (roots ?? [{ path: main, access: "read" as const }]).map(({ path, access }) => ({ path, access }));
  return plain.toSorted((one, other) => Number(other.path === main) - Number(one.path === main));
}

export function mainPath({ workspace, realPath }: PolicyContext): string {
  return realPath === undefined ? workspace : realPath(workspace);
}

function positionsOf({ values, deniedTools, mappings, windows, roots }: PolicyStatement): ReadonlyMap<string, SourcePosition> {
  const positions = new Map<string, SourcePosition>();
  for (const key of Object.keys(values) as (keyof StatedValues)[]) {
    const at = values[key]?.at;
    if (at !== undefined) positions.set(NAMES[key], at);
  }
  // The file's own come last, so that they are the ones that are named.
  for (const [index, window] of windows.entries()) positions.set(windowName(window), window.at).set(windowPlace(window, index), window.at);
  for (const { path, at } of roots ?? []) positions.set(`workspace.roots.${path}`, at);
  for (const { value, at } of deniedTools) positions.set(`tools.deny.${value}`, at);
  for (const { value, at } of mappings) positions.set(`tools.mcp.${value.tool}`, at);
  return positions;
}

/** The policy as plain JSON that says only what is decided, not where it was written. */
function withoutPositions(policy: Omit<Policy, "digest" | "files" | "positions">): unknown {
  const { workspace, commands, hooks, ...rest } = policy;
  return {
    ...rest,
    ...(hooks === undefined ? {} : { hooks: withoutPlaces(hooks) }),
    workspace: {
      path: workspace.path ?? null,
      roots: workspace.roots,
      forbidden: workspace.forbidden.filter(({ isOfKeys }) => isOfKeys !== true).map(({ pattern }) => pattern),
      keys: workspace.forbidden.filter(({ isOfKeys }) => isOfKeys === true).map(({ pattern }) => pattern),
      protected: workspace.protected.map(({ pattern }) => pattern),
      ...(workspace.sensitive === undefined ? {} : { sensitive: workspace.sensitive.map(({ pattern }) => pattern) }),
    },
    commands: {
      only: commands.only,
      blockHighRisk: commands.blockHighRisk,
      effects: Object.fromEntries([...commands.effects].map(([kind, { verdict }]) => [kind, verdict])),
      rules: commands.rules.map(({ at: _at, ...rule }) => rule),
      ...(commands.tightened === undefined ? {} : { tightened: commands.tightened.map(({ at: _at, ...effect }) => effect) }),
      ...(commands.gitIdentity === undefined ? {} : { gitIdentity: commands.gitIdentity }),
    },
  };
}
