import type { Dialect } from "./dialect.ts";
import { CLAUDE_CODE } from "./dialects/claude-code.ts";
import { CODEX } from "./dialects/codex.ts";
import { GEMINI } from "./dialects/gemini.ts";

/** The agents whose hooks Warder answers, by the names that `warder hook` has for them. */
export const DIALECTS = {
  "claude-code": CLAUDE_CODE,
  codex: CODEX,
  gemini: GEMINI,
} as const satisfies Readonly<Record<string, Dialect>>;

export type AgentName = keyof typeof DIALECTS;

export const AGENT_NAMES = Object.keys(DIALECTS) as readonly AgentName[];

export function isAgentName(name: string): name is AgentName {
  return Object.hasOwn(DIALECTS, name);
}
