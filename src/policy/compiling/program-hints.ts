import { PROGRAMS } from "../../programs/programs.ts";
import type { CommandRule, Policy } from "../policy.ts";
import { type PolicyDiagnostic, warningAt } from "../text/diagnostic.ts";

/** Rules about a program that nobody knows, with the name of a known one but for a slip: such a rule decides nothing, and a reviewer reads the other name. */
export function programHints({ commands: { rules } }: Policy): readonly PolicyDiagnostic[] {
  return rules.flatMap((rule) => {
    const name = rule.group === undefined ? programOf(rule) : null;
    if (name === null || PROGRAMS.find(name) !== undefined) return [];
    const meant = PROGRAMS.names.find((known) => isSlip(name, known));
    if (meant === undefined) return [];
    return [
      warningAt(rule.at, "unknown-program", `The rule \`${rule.id}\` is about \`${name}\`, and no program is known by that name; \`${meant}\` is.`, {
        why: "The rule says nothing about the program that a reviewer takes it for.",
        remedy: `If \`${meant}\` is meant, write that.`,
      }),
    ];
  });
}

function programOf({ words: [first] }: CommandRule): string | null {
  return first?.kind === "word" && !/[*?[(/]/u.test(first.glob) ? first.glob : null;
}

/** Shorter names differ by a letter on purpose. */
const FEWEST_LETTERS = 5;

/** Whether one is the other with letters that look alike, two letters the wrong way round, or, in a longer name, a letter too many or too few. */
function isSlip(written: string, known: string): boolean {
  if (alike(written) === alike(known)) return true;
  if (written.length === known.length) {
    const at = [...written].findIndex((letter, index) => letter !== known[index]);
    const turned = `${written.slice(0, at)}${written[at + 1] ?? ""}${written[at] ?? ""}${written.slice(at + 2)}`;
    return written.length > 2 && turned === known;
  }
  const [long, short] = written.length > known.length ? [written, known] : [known, written];
  if (long.length - short.length !== 1 || short.length < FEWEST_LETTERS) return false;
  const at = [...long].findIndex((letter, index) => letter !== short[index]);
  return long.slice(0, at) + long.slice(at + 1) === short;
}

function alike(name: string): string {
  return name.replaceAll(/[I1|]/gu, "l").replaceAll(/[0O]/gu, "o").replaceAll("_", "-").toLowerCase();
}
