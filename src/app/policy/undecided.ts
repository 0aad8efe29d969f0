import { makeVisibleLine } from "../../base/text.ts";
import type { JudgedCase } from "./suite-cases.ts";

export type Undecided = {
  /** A line for each request, in order of the alphabet: `command git tag a: ask`. */
  readonly requests: readonly string[];
  /** What is decided now and was not when the snapshot was written, and the other way round. Absent: there is no snapshot. */
  readonly since?: { readonly decided: readonly string[]; readonly undecided: readonly string[] };
};

/** What cases ask and no statement of the policy answers, so that the last step decides: autonomy by risk. */
export function undecidedIn(cases: readonly JudgedCase[], snapshot: readonly string[] | null): Undecided {
  const requests = [...new Set(cases.filter(isUndecided).map(lineOf))].toSorted();
  if (snapshot === null) return { requests };
  const since = {
    decided: snapshot.filter((line) => !requests.includes(line)),
    undecided: requests.filter((line) => !snapshot.includes(line)),
  };
  return { requests, since };
}

function isUndecided({ verdict }: JudgedCase): boolean {
  return verdict.rules[0]?.id.startsWith("baseline-") === true;
}

function lineOf({ test: { wanted }, verdict }: JudgedCase): string {
  return `${wanted.kind} ${makeVisibleLine(wanted.text)}: ${verdict.decision}`;
}
