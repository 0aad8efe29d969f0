import { checkPolicyFile } from "../../../app/policy/check.ts";
import { testPolicy } from "../../../app/policy/suite.ts";
import { personAtTerminal } from "../../../approvals/terminal/account.ts";
import { makeVisible, makeVisibleLine, visibleJson } from "../../../base/text.ts";
import { readPolicyFile } from "../../../config/policy/files.ts";
import { stateDirectory } from "../../../config/state/directory.ts";
import { trustPolicy } from "../../../config/policy/trust.ts";
import type { Policy, TightenedEffect } from "../../../policy/policy.ts";
import { oncePerGroup } from "../../../policy/matching/rule-words.ts";
import { policyJsonSchema } from "../../../policy/language/schema.ts";
import { confirm } from "../../input/confirmation.ts";
import { EXIT } from "../../process/exit-code.ts";
import { hookLine } from "../../view/hooks.ts";
import { suiteText } from "../../view/policy/suite.ts";
import { counted, paint } from "../../view/style.ts";
import { unconfirmedLines } from "../../view/policy/unconfirmed.ts";

/** `warder policy check FILE`: exit 0 when it is a valid policy, 78 with every diagnostic when not. Warnings are said. */
export async function checkPolicy(file: string, options: { workspace: string }): Promise<number> {
  const { policy, warnings, unconfirmed } = await checkPolicyFile(file, options.workspace);
  if (warnings !== "") process.stdout.write(`${makeVisible(warnings)}\n\n`);
  process.stdout.write(
    `${paint("green", "ok")} ${policy.name}: ${policy.autonomy} autonomy, ${counted(oncePerGroup(policy.commands.rules).length, "rule")}, ${policy.sandbox.runtime} sandbox, ${policy.sandbox.workspace} workspace; digest ${policy.digest.slice(0, 12)}\n`,
  );
  for (const line of conditionLines(policy)) process.stdout.write(`  ${line}\n`);
  for (const hook of policy.hooks ?? []) process.stdout.write(`  ${hookLine(hook)}\n`);
  for (const line of unconfirmedLines(unconfirmed)) process.stdout.write(`${line}\n`);
  return EXIT.done;
}

/** What the policy says for what the model was given: `when tainted: deny sends (a.yaml:7)`. */
function conditionLines({ commands: { rules, tightened = [] } }: Policy): readonly string[] {
  const line = (verdict: string, what: string, { when, at }: Pick<TightenedEffect, "when" | "at">): string =>
    makeVisibleLine(`when ${when.join(" and ")}: ${verdict} ${what} (${at.file}:${String(at.line)})`);
  return [
    ...oncePerGroup(rules).flatMap(({ id, verdict, when, at }) => (when === undefined ? [] : [line(verdict, `by the rule ${id}`, { when, at })])),
    ...tightened.map((effect) => line(effect.verdict, `the effect ${effect.kind}`, effect)),
  ];
}

/** `warder policy test FILE`: the suite beside the policy. Exit 0 when every case is decided as it says, 1 when one is not. */
export async function testPolicyFile(file: string, options: { workspace?: string; json?: boolean }): Promise<number> {
  const report = await testPolicy(file, options.workspace);
  const failed = report.cases.filter(({ isMet }) => !isMet);
  if (options.json === true) process.stdout.write(`${visibleJson(report)}\n`);
  else process.stdout.write(suiteText(report));
  return failed.length === 0 ? EXIT.done : EXIT.failed;
}

/** `warder policy schema`: the JSON Schema of policy files, for an editor that knows no package. */
export function printSchema(): number {
  process.stdout.write(`${visibleJson(policyJsonSchema(), 2)}\n`);
  return EXIT.done;
}

/** `warder policy trust FILE`: shows the text and asks at the terminal, so that nothing but a person can confirm it. */
export async function trust(file: string): Promise<number> {
  const read = readPolicyFile(file, file);
  await confirm(makeVisible(read.text), "trust", "Nothing was trusted.");
  const { path, sha256 } = trustPolicy(read, stateDirectory(process.env), new Date());
  process.stdout.write(`${personAtTerminal()} trusts ${makeVisible(path)} as it was shown (sha256 ${sha256}).\n`);
  return EXIT.done;
}
