import { personAtTerminal } from "../../../approvals/terminal/account.ts";
import { makeVisible, visibleJson } from "../../../base/text.ts";
import { readOwnText } from "../../../config/policy/load.ts";
import { suiteJsonSchema } from "../../../config/policy/suite.ts";
import { readSettings } from "../../../config/settings-file.ts";
import { stateDirectory } from "../../../config/state/directory.ts";
import { policyJsonSchema } from "../../../policy/language/schema.ts";
import { EXIT } from "../../process/exit-code.ts";
import { confirmTexts } from "./confirm.ts";

/** `warder policy schema`: the JSON Schema of policy files, or of their suites, for an editor that knows no package. */
export function printSchema({ suite = false }: { readonly suite?: boolean }): number {
  process.stdout.write(`${visibleJson(suite ? suiteJsonSchema() : policyJsonSchema(), 2)}\n`);
  return EXIT.done;
}

/** `warder policy trust FILE`: shows the text and what it changes, and asks at the terminal, so that nothing but a person can confirm it. */
export async function trust(file: string): Promise<number> {
  const read = readOwnText(file, readSettings(stateDirectory(process.env)).projects);
  for (const { path, sha256 } of await confirmTexts([read]))
    process.stdout.write(`${personAtTerminal()} trusts ${makeVisible(path)} as it was shown (sha256 ${sha256}).\n`);
  return EXIT.done;
}
