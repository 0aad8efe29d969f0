import { AGENT_SECONDS } from "../../foreign/hook-line.ts";
import type { HookLine, PluginAgent } from "../../foreign/installation.ts";

/**
 * The file of a plugin, for an agent that has no hooks but runs plugins in its own process. It gives each call to the line and throws unless the answer is an
 * allow; in the shadow it only gives it.
 */
export function pluginText(agent: PluginAgent, { line, isShadow }: HookLine): string {
  return [
    HEAD(agent),
    `const LINE = ${JSON.stringify(line)};`,
    `const LIMIT_MS = ${String(AGENT_SECONDS)} * 1000;`,
    "",
    ASK,
    isShadow ? SHADOW : CLOSED,
    ENTRIES[agent],
  ].join("\n");
}

const HEAD = (agent: string): string => `// Written by: warder hook install ${agent}. Take it out with: warder hook uninstall ${agent}.
import { spawn } from "node:child_process";
`;

const ASK = `// What the hook says of a call; null: it says nothing that can be read, or too late.
function ask(event) {
  const text = JSON.stringify(event);
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", LINE], { stdio: ["pipe", "pipe", "ignore"], detached: true });
    const end = (said) => {
      clearTimeout(timer);
      resolve(said);
    };
    const timer = setTimeout(() => {
      end(null);
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It is over.
      }
    }, LIMIT_MS);
    let answer = "";
    child.on("error", () => end(null));
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (part) => {
      answer += part;
    });
    child.on("close", (exitCode) => {
      try {
        end({ ...JSON.parse(answer), exitCode });
      } catch {
        end(null);
      }
    });
    child.stdin.end(text);
  });
}
`;

const CLOSED = `// Throws unless the answer is an allow.
async function check(call) {
  const said = await ask({ hook_event_name: "PreToolUse", ...call });
  if (said?.decision === "allow" && said.exitCode === 0) return;
  throw new Error(typeof said?.reason === "string" ? said.reason : "Warder did not answer, so this call is denied. Check it: warder hook doctor");
}
`;

const SHADOW = `// Recorded only: whatever the answer is, the call runs.
async function check(call) {
  try {
    await ask({ hook_event_name: "PreToolUse", ...call });
  } catch {
    // The agent goes on.
  }
}
`;

const ENTRIES = {
  opencode: `export const Warder = async ({ directory }) => ({
  "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
    await check({ session_id: sessionID, tool_use_id: callID, cwd: directory, tool_name: tool, tool_input: args });
  },
});
`,
  pi: `export default function (pi) {
  pi.on("tool_call", async ({ toolName, toolCallId, input }, { cwd, sessionManager }) => {
    const session = sessionManager?.getSessionId?.() ?? cwd;
    try {
      await check({ session_id: session, tool_use_id: toolCallId, cwd, tool_name: toolName, tool_input: input });
    } catch (error) {
      return { block: true, reason: error instanceof Error ? error.message : "Warder did not answer." };
    }
  });
}
`,
} as const;
