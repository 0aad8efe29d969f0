import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { suitePath } from "../../config/policy/suite.ts";
import { checkPolicyFile } from "../policy/check.ts";
import { type SuiteReport, testPolicy } from "../policy/suite.ts";
import { withTemporaryWorkspace } from "../setup/temporary-workspace.ts";
import { firstSuiteText } from "./first-suite.ts";
import { type Beginning, type InitOrder, planInit, writeBeginning, writeFirstPolicy } from "./init.ts";

export type FirstPolicyProof = {
  /** What was written: the policy and its suite. */
  readonly text: string;
  readonly suite: string;
  readonly isTransactional: boolean;
  /** What `warder policy check` says of it, with code frames; empty when that is nothing. */
  readonly rendered: string;
  /** The suite, as it is judged in every workspace. */
  readonly report: SuiteReport;
  /** What the project's own files make of its tests, where that is another decision: a script that npm reads is a command of its own. */
  readonly otherwise: SuiteReport["cases"];
};

/** As `planInit`. Throws `usage` for a suite that is there and is not to be written anew, too. */
export function planPolicyInit(order: InitOrder): Beginning {
  const plan = planInit(order);
  const suite = suitePath(plan.file, plan.workspace);
  if (existsSync(suite) && !order.isForced)
    throw new AgentError("usage", `The suite ${suite} is there already, and was not changed.`, { remedy: "Read it, or have both written anew, with --force" });
  return plan;
}

/** Writes the policy and its suite, and holds one against the other. Throws `usage` where they cannot be written. */
export async function provePolicyInit(plan: Beginning): Promise<FirstPolicyProof> {
  const { project, file, workspace, hasImage } = plan;
  const { isTransactional } = await writeFirstPolicy(plan, hasImage ? project.name : null);
  const suite = suitePath(file, workspace);
  writeBeginning(suite, firstSuiteText({ project, isTransactional }));
  const { rendered } = await checkPolicyFile(file, workspace);
  const report = await testPolicy(file);
  const inProject = await testPolicy(file, { workspace });
  const isTest = (text: string): boolean => project.tests.includes(text);
  return {
    text: readFileSync(file, "utf8"),
    suite,
    isTransactional,
    rendered,
    report,
    otherwise: inProject.cases.filter(({ test, isMet }, index) => !isMet && isTest(test.wanted.text) && report.cases[index]?.isMet === true),
  };
}

/** The same in a directory that is gone afterwards. */
export async function proveWithoutFiles(plan: Beginning): Promise<FirstPolicyProof> {
  return await withTemporaryWorkspace("warder-policy-init-", async (directory) => {
    return await provePolicyInit({ ...plan, file: join(directory, `${plan.project.name}.yaml`), needsTrust: false });
  });
}
