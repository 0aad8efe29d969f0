import { spawnSync } from "node:child_process";
import { BLOCK } from "../../foreign/dialect.ts";
import type { AgentName } from "../../foreign/dialects.ts";
import { withoutWarder } from "../../foreign/hook-line.ts";

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

/** Starts an installed line through the shell, as its agent would, with a call that must be refused. Then with a program that succeeds in Warder's place. */
export function tryHook(agent: AgentName, line: string, cwd: string): Tried {
  const input = JSON.stringify(REFUSED[agent](cwd));
  const end = runLine(line, cwd, input);
  if (end.error !== undefined || end.status !== BLOCK) return { isBlocked: false, detail: end.error?.message ?? `it ended with ${endOf(end)}` };
  const without = withoutWarder(line);
  const other = without === null ? null : runLine(without, cwd, input);
  if (other?.status === BLOCK && other.stdout === "") return { isBlocked: true, detail: end.stderr };
  return { isBlocked: false, detail: `another program in Warder's place would let every call go on: warder hook install ${agent}` };
}

type LineEnd = ReturnType<typeof runLine>;

function runLine(line: string, cwd: string, input: string) {
  return spawnSync("/bin/sh", ["-c", line], { cwd, input, timeout: LIMIT_MS, encoding: "utf8" });
}

function endOf({ signal, status, stderr }: LineEnd): string {
  return `${signal ?? String(status)}: ${stderr.trim().split("\n")[0] ?? ""}`;
}
