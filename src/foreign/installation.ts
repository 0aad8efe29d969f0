import { AGENT_SECONDS } from "./hook-line.ts";
import type { Arguments } from "./meaning.ts";

/** Where an agent's configuration is, and what of it belongs to the hook. */
export type Installation = {
  /** The file that the person's own configuration is in, and the one in a project: below the home, and below the project. A variable moves the first. */
  readonly user: readonly [directory: string, file: string];
  readonly variable: string | null;
  readonly project: string;
  readonly form: SharedForm | OwnForm | PluginForm;
  /** What a person still has to do, and what the agent does not show its hooks. */
  readonly notes: readonly string[];
};

export type HookLine = { readonly line: string; readonly isShadow: boolean };

/** A file of JSON with a list for each event, in which others have entries, too. */
export type SharedForm = {
  readonly kind: "shared";
  /** The events before a call, as the configuration names them. */
  readonly events: readonly string[];
  /** What such a file has besides. */
  readonly base: Arguments;
  readonly entry: (line: HookLine) => Arguments;
};

/** A file that is the hook's alone. */
export type OwnForm = { readonly kind: "own"; readonly text: (line: HookLine) => string };

/** A plugin that the agent runs in its own process, in a file of its own. */
export type PluginForm = { readonly kind: "plugin"; readonly agent: PluginAgent };
export type PluginAgent = "opencode" | "pi";

const NOT_TRIED = "Written from this agent's documentation and not tried with the agent itself: see what it does with a call that must be refused.";

const grouped = (events: readonly string[], more: (line: HookLine) => Arguments, matcher = "*"): SharedForm => ({
  kind: "shared",
  events,
  base: {},
  entry: (line) => ({ matcher, hooks: [{ type: "command", command: line.line, ...more(line) }] }),
});

const own = (document: (line: HookLine) => Arguments): OwnForm => ({ kind: "own", text: (line) => `${JSON.stringify(document(line), null, 2)}\n` });

export const INSTALLATIONS = {
  "claude-code": {
    user: [".claude", "settings.json"],
    variable: "CLAUDE_CONFIG_DIR",
    project: ".claude/settings.json",
    form: grouped(["PreToolUse"], () => ({ timeout: AGENT_SECONDS, onFailure: "block" })),
    notes: ["Files named with @ in a message are read without a hook."],
  },
  codex: {
    user: [".codex", "hooks.json"],
    variable: "CODEX_HOME",
    project: ".codex/hooks.json",
    form: grouped(["PreToolUse"], () => ({ timeout: AGENT_SECONDS })),
    notes: [
      "Codex skips a hook without a word until you trust it: start codex, type /hooks, and trust this one. After every change of the line again.",
      "What is typed into a shell that runs already (write_stdin) is not shown to hooks.",
    ],
  },
  gemini: {
    user: [".gemini", "settings.json"],
    variable: null,
    project: ".gemini/settings.json",
    form: {
      ...grouped(["BeforeTool"], () => ({})),
      entry: ({ line }) => ({ matcher: ".*", hooks: [{ name: "warder", type: "command", command: line, timeout: AGENT_SECONDS * 1_000 }] }),
    },
    notes: ["Gemini CLI reads a project's hooks only in a folder that it trusts."],
  },
  qwen: {
    user: [".qwen", "settings.json"],
    variable: null,
    project: ".qwen/settings.json",
    form: grouped(["PreToolUse"], () => ({ timeout: AGENT_SECONDS * 1_000 })),
    notes: [],
  },
  cursor: {
    user: [".cursor", "hooks.json"],
    variable: null,
    project: ".cursor/hooks.json",
    form: {
      kind: "shared",
      events: ["beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"],
      base: { version: 1 },
      // In the shadow nothing that fails may block.
      entry: ({ line, isShadow }) => ({ command: line, timeout: AGENT_SECONDS, failClosed: !isShadow }),
    },
    notes: [NOT_TRIED, "A file that is open in the editor may be read without a hook."],
  },
  copilot: {
    user: [".copilot", "hooks/warder.json"],
    variable: null,
    project: ".github/hooks/warder.json",
    form: own(({ line }) => ({ version: 1, hooks: { preToolUse: [{ type: "command", bash: line, timeoutSec: AGENT_SECONDS }] } })),
    notes: ["Copilot CLI goes on when a hook reaches the agent's time limit; the line ends before."],
  },
  kiro: {
    user: [".kiro", "hooks/warder.json"],
    variable: null,
    project: ".kiro/hooks/warder.json",
    form: own(({ line }) => ({
      version: "v1",
      hooks: [{ name: "warder", trigger: "PreToolUse", action: { type: "command", command: line }, timeout: AGENT_SECONDS }],
    })),
    notes: [NOT_TRIED, "This is the form of version 3. Version 2 has its hooks in the file of each of its agents: docs/agents has the lines."],
  },
  opencode: {
    user: [".config", "opencode/plugins/warder.ts"],
    variable: "XDG_CONFIG_HOME",
    project: ".opencode/plugins/warder.ts",
    form: { kind: "plugin", agent: "opencode" },
    notes: [],
  },
  pi: {
    user: [".pi/agent", "extensions/warder.ts"],
    variable: "PI_CODING_AGENT_DIR",
    project: ".pi/extensions/warder.ts",
    form: { kind: "plugin", agent: "pi" },
    notes: ["What you type yourself behind ! is not asked about."],
  },
} as const satisfies Readonly<Record<string, Installation>>;

/** The installation of an agent by its name; null: it has no configuration of its own. */
export function installationOf(agent: string): Installation | null {
  const all: Readonly<Record<string, Installation>> = INSTALLATIONS;
  return Object.hasOwn(all, agent) ? (all[agent] ?? null) : null;
}
