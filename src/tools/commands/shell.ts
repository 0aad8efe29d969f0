import { TOOL_NAMES } from "../../policy/tool-names.ts";
import type { BoundedOutput, Outcome } from "../../sandbox/outcome.ts";
import { locate } from "../contract/location.ts";
import { describeEnding, endingError, untrustedError, untrustedText } from "../contract/result.ts";
import { networkNotes } from "./network-note.ts";
import { repositoryNotes } from "./repository-note.ts";
import { shellSchema } from "../contract/input-schemas.ts";
import { shellRequest } from "../contract/command.ts";
import { defineTool } from "../contract/define.ts";

/** Runs one bash command in the sandbox. A non-zero exit code is a result, not a failure. */
export const shellTool = defineTool({
  name: "shell",
  aliases: TOOL_NAMES.shell,
  description:
    "Runs one bash command in the sandbox and returns its exit code, stdout and stderr. Standard input is empty. Nothing keeps running after the command ends; for that there is start_job.",
  schema: shellSchema,
  traits: { timeoutMs: "policy", history: { summaryArgument: "command" } },
  prepare: (input) => renameKey(renameKey(input, "cmd", "command"), "cwd", "working_dir"),
  requests: (input, setting) => [shellRequest(input.command, input.working_dir ?? ".", setting)],
  async execute(input, context) {
    const timeoutMs = input.timeout_seconds === undefined ? undefined : input.timeout_seconds * 1000;
    const outcome = await context.handles.shell.run(input.command, locate(input.working_dir ?? ".", context), timeoutMs);
    return renderShellOutcome(outcome);
  },
});

/** What the model reads of a command: how it ended, both streams, and what was cut from them. */
export function renderShellOutcome(outcome: Outcome) {
  const ran = outcome.kind === "completed" ? outcome.result : "partial" in outcome ? outcome.partial : null;
  if (ran?.kind !== "exec")
    return outcome.kind === "completed" ? untrustedError("Failed: the sandbox answered with something else.") : endingError(outcome, "the command");
  const notes = [...networkNotes(ran), ...repositoryNotes(ran)];
  const noted = notes.length === 0 ? {} : { notes };
  const details = { outcome: outcome.kind, exitCode: ran.exitCode, signal: ran.signal, stdout: ran.stdout, stderr: ran.stderr, ...noted };
  const streams = [renderStream("stdout", ran.stdout), renderStream("stderr", ran.stderr), ...notes.map((note) => `note: ${note}\n`)].join("");
  if (outcome.kind !== "completed") return untrustedError(`${describeEnding(outcome, "the command")}\n${streams}`, details);
  const ending = ran.exitCode === null ? `ended by signal ${ran.signal ?? "unknown"}` : `exit code: ${ran.exitCode}`;
  return untrustedText(`${ending}\n${streams}`, details);
}

function renderStream(name: string, output: BoundedOutput): string {
  if (output.totalBytes === 0) return "";
  const cut = output.cutBytes > 0 ? ` (${output.cutBytes} of ${output.totalBytes} bytes cut from the middle)` : "";
  return `${name}${cut}:\n${output.text}${output.text.endsWith("\n") ? "" : "\n"}`;
}

function renameKey(input: Record<string, unknown>, from: string, to: string): Record<string, unknown> {
  if (!Object.hasOwn(input, from) || Object.hasOwn(input, to)) return input;
  const { [from]: value, ...rest } = input;
  return { ...rest, [to]: value };
}
