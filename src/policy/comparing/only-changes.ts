import type { UnitDecision } from "../decision.ts";
import type { Policy } from "../policy.ts";
import type { Change } from "./change.ts";
import { ALL_EXAMPLES } from "./examples.ts";
import type { Wanted } from "./wanted.ts";

/** The programs that only one of the two policies lists. */
export function onlyChanges(before: Policy, after: Policy): readonly Change[] {
  const [older, newer] = [before.commands.only, after.commands.only];
  if (older === null && newer === null) return [];
  const at = after.commands.onlyAt ?? before.commands.onlyAt ?? undefined;
  const isCauseOf = (one: UnitDecision, other: UnitDecision): boolean => [one, other].some(({ rule }) => rule.id === "only");
  if (older === null || newer === null) {
    const part = {
      what: "commands.only",
      was: older === null ? "every program" : listText(older),
      is: newer === null ? "every program" : listText(newer),
      ...(at === undefined ? {} : { at }),
    };
    return [
      {
        part,
        mayLoosen: newer === null,
        mayTighten: older === null,
        candidates: [...(older ?? newer ?? []).flatMap(usesOf), ...ALL_EXAMPLES, { kind: "command", text: "warder-nothing" }],
        isCauseOf,
      },
    ];
  }
  const change = (program: string, isGone: boolean): Change => ({
    part: { what: `program ${program}`, was: isGone ? "listed" : null, is: isGone ? null : "listed", ...(at === undefined ? {} : { at }) },
    mayLoosen: !isGone,
    mayTighten: isGone,
    candidates: usesOf(program),
    isCauseOf: (one, other) => isCauseOf(one, other) && [one, other].some(({ unit }) => unit.subject.includes(program) || unit.kind !== "command"),
  });
  return [
    ...newer.filter((program) => !older.includes(program)).map((program) => change(program, false)),
    ...older.filter((program) => !newer.includes(program)).map((program) => change(program, true)),
  ];
}

function listText(programs: readonly string[]): string {
  return programs.slice(0, 8).join(", ") + (programs.length > 8 ? `, and ${String(programs.length - 8)} more` : "");
}

function usesOf(program: string): readonly Wanted[] {
  return [program, `${program} a`, `${program} -a`, `${program} a b`, `${program} ls`].map((text) => ({ kind: "command", text }));
}
