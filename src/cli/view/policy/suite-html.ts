import type { Coverage, SuiteReport } from "../../../app/policy/suite.ts";
import { htmlLine, htmlList, htmlPage } from "../html-page.ts";
import { counted } from "../style.ts";
import { failureText, survivors } from "./suite.ts";

/** The same as one HTML file: what failed first, then what is not tested, then all cases. */
export function suiteHtml(name: string, report: SuiteReport): string {
  const { cases, rules, effects, mutants, undecided } = report;
  const failed = cases.filter(({ isMet }) => !isMet);
  const unmet = (all: readonly Coverage[]): readonly string[] => all.filter(({ isMet }) => !isMet).map(({ id, at }) => `${id} (${at})`);
  return htmlPage(
    `${name}: ${counted(cases.length, "case")}, ${String(failed.length)} failed`,
    [
      section("Failed", failed.map(failureText)),
      section("Rules that no case meets", unmet(rules)),
      section("Effects that no case meets", unmet(effects)),
      section("Decided now, and not in the snapshot", undecided.since?.decided ?? []),
      section("Undecided now, and not in the snapshot", undecided.since?.undecided ?? []),
      ...(mutants === undefined
        ? []
        : [
            `<p>${String(mutants.length - survivors(report).length)} of ${counted(mutants.length, "change")} of the policy were noticed.</p>`,
            section(
              "Changes that no case notices",
              survivors(report).map(({ what, change, at }) => `${what} ${change} (${at})`),
            ),
          ]),
      "<h2>Cases</h2>",
      ...cases.map(
        ({ test, verdict, isMet }) =>
          `<section><p><b class="${verdict.decision}">${verdict.decision}</b> ${htmlLine(`${test.wanted.kind} ${test.wanted.text}`)}</p>${htmlList([
            `${isMet ? "as expected" : `expected ${test.decision}${test.rule === undefined ? "" : ` by ${test.rule}`}`}, by ${verdict.rules[0]?.id ?? "none"}`,
            verdict.reason,
          ])}</section>`,
      ),
    ].join("\n"),
  );
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `<h2>${htmlLine(title)} (${String(lines.length)})</h2>${htmlList(lines)}`;
}
