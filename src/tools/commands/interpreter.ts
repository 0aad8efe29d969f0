import { quoteCode } from "../../shell/render.ts";
import { MAX_COMMAND_CHARACTERS, shellRequest } from "../contract/command.ts";
import { locate } from "../contract/location.ts";
import type { ToolContext, ToolRequest, ToolResult, ToolSetting } from "../contract/tool.ts";
import { renderShellOutcome } from "./shell.ts";

/** A program that takes code as its last word. */
export type Interpreter = { readonly program: string; readonly options: readonly string[]; readonly language: string };

/** Code for an interpreter, and where it runs. */
export type Snippet = {
  readonly interpreter: Interpreter;
  readonly code: string;
  readonly working_dir?: string | undefined;
  readonly timeout_seconds?: number | undefined;
};

/** The command that runs a snippet: it is judged, shown and carried out as if the model had written it in the shell. */
export function snippetCommand({ interpreter: { program, options }, code }: Snippet): string {
  // A word that begins with `-` is an option to some interpreters, even where code is expected.
  const word = code.startsWith("-") ? ` ${code}` : code;
  return [program, ...options, quoteCode(word)].join(" ");
}

export function snippetRequest(snippet: Snippet, setting: ToolSetting): ToolRequest {
  return shellRequest(snippetCommand(snippet), snippet.working_dir ?? ".", setting);
}

/** Quoted, code is longer: what cannot be a command is said before anything is judged. */
export function snippetProblem(snippet: Snippet): string | null {
  const { length } = snippetCommand(snippet);
  if (length <= MAX_COMMAND_CHARACTERS) return null;
  return `the code is too long: with its quotes it has ${length} characters, of at most ${MAX_COMMAND_CHARACTERS}; write it to a file and run that`;
}

export async function runSnippet(snippet: Snippet, context: ToolContext): Promise<ToolResult> {
  const { program, language } = snippet.interpreter;
  const limitMs = snippet.timeout_seconds === undefined ? undefined : snippet.timeout_seconds * 1000;
  const outcome = await context.handles.shell.run(snippetCommand(snippet), locate(snippet.working_dir ?? ".", context), limitMs);
  const result = renderShellOutcome(outcome);
  const ran = outcome.kind === "completed" && outcome.result.kind === "exec" ? outcome.result : null;
  if (ran?.exitCode !== 127 || !ran.stderr.text.endsWith(`: ${program}: command not found\n`)) return result;
  const [said] = result.content;
  const words = `Failed: bash found no ${program}, so ${language} cannot be used in this sandbox. Use another tool, or ask for an image that has ${program}.`;
  return { ...result, isError: true, content: [{ kind: "text", text: `${words}\n${said?.kind === "text" ? said.text : ""}` }] };
}
