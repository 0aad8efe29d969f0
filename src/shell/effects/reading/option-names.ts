import type { NewEffect } from "../../model/effects.ts";
import type { OptionNames } from "../../model/model.ts";
import type { Collector } from "./collector.ts";

/** What reads its commands as bash does, and expands their patterns where they run. */
const SHELLS = new Set(["bash", "sh", "dash"]);

/**
 * Records effects that happen only if a pattern matches a file whose name is an option (`-rf`). The shell expands the pattern in the command's
 * directory, unless a wrapper was given the words and runs the command elsewhere.
 */
export function asFound(to: Collector, record: () => void): void {
  const { length } = to.effects;
  record();
  const through = optionNames(to);
  if (through === null) return;
  for (let at = length; at < to.effects.length; at += 1) to.effects[at] = { ...(to.effects[at] as NewEffect), through };
}

function optionNames({ simple: { cwd, via } }: Collector): OptionNames | null {
  const wrapper = via.at(-1);
  if (cwd.kind !== "known" || (wrapper !== undefined && !SHELLS.has(wrapper))) return null;
  return { kind: "option-names", directory: cwd.path };
}
