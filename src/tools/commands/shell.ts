import { TOOL_NAMES } from "../../policy/tool-names.ts";
import type { BoundedOutput, Outcome } from "../../sandbox/outcome.ts";
import { locate } from "../contract/location.ts";
import { describeEnding, endingError, untrustedError, untrustedText } from "../contract/result.ts";
import { networkNotes } from "./network-note.ts";
import { repositoryNotes } from "./repository-note.ts";
import { shellSchema } from "../contract/input-schemas.ts";
import { shellRequest } from "../contract/command.ts";
import { otherNames } from "../contract/other-names.ts";
import { defineTool } from "../contract/define.ts";

/** Runs one bash command in the sandbox. A non-zero exit code is a result, not a failure. */
export const shellTool = defineTool({
  name: "shell",
  aliases: TOOL_NAMES.shell,
  description:
    "Runs one bash command in the sandbox and returns its exit code, stdout and stderr. Standard input is empty. Nothing keeps running after the command ends; for that there is start_job.",
  schema: shellSchema,
  traits: { timeoutMs: "policy", history: { summaryArgument: "command" } },
  prepare: commandArguments,
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

const renamed = otherNames({
  cmd: "command",
  cwd: "working_dir",
  workdir: "working_dir",
  working_directory: "working_dir",
  directory: "working_dir",
  dir_path: "working_dir",
});

/** What other agents' models say. Of a time only what can mean one thing: `timeout` from 1000 on is in milliseconds. */
function commandArguments(input: Record<string, unknown>): Record<string, unknown> {
  const own = renamed(input);
  const { command, timeout_ms: isMs, timeout = isMs, run_in_background: isJob, is_background: isAside = isJob, ...rest } = own;
  const isTime = typeof timeout === "number" && Number.isInteger(timeout) && timeout >= 1000 && !("timeout_seconds" in rest);
  if ((timeout !== undefined && !isTime) || (isAside !== undefined && isAside !== false)) return own;
  const text = textOf(command);
  return { ...rest, ...(text === undefined ? {} : { command: text }), ...(isTime ? { timeout_seconds: Math.ceil(timeout / 1000) } : {}) };
}

/** `["bash", "-lc", "ls"]` → `ls`; anything else is as it is. */
function textOf(command: unknown): unknown {
  if (!Array.isArray(command) || command.length !== 3) return command;
  const [program, option, text] = command as readonly unknown[];
  return (program === "bash" || program === "/bin/bash") && (option === "-lc" || option === "-c") ? text : command;
}
