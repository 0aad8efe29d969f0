import { comparePolicies } from "../../../app/policy/comparison.ts";
import { visibleJson } from "../../../base/text.ts";
import type { Outcome } from "../../../policy/comparing/difference.ts";
import { EXIT, type ExitCode } from "../../process/exit-code.ts";
import { policyDiffText } from "../../view/policy/diff.ts";

export type DiffOptions = { json?: boolean };

const CODES: Readonly<Record<Outcome, ExitCode>> = { same: EXIT.done, "only-tightens": EXIT.onlyTightens, widens: EXIT.widens, "may-widen": EXIT.mayWiden };

/** `warder policy diff A B`: what is decided differently. Exit 0 the same, 10 only tightens, 11 widens, 12 may widen. */
export async function diffCommand(before: string, after: string, options: DiffOptions): Promise<number> {
  const directory = process.cwd();
  const comparison = await comparePolicies({ file: before, directory }, { file: after, directory });
  if (options.json === true) process.stdout.write(`${visibleJson(asJson(comparison, [before, after]))}\n`);
  else process.stdout.write(policyDiffText(comparison, [before, after]));
  return CODES[comparison.outcome];
}

function asJson(
  { before, after, outcome, differences, unconfirmed }: Awaited<ReturnType<typeof comparePolicies>>,
  [one, other]: readonly [string, string],
): unknown {
  return {
    outcome,
    before: { file: one, policy: before.name, digest: before.digest },
    after: { file: other, policy: after.name, digest: after.digest },
    differences,
    ...(unconfirmed.length > 0 && { unconfirmed }),
  };
}
