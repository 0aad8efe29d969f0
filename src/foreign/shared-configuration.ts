import { argumentsOf } from "./dialect.ts";
import { isOurs } from "./hook-line.ts";
import type { HookLine, SharedForm } from "./installation.ts";
import type { Arguments } from "./meaning.ts";

/** The command lines of this agent's hook in a configuration. */
export function linesIn(configuration: Arguments, agent: string, { events }: SharedForm): readonly string[] {
  const hooks = argumentsOf(configuration["hooks"]) ?? {};
  return [...new Set(events.flatMap((event) => ourLines(hooks[event], agent)))];
}

/** The same in a file of any form: among its texts in double quotes. */
export function linesInText(text: string, agent: string): readonly string[] {
  const literals = [...text.matchAll(/"(?:[^"\\\n]|\\[^\n])*"/gu)].flatMap(([literal]) => (isOurs(literal, agent) ? [literal] : []));
  return [...new Set(literals.map(textOfLiteral).filter((line) => line !== null))];
}

function textOfLiteral(literal: string): string | null {
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === "string" ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The configuration with the entries, in the place of what was there of this agent's hook. Null: its hooks are no lists of that form. */
export function withHook(configuration: Arguments, agent: string, form: SharedForm, line: HookLine): Arguments | null {
  const without = withoutHook(configuration, agent, form);
  const hooks = without === null ? null : argumentsOf(without["hooks"] ?? {});
  if (without === null || hooks === null) return null;
  const added: Record<string, unknown> = { ...hooks };
  for (const event of form.events) {
    const entries = added[event] ?? [];
    if (!Array.isArray(entries)) return null;
    added[event] = [...(entries as readonly unknown[]), form.entry(line)];
  }
  return { ...form.base, ...without, hooks: added };
}

/** The configuration without this agent's hook; lists and objects that are empty then go with it. Null: its hooks are no lists of that form. */
export function withoutHook(configuration: Arguments, agent: string, { events, base }: SharedForm): Arguments | null {
  const { hooks: found, ...others } = configuration;
  if (found === undefined) return configuration;
  const hooks = argumentsOf(found);
  if (hooks === null) return null;
  const left: Record<string, unknown> = { ...hooks };
  let isChanged = false;
  for (const event of events) {
    const entries = left[event];
    if (entries === undefined) continue;
    if (!Array.isArray(entries)) return null;
    if (ourLines(entries, agent).length === 0) continue;
    const kept = (entries as readonly unknown[]).flatMap((entry) => withoutLine(entry, agent));
    isChanged = true;
    if (kept.length > 0) left[event] = kept;
    else delete left[event];
  }
  if (!isChanged) return configuration;
  if (Object.keys(left).length > 0) return { ...configuration, hooks: left };
  const isOnlyBase = Object.keys(others).every((key) => others[key] === base[key]);
  return isOnlyBase ? {} : others;
}

/** What is left of an entry without this agent's hook: of a group, what else it starts. */
function withoutLine(entry: unknown, agent: string): readonly unknown[] {
  if (ourLines(entry, agent).length === 0) return [entry];
  const { hooks, ...others } = argumentsOf(entry) ?? {};
  const left = Array.isArray(hooks) ? hooks.filter((hook) => ourLines(hook, agent).length === 0) : [];
  return left.length === 0 ? [] : [{ ...others, hooks: left }];
}

/** The texts of an entry, however deep they stand in it, that start this agent's hook. */
function ourLines(entry: unknown, agent: string): readonly string[] {
  if (typeof entry === "string") return isOurs(entry, agent) ? [entry] : [];
  if (typeof entry !== "object" || entry === null) return [];
  return Object.values(entry).flatMap((value) => ourLines(value, agent));
}
