import type { z } from "zod";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { powershellSchema } from "../contract/input-schemas.ts";
import { runSnippet, type Snippet, snippetProblem, snippetRequest } from "./interpreter.ts";

const POWERSHELL = { program: "pwsh", options: ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command"], language: "PowerShell" } as const;

const snippetOf = ({ command, ...rest }: z.output<typeof powershellSchema>): Snippet => ({ ...rest, code: command, interpreter: POWERSHELL });

/** Runs PowerShell in the sandbox, where the image has it, judged as the same command in the shell. */
export const powershellTool = defineTool({
  name: "powershell",
  aliases: TOOL_NAMES.powershell,
  description: "Runs PowerShell code with pwsh in the sandbox and returns its exit code, stdout and stderr.",
  schema: powershellSchema,
  needs: [{ kind: "program", program: POWERSHELL.program }],
  traits: { timeoutMs: "policy", history: { summaryArgument: "command" } },
  validate: (input) => snippetProblem(snippetOf(input)),
  requests: (input, setting) => [snippetRequest(snippetOf(input), setting)],
  execute: async (input, context) => await runSnippet(snippetOf(input), context),
});
