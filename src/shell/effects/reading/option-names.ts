import type { NewEffect } from "../../model/effects.ts";
import type { OptionNames } from "../../model/model.ts";
import type { Collector } from "./collector.ts";

/** What reads its commands as bash does, and expands their patterns where they run. */
const SHELLS = new Set(["bash", "sh", "dash"]);

/**
 * Records what comes about only where a pattern finds a name that is an option's: a shell expands it in the directory that the command
 * stands in, unless a wrapper was given the words and leads elsewhere.
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
