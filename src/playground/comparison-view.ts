import { makeVisibleLine } from "../base/text.ts";
import type { Decided, Difference, Direction, Outcome } from "../policy/comparing/difference.ts";
import { circumstanceText, GROUP_TITLES, OUTCOME_TEXTS, partText, wantedText } from "../policy/printing/difference-words.ts";
import type { Verdict } from "../policy/decision.ts";
import { inShort } from "./places.ts";

export type ComparisonView = {
  readonly outcome: Outcome;
  /** `widens`, in a person's words. */
  readonly title: string;
  readonly groups: readonly { readonly title: string; readonly parts: readonly PartView[] }[];
};

/** What differs between the texts, with the calls that show it. */
export type PartView = {
  readonly direction: Direction;
  readonly text: string;
  /** `after.yaml:12`; empty for what is stated nowhere. */
  readonly at: string;
  readonly why: string;
  readonly witnesses: readonly { readonly text: string; readonly when: string; readonly before: DecidedView; readonly after: DecidedView }[];
};

type DecidedView = { readonly verdict: Verdict; readonly rule: string };

export function comparisonView(differences: readonly Difference[], outcome: Outcome, nowMs: number): ComparisonView {
  const groups = [...Map.groupBy(differences, ({ group }) => group)].map(([group, found]) => ({
    title: GROUP_TITLES[group],
    parts: [...Map.groupBy(found, ({ part }) => JSON.stringify(part)).values()].flatMap((same) => partView(same, nowMs)),
  }));
  return { outcome, title: OUTCOME_TEXTS[outcome], groups };
}

function partView(same: readonly Difference[], nowMs: number): readonly PartView[] {
  const [first] = same;
  if (first === undefined) return [];
  const { part, direction, why = "" } = first;
  return [
    {
      direction,
      text: inShort(makeVisibleLine(partText(part))),
      at: part.at === undefined ? "" : `${part.at.file}:${String(part.at.line)}`,
      why,
      witnesses: same.flatMap(({ witness }) => {
        if (witness === undefined) return [];
        const { wanted, circumstances, before, after } = witness;
        return [
          {
            text: inShort(makeVisibleLine(wantedText(wanted))),
            when: circumstanceText(circumstances, nowMs),
            before: decidedView(before),
            after: decidedView(after),
          },
        ];
      }),
    },
  ];
}

function decidedView({ verdict, rule }: Decided): DecidedView {
  return { verdict, rule };
}
