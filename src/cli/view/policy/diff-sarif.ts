import type { Comparison } from "../../../app/policy/comparison.ts";
import { sha256 } from "../../../base/digest.ts";
import { type Difference, type Direction, GROUPS } from "../../../policy/comparing/difference.ts";
import { sarifLocations, sarifReport } from "./sarif.ts";
import { circumstanceText, GROUP_TITLES, partText, wantedText } from "../../../policy/printing/difference-words.ts";

const LEVELS: Readonly<Record<Direction, string>> = { widens: "error", "may-widen": "warning", tightens: "note" };

/** SARIF 2.1.0, for code scanning: a result for each difference, where it stands in the policy. */
export function policyDiffSarif({ differences, outcome }: Comparison): unknown {
  const rules = GROUPS.map((group) => ({ id: group, text: GROUP_TITLES[group] }));
  return sarifReport("warder policy diff", rules, differences.map(resultOf), { outcome });
}

function resultOf(difference: Difference): unknown {
  const { group, direction, part, witness, why } = difference;
  const shown = witness === undefined ? (why ?? "") : callText(witness);
  const { at } = part;
  return {
    ruleId: group,
    level: LEVELS[direction],
    message: { text: `${partText(part)}${shown === "" ? "" : `. ${shown}`}` },
    ...sarifLocations(at),
    // The same difference on another line is the same one.
    partialFingerprints: { "difference/v1": sha256(JSON.stringify([group, part.what, part.was, part.is, witness?.wanted ?? null])) },
  };
}

function callText({ wanted, circumstances, before, after }: NonNullable<Difference["witness"]>): string {
  const when = circumstanceText(circumstances, Date.now());
  return `${wantedText(wanted)}${when === "" ? "" : ` (${when})`}: ${before.verdict} by ${before.rule}, now ${after.verdict} by ${after.rule}`;
}
