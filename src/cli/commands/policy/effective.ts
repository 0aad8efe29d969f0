import { readForReview } from "../../../app/setup/context.ts";
import { stateDirectory } from "../../../config/state/directory.ts";
import { realPath } from "../../../config/policy/files.ts";
import { makeVisible, visibleJson } from "../../../base/text.ts";
import { effectiveEntries } from "../../../policy/printing/entries.ts";
import { effectiveText } from "../../../policy/printing/text.ts";
import { EXIT } from "../../process/exit-code.ts";
import { baseLines, unconfirmedLines } from "../../view/policy/unconfirmed.ts";

export type EffectiveOptions = { workspace: string; json?: boolean };

/** `warder policy effective FILE`: the policy with all that it extends, and behind each line the file that says it. Exit 0. */
export function printEffective(file: string, options: EffectiveOptions): number {
  const { policy, workspace, home, unconfirmed, base } = readForReview(file, options.workspace, { isAsRun: true });
  const entries = effectiveEntries(policy, { workspace, home, stateDirectory: stateDirectory(process.env), realPath });
  if (options.json === true) {
    const { name, digest, files } = policy;
    process.stdout.write(
      `${visibleJson({ policy: name, digest, files, entries, ...(unconfirmed.length > 0 && { unconfirmed }), ...(base !== null && { base }) })}\n`,
    );
    return EXIT.done;
  }
  process.stdout.write(makeVisible(effectiveText(policy.name, entries)));
  for (const line of [...unconfirmedLines(unconfirmed), ...baseLines(base)]) process.stderr.write(`${line}\n`);
  return EXIT.done;
}
