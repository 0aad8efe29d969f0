import { spawnSync } from "node:child_process";
import type { AgentName } from "../../foreign/dialects.ts";

/** What came of an event that an installed line was given, as its agent would give it. */
export type Tried = { readonly isBlocked: boolean; readonly detail: string };

const LIMIT_MS = 25_000;

/** A call that no policy allows. It is never run: only the hook is asked. */
const COMMAND = "rm -rf --no-preserve-root /";
const NAME = "warder-hook-doctor";

const named =
  (event: string, tool: string) =>
  (cwd: string): unknown => ({
    session_id: NAME,
    cwd,
    permission_mode: "default",
    tool_use_id: NAME,
    hook_event_name: event,
    tool_name: tool,
    tool_input: { command: COMMAND },
  });

const REFUSED: Readonly<Record<AgentName, (cwd: string) => unknown>> = {
  "claude-code": named("PreToolUse", "Bash"),
  codex: named("PreToolUse", "Bash"),
  gemini: named("BeforeTool", "run_shell_command"),
  qwen: named("PreToolUse", "run_shell_command"),
  cursor: (cwd) => ({ conversation_id: NAME, hook_event_name: "beforeShellExecution", workspace_roots: [cwd], cwd, command: COMMAND }),
  copilot: (cwd) => ({ sessionId: NAME, timestamp: 0, cwd, toolName: "bash", toolArgs: { command: COMMAND } }),
  vscode: named("PreToolUse", "run_in_terminal"),
  kiro: named("preToolUse", "execute_bash"),
  opencode: named("PreToolUse", "bash"),
  pi: named("PreToolUse", "bash"),
};

/** Starts an installed line through the shell, as its agent would, with a call that must be refused. */
export function tryHook(agent: AgentName, line: string, cwd: string): Tried {
  const end = spawnSync("/bin/sh", ["-c", line], { cwd, input: JSON.stringify(REFUSED[agent](cwd)), timeout: LIMIT_MS, encoding: "utf8" });
  const said = end.stderr.trim().split("\n")[0] ?? "";
  if (end.error !== undefined) return { isBlocked: false, detail: end.error.message };
  return { isBlocked: end.status === 2, detail: end.status === 2 ? said : `it ended with ${end.signal ?? String(end.status)}: ${said}` };
}
