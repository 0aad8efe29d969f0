import type { SuiteReport } from "../../../app/policy/suite.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { counted, paint } from "../style.ts";
import { unconfirmedLines } from "./unconfirmed.ts";

/** What came of a policy's suite: each case that failed with both decisions, the rules that no case met, and the sums. */
export function suiteText({ cases, rules, unconfirmed }: SuiteReport): string {
  const failed = cases.filter(({ isMet }) => !isMet);
  const unmet = rules.filter(({ isMet }) => !isMet);
  const lines = [
    ...failed.map(({ test, verdict }) => {
      const { wanted, decision, rule, at } = test;
      const got = `${verdict.decision} by ${verdict.rules[0]?.id ?? "none"}: ${makeVisibleLine(verdict.reason)}`;
      return `${paint("red", "failed")} ${at.file}:${at.line}: ${wanted.kind} ${makeVisibleLine(wanted.text)}: expected ${decision}${rule === undefined ? "" : ` by ${makeVisibleLine(rule)}`}, got ${got}`;
    }),
    ...unmet.map(({ id, at }) => `${paint("yellow", "no case")} meets the rule ${id} (${makeVisibleLine(at)})`),
    `${counted(cases.length, "case")}: ${cases.length - failed.length} passed, ${failed.length} failed; ${rules.length - unmet.length} of ${counted(rules.length, "rule")} met`,
    ...unconfirmedLines(unconfirmed),
  ];
  return `${lines.join("\n")}\n`;
}
