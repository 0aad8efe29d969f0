import { readContext } from "../../../app/setup/context.ts";
import { AgentError } from "../../../base/errors.ts";
import { systemClock } from "../../../base/clock.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import { checkCommand, refuseQuestion, type CheckParts } from "../../../gate/check.ts";
import type { CheckVerdict } from "../../../gate/check-verdict.ts";
import { createRegistry, type ToolRegistry } from "../../../tools/registry.ts";
import { EXIT } from "../../process/exit-code.ts";
import { isLost, LOST } from "./utf8.ts";
import { hooksText } from "../../view/hooks.ts";
import { paint, paintVerdict } from "../../view/style.ts";

export type CheckOptions = { policy: string; workspace: string; jsonl?: boolean; containment: "none" | "profile" };

/** `warder check`: exit 0 for allow, 3 for ask and deny. With `--jsonl` 0 when every line was a question, 2 when one was none. */
export async function check(command: string | undefined, options: CheckOptions): Promise<number> {
  const { policy, workspace, home, ownPaths } = readContext(options.policy, options.workspace);
  const parts: CheckParts = { policy, tools: toolsWhenAsked(), setting: { workspace, home }, containment: options.containment, ownPaths, clock: systemClock };
  if (options.jsonl === true && command !== undefined)
    throw new AgentError("usage", "--jsonl takes no command as an argument: it reads them from standard input.", {
      remedy: `For example: echo '{"id": "1", "command": "git status"}' | warder check --jsonl`,
    });
  if (options.jsonl === true) return await (await import("./lines.ts")).checkLines(parts);
  if (command === undefined) throw new AgentError("usage", "A command is needed: warder check 'git status'; or --jsonl with lines on standard input.");
  const verdict = isLost(command) ? refuseQuestion(parts, `The command ${LOST}.`) : await checkCommand(parts, command);
  print(verdict);
  return verdict.decision === "allow" ? EXIT.done : EXIT.denied;
}

/** The registry, made when it is first asked: a command text needs none, and the schemas of all tools take longer to load than a decision. */
function toolsWhenAsked(): CheckParts["tools"] {
  let registry: ToolRegistry | null = null;
  const tools = (): ToolRegistry => (registry ??= createRegistry());
  return { find: (name) => tools().find(name), near: (name) => tools().near(name) };
}

function print(verdict: CheckVerdict): void {
  process.stdout.write(
    `${paintVerdict(verdict.decision)} ${paint("dim", `· ${verdict.risk} risk · containment: ${verdict.containment} · measured: ${verdict.measured}`)}\n${makeVisibleLine(verdict.reason)}\n`,
  );
  for (const rule of verdict.rules)
    process.stdout.write(
      `  ${rule.verdict.padEnd(5)} ${rule.id}${rule.at === undefined ? "" : ` (${makeVisibleLine(rule.at)})`}: ${makeVisibleLine(rule.reason)}\n`,
    );
  if (verdict.hooks !== undefined) process.stdout.write(`${hooksText(verdict.hooks)}\n`);
  if (verdict.instead !== undefined) process.stdout.write(`instead: ${makeVisibleLine(verdict.instead)}\n`);
}
