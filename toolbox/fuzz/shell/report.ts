import type { Finding, Tally } from "./campaign.ts";

/** A tally in lines for people, with the vector of each finding. */
export function describeTally(tally: Tally): string {
  const perSecond = tally.seconds === 0 ? 0 : tally.cases / tally.seconds;
  const lines = [
    `${String(tally.cases)} cases in ${tally.seconds.toFixed(1)} s, ${perSecond.toFixed(0)} cases/s, ${String(tally.executions)} executions (${String(tally.lively)} started programs, ${String(tally.refused)} refused by bash, ${String(tally.timeouts)} out of time)`,
    `${percent(tally.static, tally.cases)} static, ${percent(tally.open, tally.cases)} open, ${percent(tally.undecidable, tally.cases)} undecidable`,
    `${String(tally.unsound)} unsound, seed ${String(tally.seed)}`,
  ];
  for (const finding of tally.findings)
    lines.push(
      "",
      `${finding.problem.kind}: ${finding.problem.what}`,
      `  was ${JSON.stringify(finding.original)}`,
      `  ${vectorOf(finding)}`,
      `  REPRODUCE: npm run fuzz -- shell --seed ${String(tally.seed)} --from ${String(finding.index)} --cases 1`,
    );
  return lines.join("\n");
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "0 %" : `${((100 * part) / whole).toFixed(1)} %`;
}

/** The line to add to `test/vectors/torture/findings.json`; `toolbox/fuzz/record.ts` fills in what it does. */
export function vectorOf(finding: Finding): string {
  return JSON.stringify({ title: `${finding.problem.kind}: ${finding.problem.what}`, command: finding.command });
}
