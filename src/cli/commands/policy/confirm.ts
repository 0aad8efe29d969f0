import { changeSinceConfirmed } from "../../../app/policy/confirming.ts";
import { AgentError } from "../../../base/errors.ts";
import { makeVisible, makeVisibleLine } from "../../../base/text.ts";
import type { PolicyFile } from "../../../config/policy/files.ts";
import { stateDirectory } from "../../../config/state/directory.ts";
import { trustPolicy } from "../../../config/policy/trust.ts";
import { confirm } from "../../input/confirmation.ts";
import { policyDiffText } from "../../view/policy/diff.ts";

/** Shows texts of a policy and what they change since a person confirmed earlier ones, and records that a person trusts exactly these. */
export async function confirmTexts(
  files: readonly PolicyFile[],
  chain: readonly PolicyFile[] = files,
): Promise<readonly { readonly path: string; readonly sha256: string }[]> {
  const texts = files.map(({ file, text }) => `${files.length > 1 ? `${makeVisibleLine(file)}:\n` : ""}${makeVisible(text)}`);
  await confirm([...texts, ...(await changeLines(chain))].join("\n"), "trust", "Nothing was trusted.");
  return files.map((file) => trustPolicy(file, stateDirectory(process.env), new Date()));
}

async function changeLines(chain: readonly PolicyFile[]): Promise<readonly string[]> {
  try {
    const comparison = await changeSinceConfirmed(chain, stateDirectory(process.env));
    return comparison === null ? [] : [`What this changes:\n\n${policyDiffText({ ...comparison, unconfirmed: [] }, ["as it was confirmed", "as it is now"])}`];
  } catch (error) {
    if (error instanceof AgentError && error.code === "bad-policy") return [`What this changes cannot be told: ${makeVisible(error.problem)}`];
    throw error;
  }
}
