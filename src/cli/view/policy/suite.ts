import type { SuiteReport } from "../../../app/policy/suite.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { counted, paint } from "../style.ts";
import { unconfirmedLines } from "./unconfirmed.ts";

/** What came of a policy's suite: each case that failed with both decisions, what no case met, what nothing would notice, and the sums. */
export function suiteText(report: SuiteReport): string {
  const { cases, rules, effects, mutants, unconfirmed, undecided } = report;
  const failed = cases.filter(({ isMet }) => !isMet);
  const unmet = rules.filter(({ isMet }) => !isMet);
  const lines = [
    ...failed.map((one) => `${paint("red", "failed")} ${failureText(one)}`),
    ...unmet.map(({ id, at }) => `${paint("yellow", "no case")} meets the rule ${id} (${makeVisibleLine(at)})`),
    ...effects.filter(({ isMet }) => !isMet).map(({ id, at }) => `${paint("yellow", "no case")} meets the effect ${id} (${makeVisibleLine(at)})`),
    ...survivors(report).map(({ what, change, at }) => `${paint("red", "unnoticed")}: ${makeVisibleLine(what)} ${change} (${makeVisibleLine(at)})`),
    ...(undecided.since?.decided ?? []).map((line) => `${paint("red", "decided now")}, and not in the snapshot: ${makeVisibleLine(line)}`),
    ...(undecided.since?.undecided ?? []).map((line) => `${paint("red", "undecided now")}, and not in the snapshot: ${makeVisibleLine(line)}`),
    `${counted(cases.length, "case")}: ${cases.length - failed.length} passed, ${failed.length} failed; ${rules.length - unmet.length} of ${counted(rules.length, "rule")} met`,
    ...(mutants === undefined
      ? []
      : [`${counted(mutants.length, "change")} of the policy tried: ${String(mutants.length - survivors(report).length)} noticed`]),
    ...unconfirmedLines(unconfirmed),
  ];
  return `${lines.join("\n")}\n`;
}

/** Where a case stands, what it wanted, and what came. */
export function failureText({ test, verdict }: SuiteReport["cases"][number]): string {
  const { wanted, decision, rule, at } = test;
  const got = `${verdict.decision} by ${verdict.rules[0]?.id ?? "none"}: ${makeVisibleLine(verdict.reason)}`;
  return `${at.file}:${at.line}: ${wanted.kind} ${makeVisibleLine(wanted.text)}: expected ${decision}${rule === undefined ? "" : ` by ${makeVisibleLine(rule)}`}, got ${got}`;
}

/** The changes of the policy that no case notices. */
export function survivors({ mutants = [] }: SuiteReport): NonNullable<SuiteReport["mutants"]> {
  return mutants.filter(({ noticedBy }) => noticedBy === null);
}
