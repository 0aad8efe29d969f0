import type { z } from "zod";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { replSchema } from "../contract/input-schemas.ts";
import { type Interpreter, runSnippet, type Snippet, snippetProblem, snippetRequest } from "./interpreter.ts";

const INTERPRETERS: Readonly<Record<z.output<typeof replSchema>["language"], Interpreter>> = {
  python: { program: "python3", options: ["-c"], language: "Python" },
  node: { program: "node", options: ["-e"], language: "JavaScript" },
  sh: { program: "sh", options: ["-c"], language: "sh" },
};

const snippetOf = ({ language, ...rest }: z.output<typeof replSchema>): Snippet => ({ ...rest, interpreter: INTERPRETERS[language] });

/** Runs code in an interpreter of the sandbox, judged as the command that does the same. */
export const replTool = defineTool({
  name: "repl",
  aliases: TOOL_NAMES.repl,
  description:
    "Runs a piece of Python, JavaScript (Node.js) or sh in the sandbox and returns its exit code, stdout and stderr. No quoting is needed. Each piece has an interpreter of its own: keep in files what the next one needs.",
  schema: replSchema,
  traits: { timeoutMs: "policy", history: { summaryArgument: "code" } },
  validate: (input) => snippetProblem(snippetOf(input)),
  requests: (input, setting) => [snippetRequest(snippetOf(input), setting)],
  execute: async (input, context) => await runSnippet(snippetOf(input), context),
});
