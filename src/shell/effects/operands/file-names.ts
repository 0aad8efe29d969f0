import type { NewEffect } from "../../model/effects.ts";
import type { OptionNames } from "../../model/model.ts";
import type { Collector } from "../reading/collector.ts";

/**
 * Names that every program takes for a file: no option (`-f`, `+cmd`), no assignment (`a=b`), no list of words (`@f`), no host (`h:f`), no address, no
 * operator (`!`, `(`), nothing that a program expands once more.
 */
export const ORDINARY_NAMES = /^[\p{L}\p{N}_.][\p{L}\p{N}\p{M}_., +~#()[\]{}&'-]*$/u;

/**
 * Visible ASCII without quotes and backslashes: in every locale xargs takes it for a word, as it stands, and so does a shell that splits it, but for patterns.
 * What begins with a dot is none: bash before 5.2 finds `..` by `.[.]`.
 */
export const PLAIN_NAMES = /^(?!(?:.*\/)?\.[^/]*[*?[(])[!#-&(-[\]-~]+$/;

/** The same for what stands at the beginning of a word: whatever lies below, its first name is one that every program takes for a file. */
export const BARE_NAMES = /^(?!(?:.*\/)?\.[^/]*[*?[(])[\w.][\w.,+~#()[\]{}&-]*(?:\/[!#-&(-[\]-~]*)?$/;

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
