import type { Dialect } from "./dialect.ts";
import type { Arguments } from "./meaning.ts";
import { CLAUDE_CODE } from "./dialects/claude-code.ts";
import { CODEX } from "./dialects/codex.ts";
import { COPILOT, VS_CODE } from "./dialects/copilot.ts";
import { CURSOR } from "./dialects/cursor.ts";
import { GEMINI } from "./dialects/gemini.ts";
import { OPENCODE, PI } from "./dialects/plugin.ts";
import { KIRO } from "./dialects/kiro.ts";
import { QWEN } from "./dialects/qwen.ts";

/** The agents whose hooks Warder answers, by the names that `warder hook` has for them. */
export const DIALECTS = {
  "claude-code": CLAUDE_CODE,
  codex: CODEX,
  gemini: GEMINI,
  qwen: QWEN,
  cursor: CURSOR,
  copilot: COPILOT,
  vscode: VS_CODE,
  kiro: KIRO,
  opencode: OPENCODE,
  pi: PI,
} as const satisfies Readonly<Record<string, Dialect>>;

export type AgentName = keyof typeof DIALECTS;

export const AGENT_NAMES = Object.keys(DIALECTS) as readonly AgentName[];

export function isAgentName(name: string): name is AgentName {
  return Object.hasOwn(DIALECTS, name);
}

/** Whose event this is, by its form; null: nobody's that is known. Where agents share a form, the tools' names are read alike. */
export function agentOfEvent(event: Arguments): AgentName | null {
  return AGENT_NAMES.find((name) => !isAnybodys(name) && DIALECTS[name].owns(event)) ?? AGENT_NAMES.find((name) => DIALECTS[name].owns(event)) ?? null;
}

// Its form was taken over by others, which say more than it does.
function isAnybodys(name: AgentName): boolean {
  return name === "claude-code";
}
