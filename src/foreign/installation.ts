import { argumentsOf } from "./dialect.ts";
import type { Arguments } from "./meaning.ts";

/** What of an agent's configuration belongs to the hook. */
export type Installation = {
  /** The file that the person's own configuration is in, and the one in a project: below the home, and below the project. A variable moves the first. */
  readonly user: readonly [directory: string, file: string];
  readonly variable: string | null;
  readonly project: string;
  /** The event before a call, as the configuration names it. */
  readonly event: string;
  /** The entry with a command line of the shell. */
  readonly entry: (line: string) => Arguments;
  /** What a person still has to do, and what the agent does not show its hooks. */
  readonly notes: readonly string[];
};

/** Seconds, below every agent's limit, within which the line answers by itself. */
const LINE_SECONDS = 15;
const AGENT_SECONDS = 20;

export const INSTALLATIONS = {
  "claude-code": {
    user: [".claude", "settings.json"],
    variable: "CLAUDE_CONFIG_DIR",
    project: ".claude/settings.json",
    event: "PreToolUse",
    entry: (line) => ({ matcher: "*", hooks: [{ type: "command", command: line, timeout: AGENT_SECONDS, onFailure: "block" }] }),
    notes: ["Files named with @ in a message are read without a hook."],
  },
  codex: {
    user: [".codex", "hooks.json"],
    variable: "CODEX_HOME",
    project: ".codex/hooks.json",
    event: "PreToolUse",
    entry: (line) => ({ matcher: "*", hooks: [{ type: "command", command: line, timeout: AGENT_SECONDS }] }),
    notes: [
      "Codex skips a hook without a word until you trust it: start codex, type /hooks, and trust this one. After every change of the line again.",
      "What is typed into a shell that runs already (write_stdin) is not shown to hooks.",
    ],
  },
  gemini: {
    user: [".gemini", "settings.json"],
    variable: null,
    project: ".gemini/settings.json",
    event: "BeforeTool",
    entry: (line) => ({ matcher: ".*", hooks: [{ name: "warder", type: "command", command: line, timeout: AGENT_SECONDS * 1_000 }] }),
    notes: ["Gemini CLI reads a project's hooks only in a folder that it trusts."],
  },
} as const satisfies Readonly<Record<string, Installation>>;

/**
 * The command line of a hook: whatever keeps it from answering (no Warder, a crash, a kill, a hang) ends it with the code that blocks the call, and with
 * a word on standard error, without which some agents go on.
 */
export function closingLine(warder: string, words: readonly string[]): string {
  return `${answering(warder, words)} || { [ $? = 2 ] || echo 'Warder did not answer, so this call is denied. Check it: warder hook doctor' >&2; exit 2; }`;
}

/** The line of a hook that records only: whatever becomes of it, the agent goes on. */
export function watchingLine(warder: string, words: readonly string[]): string {
  return `${answering(warder, words)} || exit 0`;
}

function answering(warder: string, words: readonly string[]): string {
  return `timeout -k 1 ${String(LINE_SECONDS)} ${[warder, "hook", ...words].map(quoted).join(" ")}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The command lines of this agent's hook that a configuration has. */
export function linesIn(configuration: Arguments, agent: string, { event }: Installation): readonly string[] {
  return groupsOf(configuration, event).flatMap((group) => linesOf(group).filter((line) => isOurs(line, agent)));
}

/** The configuration with the entry, in the place of what was there of this agent's hook. Null: its hooks are no lists of that form. */
export function withHook(configuration: Arguments, agent: string, installation: Installation, line: string): Arguments | null {
  const without = withoutHook(configuration, agent, installation);
  if (without === null) return null;
  const hooks = argumentsOf(without["hooks"] ?? {});
  const groups = hooks === null ? undefined : (hooks[installation.event] ?? []);
  if (hooks === null || !Array.isArray(groups)) return null;
  return { ...without, hooks: { ...hooks, [installation.event]: [...(groups as readonly unknown[]), installation.entry(line)] } };
}

/** The configuration without this agent's hook; lists and objects that are empty then go with it. Null: its hooks are no lists of that form. */
export function withoutHook(configuration: Arguments, agent: string, { event }: Installation): Arguments | null {
  const { hooks: found, ...others } = configuration;
  if (found === undefined) return configuration;
  const hooks = argumentsOf(found);
  if (hooks === null) return null;
  const { [event]: groups, ...events } = hooks;
  if (groups === undefined) return configuration;
  if (!Array.isArray(groups)) return null;
  const ours = (group: unknown): boolean => linesOf(group).some((line) => isOurs(line, agent));
  if (!groups.some(ours)) return configuration;
  const left = (groups as readonly unknown[]).flatMap((group) => (ours(group) ? withoutLine(group, agent) : [group]));
  if (left.length > 0) return { ...configuration, hooks: { ...hooks, [event]: left } };
  return Object.keys(events).length > 0 ? { ...configuration, hooks: events } : others;
}

/** A group that has our line: what else it starts stays. */
function withoutLine(group: unknown, agent: string): readonly unknown[] {
  const { hooks, ...others } = argumentsOf(group) ?? {};
  const left = Array.isArray(hooks) ? hooks.filter((hook) => !isOurs(String(argumentsOf(hook)?.["command"]), agent)) : [];
  return left.length === 0 ? [] : [{ ...others, hooks: left }];
}

function isOurs(line: string, agent: string): boolean {
  return new RegExp(String.raw`(?:\bwarder|\bmain\.[jt]s)'? hook ${agent}(?=$|[ '])`, "u").test(line);
}

function groupsOf(configuration: Arguments, event: string): readonly unknown[] {
  const groups = argumentsOf(configuration["hooks"])?.[event];
  return Array.isArray(groups) ? (groups as readonly unknown[]) : [];
}

function linesOf(group: unknown): readonly string[] {
  const hooks = argumentsOf(group)?.["hooks"];
  return Array.isArray(hooks)
    ? hooks.flatMap((hook) => (typeof argumentsOf(hook)?.["command"] === "string" ? [String(argumentsOf(hook)?.["command"])] : []))
    : [];
}
