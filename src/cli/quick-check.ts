import type { CheckOptions } from "./commands/check/check.ts";

/** `check` and its options, read without the parser of the whole command line. */
export type QuickCheck = { readonly command: string | undefined; readonly options: CheckOptions };

/**
 * Parses the plainest forms of `warder check`, which other agents start for every call: one command or `--jsonl`, and `--policy F`, `--workspace D` and
 * `--containment none|profile` in any order. Null for everything else, help and mistakes included: the full parser then reads it, to the same meaning.
 */
export function readQuickCheck(argv: readonly string[]): QuickCheck | null {
  if (argv[0] !== "check") return null;
  const options: CheckOptions = { policy: "supervised", workspace: ".", containment: "profile" };
  let command: string | undefined;
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (!word.startsWith("-")) {
      if (command !== undefined) return null;
      command = word;
      continue;
    }
    if (word === "--jsonl") {
      options.jsonl = true;
      continue;
    }
    const value = argv[at + 1];
    if (value === undefined || value.startsWith("-")) return null;
    at += 1;
    if (word === "--policy") options.policy = value;
    else if (word === "--workspace") options.workspace = value;
    else if (word === "--containment" && (value === "none" || value === "profile")) options.containment = value;
    else return null;
  }
  return (command === undefined) === (options.jsonl === true) ? { command, options } : null;
}
