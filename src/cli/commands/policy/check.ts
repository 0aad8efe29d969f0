import { checkPolicyFile, type CheckedPolicy } from "../../../app/policy/check.ts";
import { planFixes, writeFixes } from "../../../app/policy/fix.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisible, makeVisibleLine, visibleJson } from "../../../base/text.ts";
import { oncePerGroup } from "../../../policy/matching/rule-words.ts";
import { whenText } from "../../../policy/label.ts";
import type { Policy, TightenedEffect } from "../../../policy/policy.ts";
import { describeChange } from "../../../tools/files/diff.ts";
import { EXIT } from "../../process/exit-code.ts";
import { hookLine } from "../../view/hooks.ts";
import { checkAnnotations, checkSarif } from "../../view/policy/check-reports.ts";
import { unconfirmedLines } from "../../view/policy/unconfirmed.ts";
import { counted, paint } from "../../view/style.ts";

export type PolicyCheckOptions = { workspace: string; json?: boolean; sarif?: boolean; github?: boolean; strict?: boolean; fix?: boolean };

/** `warder policy check FILE`: exit 0 when it is a valid policy, 78 with every diagnostic when not; with `--strict` 1 when there are warnings. */
export async function checkPolicy(file: string, options: PolicyCheckOptions): Promise<number> {
  const { json = false, sarif = false, github = false, fix = false } = options;
  if ([json, sarif, github, fix].filter(Boolean).length > 1)
    throw new AgentError("usage", "`--json`, `--sarif`, `--github` and `--fix` are different answers.", { remedy: "Name one of them." });
  if (fix) await fixPolicy(file, options.workspace);
  const checked = await checkPolicyFile(file, options.workspace);
  if (json) process.stdout.write(`${visibleJson(asJson(checked))}\n`);
  else if (sarif) process.stdout.write(`${visibleJson(checkSarif(checked.diagnostics), 2)}\n`);
  else if (github) process.stdout.write(checkAnnotations(checked.diagnostics));
  else writeText(checked);
  if (checked.policy === null) return EXIT.badConfiguration;
  return options.strict === true && checked.diagnostics.length > 0 ? EXIT.failed : EXIT.done;
}

/** Takes out what decides nothing, and shows what was taken out. */
async function fixPolicy(file: string, workspace: string): Promise<void> {
  const plan = await planFixes(file, workspace);
  if (plan.mended.length === 0) {
    process.stdout.write("Nothing is there that could be taken out without changing a decision.\n\n");
    return;
  }
  writeFixes(plan);
  process.stdout.write(`${makeVisible(describeChange(plan.before, plan.after, Infinity))}\n`);
  for (const { message } of plan.mended) process.stdout.write(`taken out: ${makeVisibleLine(message)}\n`);
  process.stdout.write("\n");
}

function writeText({ policy, rendered, unconfirmed }: CheckedPolicy): void {
  if (policy === null) throw new AgentError("bad-policy", rendered);
  if (rendered !== "") process.stdout.write(`${makeVisible(rendered)}\n\n`);
  process.stdout.write(
    `${paint("green", "ok")} ${policy.name}: ${policy.autonomy} autonomy, ${counted(oncePerGroup(policy.commands.rules).length, "rule")}, ${policy.sandbox.runtime} sandbox, ${policy.sandbox.workspace} workspace; digest ${policy.digest.slice(0, 12)}\n`,
  );
  for (const line of conditionLines(policy)) process.stdout.write(`  ${line}\n`);
  for (const hook of policy.hooks ?? []) process.stdout.write(`  ${hookLine(hook)}\n`);
  for (const line of unconfirmedLines(unconfirmed)) process.stdout.write(`${line}\n`);
}

function asJson({ policy, diagnostics, unconfirmed }: CheckedPolicy): unknown {
  return {
    valid: policy !== null,
    ...(policy === null ? {} : { policy: policy.name, digest: policy.digest }),
    diagnostics: diagnostics.map(({ severity, code, at, message, why, remedy, fix }) => ({
      severity,
      code: code ?? "invalid",
      ...at,
      message,
      ...(why === "" ? {} : { why }),
      ...(remedy === "" ? {} : { remedy }),
      ...(fix === undefined ? {} : { fixable: true }),
    })),
    ...(unconfirmed.length === 0 ? {} : { unconfirmed }),
  };
}

/** What the policy says for what the model was given: `when tainted: deny sends (a.yaml:7)`. */
function conditionLines({ commands: { rules, tightened = [] } }: Policy): readonly string[] {
  const line = (verdict: string, what: string, { when, at }: Pick<TightenedEffect, "when" | "at">): string =>
    makeVisibleLine(`when ${whenText(when)}: ${verdict} ${what} (${at.file}:${String(at.line)})`);
  return [
    ...oncePerGroup(rules).flatMap(({ id, verdict, when, at }) => (when === undefined ? [] : [line(verdict, `by the rule ${id}`, { when, at })])),
    ...tightened.map((effect) => line(effect.verdict, `the effect ${effect.kind}`, effect)),
  ];
}
