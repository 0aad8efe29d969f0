import type { HookOptions } from "./commands/hook/hook.ts";

/** `hook` and its options, read without the parser of the whole command line. */
export type QuickHook = { readonly agent: string; readonly options: HookOptions };

/** Words that stand where an agent's name does. */
const COMMANDS: ReadonlySet<string> = new Set(["install", "uninstall", "doctor", "help"]);

/**
 * Parses what an agent's configuration holds: `warder hook AGENT` with `--policy F`, `--workspace D`, `--shadow` and `--in-line` in any order. Null for everything
 * else, help and mistakes included: the full parser then reads it, to the same meaning.
 */
export function readQuickHook(argv: readonly string[]): QuickHook | null {
  const [command, agent, ...words] = argv;
  if (command !== "hook" || agent === undefined || agent.startsWith("-") || COMMANDS.has(agent)) return null;
  const options: HookOptions = { policy: "supervised" };
  for (let at = 0; at < words.length; at += 1) {
    if (words[at] === "--shadow" || words[at] === "--in-line") {
      options[words[at] === "--shadow" ? "shadow" : "inLine"] = true;
      continue;
    }
    const value = words[at + 1];
    if (value === undefined || value.startsWith("-")) return null;
    if (words[at] === "--policy") options.policy = value;
    else if (words[at] === "--workspace") options.workspace = value;
    else return null;
    at += 1;
  }
  return { agent, options };
}
