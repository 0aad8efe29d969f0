import { pathToFileURL, fileURLToPath } from "node:url";
import { inspectPolicyText } from "../../app/policy/check.ts";
import { policyParent } from "../../app/policy/parent.ts";
import { AgentError } from "../../base/errors.ts";
import { readPolicyDocument } from "../../policy/language/document.ts";
import { errorAt, type PolicyDiagnostic } from "../../policy/text/diagnostic.ts";
import type { Loaded } from "./hover.ts";

/** One text that is open in the editor. */
export type OpenText = { readonly uri: string; readonly path: string; readonly version: number; readonly text: string };

export type Inspection = { readonly loaded: Loaded | null; readonly diagnostics: readonly PolicyDiagnostic[] };

/** Null: it is no file of this machine. */
export function openText(uri: string, version: number, text: string): OpenText | null {
  try {
    return { uri, path: fileURLToPath(uri), version, text };
  } catch {
    return null;
  }
}

/** Editors send every YAML file to every server of YAML: only what calls itself a policy of Warder's is looked at. */
export function isPolicy({ path, text }: OpenText): boolean {
  if (!/\.ya?ml$/u.test(path) || /\.test\.ya?ml$/u.test(path)) return false;
  return (
    /^# yaml-language-server: \$schema=\S*policy\.schema\.json/mu.test(text) || (/^version: *1\b/mu.test(text) && /^name:/mu.test(text) && KEYS.test(text))
  );
}

const KEYS = /^(?:extends|autonomy|workspace|commands|sandbox|approvals|unattended|limits):/mu;

/** What `warder policy check` says of what stands in the editor. */
export async function inspect({ path, text }: OpenText, workspace: string): Promise<Inspection> {
  try {
    const { policy, diagnostics } = await inspectPolicyText(path, text, workspace);
    const reading = readPolicyDocument(path, text);
    const ruleIds = "diagnostics" in reading ? [] : (reading.document.commands?.rules ?? []).map(({ id }) => id);
    return { loaded: policy === null ? null : { policy, ruleIds }, diagnostics };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return { loaded: null, diagnostics: [errorAt({ file: path, line: 1, column: 1 }, error.problem, error.remedy === null ? {} : { remedy: error.remedy })] };
  }
}

/** Where the policy lies that this one extends; null where there is none. */
export function parentUri({ path }: OpenText, parent: string): string | null {
  const found = policyParent(parent, path);
  return found === null ? null : pathToFileURL(found).href;
}
