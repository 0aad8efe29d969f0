import { resolve } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { isShipped } from "../../config/shipped-policies.ts";
import { policyPath, readPolicyFile } from "../../config/policy/files.ts";
import type { PolicyDiagnostic } from "../../policy/text/diagnostic.ts";
import { withoutItem } from "../../policy/text/yaml-list.ts";
import { replaceText } from "../setup/replace-text.ts";
import { inspectPolicyText, type InspectedPolicy } from "./check.ts";

export type FixedPolicy = {
  /** Absolute. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** What was mended, in the order in which it was. */
  readonly mended: readonly PolicyDiagnostic[];
};

/** Each round takes out one rule, and looks again: of two rules that say the same only one goes. */
const MAX_ROUNDS = 500;

/**
 * Takes out of a policy's own file what decides nothing. Comments and all else stay. Nothing is written yet. Throws `bad-policy` for a policy that does not load,
 * `usage` for a shipped one.
 */
export async function planFixes(file: string, workspace: string): Promise<FixedPolicy> {
  const path = resolve(process.cwd(), policyPath(file, process.cwd()));
  const read = readPolicyFile(path, file);
  if (isShipped(read.path)) throw new AgentError("usage", `${file} is shipped with Warder.`, { remedy: "Extend it in a file of your own." });
  let text = read.text;
  const mended: PolicyDiagnostic[] = [];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const step = nextStep(text, await inspectPolicyText(path, text, workspace));
    if (step === null || (await inspectPolicyText(path, step.text, workspace)).policy === null) break;
    text = step.text;
    mended.push(step.diagnostic);
  }
  return { path: read.path, before: read.text, after: text, mended };
}

/** Writes it. Throws `usage` if the file was changed meanwhile. */
export function writeFixes({ path, before, after }: FixedPolicy): void {
  replaceText(path, before, after);
}

function nextStep(text: string, { policy, ownFile, diagnostics }: InspectedPolicy): { readonly text: string; readonly diagnostic: PolicyDiagnostic } | null {
  if (policy === null)
    throw new AgentError("bad-policy", "The policy does not load, so nothing was changed.", { remedy: "Mend its errors first: warder policy check FILE" });
  for (const diagnostic of diagnostics) {
    if (diagnostic.fix !== "remove-item" || diagnostic.at.file !== ownFile) continue;
    const without = withoutItem(text, diagnostic.at);
    if (without !== null) return { text: without, diagnostic };
  }
  return null;
}
