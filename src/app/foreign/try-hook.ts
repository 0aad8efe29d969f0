import { spawnSync } from "node:child_process";
import type { AgentName } from "../../foreign/dialects.ts";

/** What came of an event that an installed line was given, as its agent would give it. */
export type Tried = { readonly isBlocked: boolean; readonly detail: string };

const LIMIT_MS = 25_000;

/** A call that no policy allows. It is never run: only the hook is asked. */
const REFUSED: Readonly<Record<AgentName, (cwd: string) => unknown>> = {
  "claude-code": (cwd) => ({ ...base(cwd), hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "rm -rf --no-preserve-root /" } }),
  codex: (cwd) => ({ ...base(cwd), hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "rm -rf --no-preserve-root /" } }),
  gemini: (cwd) => ({
    ...base(cwd),
    hook_event_name: "BeforeTool",
    tool_name: "run_shell_command",
    tool_input: { command: "rm -rf --no-preserve-root /" },
  }),
};

const base = (cwd: string): object => ({ session_id: "warder-hook-doctor", cwd, permission_mode: "default", tool_use_id: "warder-hook-doctor" });

/** Starts an installed line through the shell, as its agent would, with a call that must be refused. */
export function tryHook(agent: AgentName, line: string, cwd: string): Tried {
  const end = spawnSync("/bin/sh", ["-c", line], { cwd, input: JSON.stringify(REFUSED[agent](cwd)), timeout: LIMIT_MS, encoding: "utf8" });
  const said = end.stderr.trim().split("\n")[0] ?? "";
  if (end.error !== undefined) return { isBlocked: false, detail: end.error.message };
  return { isBlocked: end.status === 2, detail: end.status === 2 ? said : `it ended with ${end.signal ?? String(end.status)}: ${said}` };
}
