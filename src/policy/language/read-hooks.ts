import { CALL_HOOK_POINTS, type CommandHook } from "../hook.ts";
import { errorAt } from "../text/diagnostic.ts";
import { durationMs } from "../text/quantity.ts";
import type { HookDocument } from "./hook-schema.ts";
import { type Path, type Reading, readList } from "./reading-context.ts";
import { isNamedTool, ownToolNames, toolFault } from "./tool-patterns.ts";

const DEFAULT_TIMEOUT_MS = 10_000;

/** The hooks of a file. `path`: where the list stands in it. */
export function readHooks(hooks: readonly HookDocument[], path: Path, reading: Pick<Reading, "at" | "problems">): readonly CommandHook[] {
  return hooks.flatMap((hook, index) => readHook(hook, [...path, index], reading));
}

function readHook(hook: HookDocument, path: Path, reading: Pick<Reading, "at" | "problems">): CommandHook[] {
  const problem = (key: string, message: string, remedy: string): void =>
    void reading.problems.push(errorAt(reading.at([...path, key]), `The hook \`${hook.id}\` ${message}.`, { remedy }));
  const { command, script, tools, on } = hook;
  if ((command === undefined) === (script === undefined))
    problem("id", "must have either `command` or `script`", "Name a program with its words, or write the script here.");
  const hasCalls = on.some((point) => CALL_HOOK_POINTS.has(point));
  if (tools !== undefined && !hasCalls)
    problem("tools", "names tools, and runs at no point that concerns a call", `Say \`on\`: ${[...CALL_HOOK_POINTS].join(", ")}.`);
  if (hook.rewrite === true && !on.includes("before-tool"))
    problem("rewrite", "may change arguments, and does not run before a call", "Add `before-tool` to `on`.");
  for (const text of [...(command ?? []), script ?? ""])
    if (text.includes("\0") || !text.isWellFormed()) problem("id", "has a word with NUL or broken characters", "Leave it out.");
  if (tools !== undefined) readList(tools, [...path, "tools"], reading, patternFault);
  const argv = command ?? ["sh", "-c", script ?? ""];
  return [
    {
      id: hook.id,
      on,
      tools: tools?.flatMap(ownToolNames) ?? null,
      argv,
      timeoutMs: durationMs(hook.timeout ?? "") ?? DEFAULT_TIMEOUT_MS,
      cacheMs: durationMs(hook.cache ?? "") ?? 0,
      mayRewrite: hook.rewrite ?? false,
      because: hook.because,
      at: reading.at(path),
    },
  ];
}

/** A pattern that stands for no tool would be a check that is never made. A name with `__` belongs to a foreign tool, and is not known beforehand. */
function patternFault(pattern: string): string | null {
  const fault = toolFault(pattern);
  if (fault !== null || pattern.includes("__") || isNamedTool(pattern)) return fault;
  return "no tool of Warder has this name; for a tool of an embedding program leave `tools` out";
}
