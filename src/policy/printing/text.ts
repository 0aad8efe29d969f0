import type { SourcePosition } from "../decision.ts";
import { flowYaml } from "../text/yaml-writing.ts";
import type { EffectiveEntry } from "./entries.ts";

/** Where the origins stand, unless a line is longer. */
const ORIGIN_COLUMN = 58;
/** What is longer is written with a line for each of its keys. */
const MAX_FLOW = 48;

/** The entries as the text of a policy file, which loads as the same policy. Behind each line: who says it. */
export function effectiveText(name: string, entries: readonly EffectiveEntry[]): string {
  const lines = ["version: 1", `name: ${name}`];
  let open: readonly string[] = [];
  for (const { path, isInList, value, at } of entries) {
    const shared = path.findIndex((key, index) => open[index] !== key);
    const first = shared === -1 ? path.length : shared;
    const keys = isInList ? path : path.slice(0, -1);
    for (let depth = first; depth < keys.length; depth += 1) lines.push(`${indent(depth)}${keys[depth] as string}:`);
    open = path;
    const [head, ...rest] = isInList ? item(value, indent(path.length)) : [`${indent(path.length - 1)}${path.at(-1) as string}: ${flowYaml(value)}`];
    lines.push(withOrigin(head as string, at), ...rest);
  }
  return `${lines.join("\n")}\n`;
}

/** One entry on a line, without its origin: `commands.effects.deletes: ask`. */
export function entryText({ path, value }: EffectiveEntry): string {
  return `${path.join(".")}: ${flowYaml(value)}`;
}

function item(value: unknown, margin: string): readonly string[] {
  const flow = flowYaml(value);
  if (typeof value !== "object" || value === null || flow.length <= MAX_FLOW) return [`${margin}- ${flow}`];
  return Object.entries(value).map(([key, part], index) => `${margin}${index === 0 ? "- " : "  "}${key}: ${flowYaml(part)}`);
}

function indent(depth: number): string {
  return "  ".repeat(depth);
}

function withOrigin(line: string, at: SourcePosition | null): string {
  return `${line.padEnd(ORIGIN_COLUMN)} # ${at === null ? "default" : `${at.file}:${String(at.line)}`}`;
}
