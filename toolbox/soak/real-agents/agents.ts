import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentName } from "../../../src/foreign/dialects.ts";
import type { AgentCall } from "./model.ts";

/** How a real agent is started without an account, and what it calls its tools. */
export type RealAgent = {
  readonly program: string;
  readonly shell: (command: string) => AgentCall;
  /** How the tool of the MCP server is called where it is not offered from the start. */
  readonly served?: AgentCall;
  /** It never writes outside of its project. */
  readonly isBound?: true;
  /** With these words its questions are not put through itself, and get a number. */
  readonly numbered?: readonly string[];
  /** Writes a file. */
  readonly edit: (path: string) => AgentCall;
  readonly argv: (home: string) => readonly string[];
  readonly environment: (url: string) => Readonly<Record<string, string>>;
  /** Files below the home. `server`: the command line of an MCP server of the name `danger`. */
  readonly files: (url: string, server: readonly string[]) => Readonly<Record<string, string>>;
};

const json = (value: unknown): string => JSON.stringify(value);
const stdio = ([command, ...args]: readonly string[]): object => ({ mcpServers: { danger: { command, args } } });

export const REAL_AGENTS: Readonly<Partial<Record<AgentName, RealAgent>>> = {
  "claude-code": {
    program: "claude",
    numbered: ["--permission-mode", "bypassPermissions"],
    shell: (command) => ({ name: "Bash", input: { command, description: "x" } }),
    edit: (file_path) => ({ name: "Write", input: { file_path, content: "x" } }),
    argv: (home) => ["-p", "do it", "--mcp-config", join(home, "mcp.json"), "--allowedTools", "Bash Write mcp__danger", "--output-format", "json"],
    environment: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "x", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", ENABLE_TOOL_SEARCH: "false" }),
    files: (_url, server) => ({ "mcp.json": json(stdio(server)) }),
  },
  codex: {
    program: "codex",
    shell: (cmd) => ({ name: "exec_command", input: { cmd } }),
    edit: (path) => ({ name: "apply_patch", input: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch` }),
    served: { name: "explode", input: {}, namespace: "mcp__danger" },
    argv: () => ["exec", "--skip-git-repo-check", "--json", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "do it"],
    environment: () => ({ MOCK_KEY: "x" }),
    files: (url, [command, ...args]) => ({
      ".codex/config.toml": [
        'model_provider="mock"',
        'model="gpt-5.5"',
        "[model_providers.mock]",
        `name="mock"\nbase_url="${url}/v1"\nwire_api="responses"\nenv_key="MOCK_KEY"\nsupports_websockets=false`,
        "[mcp_servers.danger]",
        `command=${json(command)}\nargs=${json(args)}`,
      ].join("\n"),
    }),
  },
  gemini: {
    program: "gemini",
    isBound: true,
    shell: (command) => ({ name: "run_shell_command", input: { command } }),
    edit: (file_path) => ({ name: "write_file", input: { file_path, content: "x" } }),
    argv: () => ["-p", "do it", "--yolo", "--skip-trust", "-m", "gemini-2.5-pro"],
    environment: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "x" }),
    files: (_url, server) => ({ ".gemini/settings.json": json({ ...stdio(server), security: { auth: { selectedType: "gemini-api-key" } } }) }),
  },
  qwen: {
    program: "qwen",
    shell: (command) => ({ name: "run_shell_command", input: { command, is_background: false } }),
    edit: (file_path) => ({ name: "write_file", input: { file_path, content: "x" } }),
    served: { name: "mcp__danger__explode", input: {} },
    argv: () => ["--yolo", "--auth-type", "openai", "-m", "scripted", "do it"],
    environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "x" }),
    files: (_url, server) => ({ ".qwen/settings.json": json(stdio(server)) }),
  },
  copilot: {
    program: "copilot",
    shell: (command) => ({ name: "bash", input: { command, description: "x" } }),
    edit: (path) => ({ name: "create", input: { path, file_text: "x" } }),
    argv: () => ["-p", "do it", "--allow-all-tools", "--allow-all-paths", "--no-auto-update"],
    environment: (url) => ({ COPILOT_OFFLINE: "true", COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_API_KEY: "x", COPILOT_MODEL: "scripted" }),
    files: (_url, [command, ...args]) => ({ ".copilot/mcp-config.json": json({ mcpServers: { danger: { type: "local", command, args, tools: ["*"] } } }) }),
  },
  opencode: {
    program: "opencode",
    shell: (command) => ({ name: "bash", input: { command, description: "x" } }),
    edit: (filePath) => ({ name: "write", input: { filePath, content: "x" } }),
    argv: () => ["run", "--auto", "-m", "mock/scripted", "do it"],
    environment: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    files: (url, command) => ({
      ".config/opencode/opencode.json": json({
        provider: {
          mock: { npm: "@ai-sdk/openai-compatible", name: "mock", options: { baseURL: `${url}/v1`, apiKey: "x" }, models: { scripted: { name: "scripted" } } },
        },
        mcp: { danger: { type: "local", command, enabled: true } },
      }),
    }),
  },
  pi: {
    program: "pi",
    shell: (command) => ({ name: "bash", input: { command } }),
    edit: (path) => ({ name: "write", input: { path, content: "x" } }),
    argv: () => ["-p", "--model", "mock/scripted", "do it"],
    environment: () => ({ PI_OFFLINE: "1" }),
    files: (url, [command, ...args]) => ({
      ".pi/agent/models.json": json({
        providers: { mock: { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: "x", models: [{ id: "scripted" }] } },
      }),
      ".pi/agent/mcp.json": json({ mcpServers: { danger: { command, args, exposure: "direct" } } }),
    }),
  },
};

export function writeFiles(home: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
}
