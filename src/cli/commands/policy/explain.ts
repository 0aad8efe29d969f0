import { readForReview } from "../../../app/setup/context.ts";
import { systemClock } from "../../../base/clock.ts";
import { hooksBefore, judgeCall } from "../../../gate/check.ts";
import { createRegistry } from "../../../tools/registry.ts";
import { explain } from "../../view/explanation/explanation.ts";
import { explanationText } from "../../view/explanation/text.ts";
import { hooksText } from "../../view/hooks.ts";
import { EXIT } from "../../process/exit-code.ts";
import { paint } from "../../view/style.ts";
import { unconfirmedLines } from "../../view/policy/unconfirmed.ts";
import { visibleJson } from "../../../base/text.ts";

export type ExplainOptions = { policy: string; workspace: string; containment: "none" | "profile"; json?: boolean };

/** `warder policy explain COMMAND`: why it is decided as it is. Exit 0 whatever the verdict: it was explained. */
export async function explainCommand(command: string, options: ExplainOptions): Promise<number> {
  const { policy, workspace, home, ownPaths, unconfirmed } = readForReview(options.policy, options.workspace, { isAsRun: true });
  const { containment } = options;
  const parts = { policy, tools: createRegistry(), setting: { workspace, home }, containment, ownPaths, clock: systemClock };
  const judgement = await judgeCall(parts, { name: "shell", input: { command } });
  const explanation = explain(command, judgement);
  const hooks = hooksBefore(policy, judgement.call, judgement.decision);
  if (options.json === true) {
    process.stdout.write(
      `${visibleJson({ ...explanation, policy: policy.name, containment, measured: "host", ...(hooks.length > 0 && { hooks }), ...(unconfirmed.length > 0 && { unconfirmed }) })}\n`,
    );
    return EXIT.done;
  }
  process.stdout.write(`${paint("dim", `policy: ${policy.name} · containment: ${containment} · measured: host`)}\n\n${explanationText(explanation)}`);
  if (hooks.length > 0) process.stdout.write(`\n${hooksText(hooks)}\n`);
  for (const line of unconfirmedLines(unconfirmed)) process.stdout.write(`\n${line}\n`);
  return EXIT.done;
}
