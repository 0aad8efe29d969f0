import type { GrantPattern } from "../../approvals/card.ts";
import { openWords } from "../../shell/effects/read-program.ts";
import type { SimpleCommand } from "../../shell/model/model.ts";

/** Stands for one operand, and never for an option: those are part of what a person granted. */
const OPEN = "*";

/** Words that stand for themselves in a rule: no wildcard, no quote, no blank. */
export const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/u;

/** `git commit -m *` for `git commit -m "fix"`: all but operands and plain values stays. Null where that would be a whole program, or no rule. */
export function openPattern(simple: SimpleCommand): string | null {
  const open = openWords(simple);
  if (open === null || !open.program.includes(" ") || open.at.size === 0) return null;
  const words = simple.argv.map((word, index) => (open.at.has(index) ? OPEN : word.kind === "literal" ? word.value : ""));
  return words.every((word) => word === OPEN || PLAIN_WORD.test(word)) ? words.join(" ") : null;
}

export function hasOpenWords({ pattern }: GrantPattern): boolean {
  return pattern.split(" ").includes(OPEN);
}

/** Whether every open word of a pattern stands, in this command, where its program takes an operand and no option or subcommand. */
export function fillsOperands({ pattern }: GrantPattern, simple: SimpleCommand): boolean {
  const at = pattern.split(" ").flatMap((word, index) => (word === OPEN ? [index] : []));
  if (at.length === 0) return true;
  const open = openWords(simple);
  return open !== null && at.every((index) => open.at.has(index) && !startsAsOption(simple, index));
}

/** Behind `--` it is an operand to the program, and not to a person who granted `*`. */
function startsAsOption({ argv }: SimpleCommand, index: number): boolean {
  const word = argv[index];
  return word?.kind !== "literal" || /^[-+]/u.test(word.value);
}
