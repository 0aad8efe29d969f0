import { personAtTerminal } from "../../../approvals/terminal/account.ts";
import { makeVisible, visibleJson } from "../../../base/text.ts";
import { readPolicyFile } from "../../../config/policy/files.ts";
import { stateDirectory } from "../../../config/state/directory.ts";
import { trustPolicy } from "../../../config/policy/trust.ts";
import { policyJsonSchema } from "../../../policy/language/schema.ts";
import { confirm } from "../../input/confirmation.ts";
import { EXIT } from "../../process/exit-code.ts";

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
