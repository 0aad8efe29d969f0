import { comparePolicies, type Comparison } from "../../../app/policy/comparison.ts";
import { openRecords } from "../../../app/records/records.ts";
import { systemClock } from "../../../base/clock.ts";
import { AgentError } from "../../../base/errors.ts";
import { visibleJson } from "../../../base/text.ts";
import type { Outcome } from "../../../policy/comparing/difference.ts";
import { readMoment } from "../../input/record-filter.ts";
import { EXIT, type ExitCode } from "../../process/exit-code.ts";
import { policyDiffMarkdown } from "../../view/policy/diff-markdown.ts";
import { policyDiffSarif } from "../../view/policy/diff-sarif.ts";
import { policyDiffText } from "../../view/policy/diff.ts";
import { sidesOf, sideText } from "./diff-sides.ts";

export type DiffOptions = { json?: boolean; markdown?: boolean; sarif?: boolean; staged?: boolean; log?: string; fromWarder?: string };

const CODES: Readonly<Record<Outcome, ExitCode>> = { same: EXIT.done, "only-tightens": EXIT.onlyTightens, widens: EXIT.widens, "may-widen": EXIT.mayWiden };

/** `warder policy diff`: what is decided differently. `version`: of this Warder. Exit 0 the same, 10 only tightens, 11 widens, 12 may widen. */
export async function diffCommand(first: string, second: string | undefined, options: DiffOptions & { readonly version: string }): Promise<number> {
  const { json, markdown, sarif } = options;
  if ([json, markdown, sarif].filter((format) => format === true).length > 1)
    throw new AgentError("usage", "`--json`, `--markdown` and `--sarif` are three forms of one answer.", { remedy: "Name one of them." });
  const { fromWarder } = options;
  const compared = fromWarder === undefined ? await comparedPolicies(first, second, options) : await comparedWarders(fromWarder, first, second, options);
  const { comparison, names } = compared;
  if (json === true) process.stdout.write(`${visibleJson(compared.json)}\n`);
  else if (sarif === true) process.stdout.write(`${visibleJson(policyDiffSarif(comparison), 2)}\n`);
  else process.stdout.write(markdown === true ? policyDiffMarkdown(comparison, names) : policyDiffText(comparison, names));
  return CODES[comparison.outcome];
}

type Compared = { readonly comparison: Comparison; readonly names: readonly [string, string]; readonly json: unknown };

async function comparedPolicies(first: string, second: string | undefined, { staged, log }: DiffOptions): Promise<Compared> {
  const sides = sidesOf(first, second, staged === true);
  const comparison = await comparedWith(sides, log);
  const names = [sideText(sides[0]), sideText(sides[1])] as const;
  return { comparison, names, json: asJson(comparison, names) };
}

/** One policy under another Warder and under this one. */
async function comparedWarders(
  named: string,
  file: string,
  second: string | undefined,
  { staged, log, version }: DiffOptions & { readonly version: string },
): Promise<Compared> {
  if (second !== undefined || staged === true || log !== undefined)
    throw new AgentError("usage", "`--from-warder` compares two Warders under one policy: it takes neither a second policy nor `--staged` nor `--log`.", {
      remedy: 'warder policy diff --from-warder "$(command -v warder)" POLICY',
    });
  const { compareWarders } = await import("../../../app/policy/versions/compare-warders.ts");
  const { policy, outcome, differences, before, after, calls } = await compareWarders(named, file, { version });
  const sides = { before: { warder: named, version: before }, after: { version: after } };
  return {
    comparison: { before: policy, after: policy, outcome, differences, unconfirmed: [] },
    names: [`${named} (${before})`, `this Warder (${after}), ${file}`],
    json: { outcome, policy: { file, policy: policy.name, digest: policy.digest }, ...sides, calls, differences },
  };
}

/** `log`: since when calls of this machine's log are counted. */
async function comparedWith([one, other]: ReturnType<typeof sidesOf>, log: string | undefined): Promise<Comparison> {
  if (log === undefined) return await comparePolicies(one, other);
  const since = new Date(readMoment("--log", log, systemClock.nowMs())).toISOString();
  const records = openRecords();
  try {
    return await comparePolicies(one, other, { log: { audit: records.audit, span: { since } } });
  } finally {
    records.store.close();
  }
}

function asJson({ before, after, outcome, differences, unconfirmed, counted }: Comparison, [one, other]: readonly [string, string]): unknown {
  return {
    outcome,
    before: { file: one, policy: before.name, digest: before.digest },
    after: { file: other, policy: after.name, digest: after.digest },
    differences,
    ...(counted && { log: counted }),
    ...(unconfirmed.length > 0 && { unconfirmed }),
  };
}
