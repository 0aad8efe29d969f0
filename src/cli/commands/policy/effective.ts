import { readForReview } from "../../../app/setup/context.ts";
import { stateDirectory } from "../../../config/state/directory.ts";
import { realPath } from "../../../config/policy/load.ts";
import { makeVisible, visibleJson } from "../../../base/text.ts";
import { effectiveEntries } from "../../../policy/printing/entries.ts";
import { effectiveText } from "../../../policy/printing/text.ts";
import { EXIT } from "../../process/exit-code.ts";
import { unconfirmedLines } from "../../view/policy/unconfirmed.ts";

export type EffectiveOptions = { workspace: string; json?: boolean };

/** `warder policy effective FILE`: the policy with all that it extends, and behind each line the file that says it. Exit 0. */
export function printEffective(file: string, options: EffectiveOptions): number {
  const { policy, workspace, home, unconfirmed } = readForReview(file, options.workspace);
  const entries = effectiveEntries(policy, { workspace, home, stateDirectory: stateDirectory(process.env), realPath });
  if (options.json === true) {
    const { name, digest, files } = policy;
    process.stdout.write(`${visibleJson({ policy: name, digest, files, entries, ...(unconfirmed.length > 0 && { unconfirmed }) })}\n`);
    return EXIT.done;
  }
  process.stdout.write(makeVisible(effectiveText(policy.name, entries)));
  for (const line of unconfirmedLines(unconfirmed)) process.stderr.write(`${line}\n`);
  return EXIT.done;
}
