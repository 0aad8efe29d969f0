import { matchesGlob, parseGlob } from "../matching/glob.ts";
import { type PolicyDiagnostic, warningAt } from "../text/diagnostic.ts";
import { lowerName, TOOL_NAMES } from "../tool-names.ts";
import type { Stated } from "./statement.ts";

const NAMES: readonly (readonly [string, readonly string[]])[] = Object.entries(TOOL_NAMES);

/** Of a foreign tool's name: `SERVER__TOOL`. */
const OF_SERVER = /^@([A-Za-z0-9][A-Za-z0-9_.-]*?)(?:\/([A-Za-z0-9_.*-]+))?$/u;
const BUILT_IN = "@builtin";

/**
 * A person's pattern as patterns of the tools' own names: an alias (`bash`) stands for its tool (`shell`), a glob for each tool whose alias it matches, `@builtin`
 * for all of Warder's own, `@server` and `@server/glob` for those of a server.
 */
export function ownToolNames(written: string): readonly string[] {
  const pattern = lowerName(written);
  if (pattern === BUILT_IN) return NAMES.map(([name]) => name);
  const [, server, tool = "*"] = OF_SERVER.exec(pattern) ?? [];
  if (server !== undefined) return [`${server}__${tool}`];
  const glob = parseGlob(pattern);
  const named = NAMES.filter(([name, aliases]) => !matchesGlob(glob, name) && aliases.some((alias) => matchesGlob(glob, alias))).map(([name]) => name);
  return named.length === 0 ? [pattern] : pattern.includes("*") ? [pattern, ...named] : named;
}

/** Whether one of a person's patterns stands for a tool of this name. */
export function toolMatcher(patterns: readonly string[]): (tool: string) => boolean {
  const globs = patterns.flatMap(ownToolNames).map(parseGlob);
  return (tool) => globs.some((glob) => matchesGlob(glob, tool));
}

/** Whether a pattern stands for a tool of Warder's own, by its name or an alias. */
export function isNamedTool(pattern: string): boolean {
  const glob = parseGlob(lowerName(pattern));
  return NAMES.some(([name, aliases]) => [name, ...aliases].some((each) => matchesGlob(glob, each)));
}

/** Why a text is no pattern of tools. */
export function toolFault(pattern: string): string | null {
  return pattern === BUILT_IN || OF_SERVER.test(pattern) || /^[A-Za-z0-9_.*-]+$/u.test(pattern) ? null : "it is no name of a tool";
}

/**
 * A warning for each denied tool that does not exist: a misspelt name denies nothing. No error, as the policy may be written for another version.
 * A name with `__` belongs to a foreign tool, and is not known beforehand.
 */
export function toolWarnings(denied: readonly Stated<string>[]): readonly PolicyDiagnostic[] {
  return denied.flatMap(({ value, at }) => {
    if (value.includes("__") || isNamedTool(value)) return [];
    return warningAt(at, "unknown-tool", `\`${value}\` denies no tool of this version of Warder.`, {
      why: "A name that no tool has denies nothing.",
      remedy: `The tools are ${NAMES.map(([name]) => name).join(", ")}, and foreign ones, which have \`__\` in their names.`,
    });
  });
}
