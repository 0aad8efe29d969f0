import { type FirstPolicyProof, planPolicyInit, provePolicyInit, proveWithoutFiles } from "../../../app/begin/policy-init.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisible, makeVisibleLine } from "../../../base/text.ts";
import { exactWord } from "../../../shell/render.ts";
import { EXIT } from "../../process/exit-code.ts";
import { foundLines, landingLines } from "../../view/first-policy.ts";
import { failureText } from "../../view/policy/suite.ts";
import { counted } from "../../view/style.ts";

export type PolicyInitOptions = { readonly workspace: string; readonly output?: string; readonly force?: boolean; readonly print?: boolean };

/**
 * `warder policy init`: a first policy and its suite, from what stands in the project's folder, without running any of it. Exit code 0 if the check finds
 * nothing and every case is decided as it says, else 1. `--print` writes the policy to standard output alone, and what is said of it to standard error.
 */
export async function initPolicy({ workspace, output, force = false, print = false }: PolicyInitOptions): Promise<number> {
  if (print && (output !== undefined || force))
    throw new AgentError("usage", "`--print` writes no file.", { remedy: "Leave out --output and --force, or --print." });
  const plan = planPolicyInit({ workspace, output: output ?? null, isForced: force || print });
  const say = (lines: readonly string[]): void => {
    for (const line of lines) (print ? process.stderr : process.stdout).write(`${makeVisibleLine(line)}\n`);
  };
  say(foundLines(plan));
  const proof = await (print ? proveWithoutFiles(plan) : provePolicyInit(plan));
  if (print) process.stdout.write(proof.text);
  else say([`Wrote ${plan.file}`, `Wrote ${proof.suite}`]);
  say(landingLines(proof.isTransactional));
  const isProved = sayProof(proof, print ? "FILE" : exactWord(plan.file), say);
  if (!print && plan.needsTrust) say([`A run could write there, so that a run takes it only when you confirm it: warder policy trust ${exactWord(plan.file)}`]);
  if (!print) say([`Next: read it, then warder policy test ${exactWord(plan.file)} after each change`]);
  return isProved ? EXIT.done : EXIT.failed;
}

function sayProof({ rendered, report, otherwise }: FirstPolicyProof, file: string, say: (lines: readonly string[]) => void): boolean {
  const failed = report.cases.filter(({ isMet }) => !isMet);
  const isProved = rendered === "" && failed.length === 0;
  if (rendered !== "") process.stderr.write(`${makeVisible(rendered)}\n\n`);
  say([
    ...failed.map((one) => `failed ${failureText(one)}`),
    isProved
      ? `Proved: the check finds nothing, and ${counted(report.cases.length, "example")} of its suite are decided as they say.`
      : `Not proved: what stands above is decided otherwise on this machine. What binds it: warder policy effective ${file}`,
    ...otherwise.map(({ test, verdict }) => `note: in this project \`${test.wanted.text}\` is decided ${verdict.decision}: ${verdict.reason}`),
  ]);
  return isProved;
}
