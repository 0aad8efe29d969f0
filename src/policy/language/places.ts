import type { WindowLimit } from "../policy.ts";
import type { StatedValues } from "./statement.ts";

/** The place of a window in the language. */
export function windowName({ meter, scope }: Pick<WindowLimit, "meter" | "scope">): string {
  return scope === "policy" ? `limits.${meter}` : `limits.schedule.${meter}`;
}

/** The place of one of several windows of a meter; `index`: its own among all windows of the policy. */
export function windowPlace(window: Pick<WindowLimit, "meter" | "scope">, index: number): string {
  return `${windowName(window)}.${String(index)}`;
}

/** Each value's place in the language. */
export const NAMES: { readonly [Key in keyof StatedValues]: string } = {
  autonomy: "autonomy",
  only: "commands.only",
  blockHighRisk: "commands.block-high-risk",
  turns: "limits.run.turns",
  tokens: "limits.run.tokens",
  minutes: "limits.run.minutes",
  runActions: "limits.run.actions",
  runCalls: "limits.run.calls",
  runAsks: "limits.run.asks",
  runUsd: "limits.run.max-usd",
  subAgents: "limits.run.sub-agents",
  subAgentDepth: "limits.run.sub-agent-depth",
  runtime: "sandbox.runtime",
  image: "sandbox.image",
  engineRuntime: "sandbox.engine-runtime",
  workspace: "sandbox.workspace",
  env: "sandbox.env",
  network: "sandbox.network",
  credentials: "sandbox.network.credentials",
  networkLimits: "sandbox.network.limits",
  hostNames: "sandbox.network.names",
  registries: "sandbox.network.registries",
  memoryBytes: "sandbox.memory",
  cpus: "sandbox.cpus",
  processes: "sandbox.processes",
  commandTimeoutMs: "sandbox.command-timeout",
  outputBytes: "sandbox.output",
  gitIdentity: "commands.git-identity",
  onAsk: "unattended.on-ask",
  approvers: "approvals.approvers",
  codes: "approvals.codes",
  tools: "tools.allow",
};
