import { createInterface } from "node:readline";
import { once } from "node:events";
import { readSurroundings } from "../../app/surroundings.ts";
import { AgentError } from "../../base/errors.ts";
import { systemClock } from "../../base/clock.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { checkCall, checkCommand, type CheckParts } from "../../gate/check.ts";
import type { CheckVerdict } from "../../gate/verdict.ts";
import { createRegistry } from "../../tools/registry.ts";
import { EXIT } from "../exit-code.ts";
import { paint, paintVerdict } from "../style.ts";

export type CheckOptions = { policy: string; workspace: string; jsonl?: boolean; containment: "none" | "profile" };

/** `warder check`: exit 0 for allow, 3 for ask and deny. With `--jsonl` 0 when every line was answered. */
export async function check(command: string | undefined, options: CheckOptions): Promise<number> {
  const { policy, workspace, home, ownPaths } = readSurroundings(options.policy, options.workspace);
  const parts: CheckParts = { policy, tools: createRegistry(), setting: { workspace, home }, containment: options.containment, ownPaths, clock: systemClock };
  if (options.jsonl === true) return await checkLines(parts);
  if (command === undefined) throw new AgentError("usage", "A command is needed: warder check 'git status'; or --jsonl with lines on standard input.");
  const verdict = await checkCommand(parts, command);
  print(verdict);
  return verdict.decision === "allow" ? EXIT.done : EXIT.denied;
}

async function checkLines(parts: CheckParts): Promise<number> {
  let number = 0;
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    number += 1;
    if (line.trim() === "") continue;
    const question = parseQuestion(line, number);
    const verdict = question.kind === "command" ? await checkCommand(parts, question.command) : await checkCall(parts, question);
    if (!process.stdout.write(`${JSON.stringify({ id: question.id, ...verdict })}\n`)) await once(process.stdout, "drain");
  }
  return EXIT.done;
}

type Question = { readonly id: unknown } & (
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "call"; readonly name: string; readonly input: unknown }
);

function parseQuestion(line: string, number: number): Question {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new AgentError("usage", `Line ${number} of standard input is no JSON.`, { cause: error });
  }
  if (typeof value === "object" && value !== null) {
    const { id = null, command, tool, input } = value as Record<string, unknown>;
    if (typeof command === "string" && tool === undefined) return { id, kind: "command", command };
    if (typeof tool === "string" && command === undefined) return { id, kind: "call", name: tool, input: input ?? {} };
  }
  throw new AgentError("usage", `Line ${number} of standard input is neither {"id","command"} nor {"id","tool","input"}.`);
}

function print(verdict: CheckVerdict): void {
  process.stdout.write(
    `${paintVerdict(verdict.decision)} ${paint("dim", `· ${verdict.risk} risk · containment: ${verdict.containment} · measured: ${verdict.measured}`)}\n${makeVisibleLine(verdict.reason)}\n`,
  );
  for (const rule of verdict.rules)
    process.stdout.write(
      `  ${rule.verdict.padEnd(5)} ${rule.id}${rule.at === undefined ? "" : ` (${makeVisibleLine(rule.at)})`}: ${makeVisibleLine(rule.reason)}\n`,
    );
  if (verdict.instead !== undefined) process.stdout.write(`instead: ${makeVisibleLine(verdict.instead)}\n`);
}
