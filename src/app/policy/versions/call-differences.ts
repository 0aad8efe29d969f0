import { type Decided, type Difference, groupOf, GROUPS } from "../../../policy/comparing/difference.ts";
import { strictness } from "../../../policy/deciding/evaluate.ts";

/** One command that both Warders decided. */
export type DecidedCall = { readonly program: string; readonly text: string; readonly before: Decided; readonly after: Decided };

/** Of the calls of one program, so many kinds are told. */
const MAX_KINDS = 6;

/** What differs, a line for each program and kind with the shortest call of it, what widens first. */
export function callDifferences(calls: readonly DecidedCall[], nowMs: number): readonly Difference[] {
  const differing = calls.filter(({ before, after }) => before.verdict !== after.verdict).toSorted((one, other) => one.text.length - other.text.length);
  const programs = [...Map.groupBy(differing, ({ program }) => program)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return programs.flatMap(([program, own]) => ofProgram(program, own, nowMs)).toSorted((one, other) => GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group));
}

function ofProgram(program: string, calls: readonly DecidedCall[], nowMs: number): readonly Difference[] {
  const kinds = Map.groupBy(calls, ({ before, after }) => [before.verdict, after.verdict, before.rule, after.rule].join(" "));
  const part = { what: `program ${program}`, was: null, is: null };
  const found = [...kinds.values()].flatMap(([call]) => (call === undefined ? [] : [call]));
  const differences = found
    .map(({ text, before, after }) => ({
      group: groupOf(before.verdict, after.verdict),
      direction: strictness(after.verdict) < strictness(before.verdict) ? ("widens" as const) : ("tightens" as const),
      part,
      witness: { wanted: { kind: "command" as const, text }, circumstances: { containment: "profile" as const, seen: [], nowMs }, before, after },
    }))
    .toSorted((one, other) => Number(other.direction === "widens") - Number(one.direction === "widens"));
  const [hidden] = differences.slice(MAX_KINDS);
  if (hidden === undefined) return differences;
  const why = `${String(differences.length - MAX_KINDS)} more kinds of its calls are decided differently, by other rules, and are not shown`;
  return [
    ...differences.slice(0, MAX_KINDS),
    { group: hidden.group, direction: hidden.direction, part: { ...part, what: `further calls of ${program}` }, why },
  ];
}
