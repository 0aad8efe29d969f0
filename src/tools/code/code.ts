import type { z } from "zod";
import { makeVisibleLine } from "../../base/text.ts";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import type { Definition, FileAnswer, SyntaxTask } from "../../sandbox/syntax/task.ts";
import { defineTool } from "../contract/define.ts";
import { codeSchema } from "../contract/input-schemas.ts";
import { locate, showPath } from "../contract/location.ts";
import { untrustedText } from "../contract/result.ts";
import type { ToolSetting } from "../contract/tool.ts";
import { readSources } from "./sources.ts";

type CodeInput = z.output<typeof codeSchema>;

/** Of a result: what is more, a narrower path brings. */
const MOST_LINES = 1500;
/** Of a directory's files, what lies deeper is left to the outline of the file. */
const DIRECTORY_DEPTH = 2;

/** Answers from the syntax of source files: what they define, where a name is defined and used, where code matches a pattern. */
export const codeTool = defineTool({
  name: "code",
  aliases: TOOL_NAMES.code,
  description:
    "Reads source code by its syntax: the outline of a file or directory, where a name is defined, where it is used, where code matches a pattern. Bash, C, C++, C#, CSS, Go, INI, Java, JavaScript, PHP, PowerShell, Python, Ruby, Rust, TypeScript. At most 200 files of 1 MiB.",
  schema: codeSchema,
  traits: { exclusiveSandbox: false, tier: "read-only", timeoutMs: 300_000, history: { summaryArgument: "path" } },
  validate: misfit,
  requests: (input, setting) => [{ kind: "read", path: locate(input.path ?? ".", setting), isRecursive: true }],
  async execute(input, context) {
    const { operation, name = null } = input;
    const path = locate(input.path ?? ".", context);
    const sources = await readSources(context, path, { name, isPattern: operation === "search" });
    if (sources.kind === "ended") return sources.result;
    const { files, notes } = sources;
    const answers = await context.handles.syntax.read(taskOf(input, files));
    const isDirectory = files.length !== 1 || files[0]?.path !== path;
    const found = answers.map((answer) => ({ answer, lines: linesOf(answer, operation, isDirectory) }));
    const shown = found.filter(({ answer, lines }) => lines.length > 0 || answer.problem !== null || answer.isCut);
    const blocks = shown.map(({ answer, lines }) => [heading(answer, context), ...lines.map((line) => `  ${line}`)]);
    const all = blocks.flat();
    const nothing = all.length === 0 ? [`${nothingOf(input)} in ${files.length} source files at ${showPath(path, context)}.`] : [];
    const cut = all.length > MOST_LINES ? [`${all.length - MOST_LINES} more lines: name a directory below, or a file`] : [];
    const text = [...nothing, ...all.slice(0, MOST_LINES), ...[...cut, ...notes].map((note) => `[${makeVisibleLine(note)}]`)].join("\n");
    return untrustedText(text, { files: files.length });
  },
});

/** Each operation takes the one argument that it is about. */
function misfit({ operation, name, pattern }: CodeInput): string | null {
  const needs = { outline: null, definitions: "name", references: "name", search: "pattern" }[operation];
  for (const [argument, value] of [
    ["name", name],
    ["pattern", pattern],
  ] as const) {
    if (needs === argument && value === undefined) return `${operation} needs a ${argument}`;
    if (needs !== argument && value !== undefined) return `${operation} takes no ${argument}`;
  }
  return null;
}

function taskOf({ name, pattern }: CodeInput, files: SyntaxTask["files"]): SyntaxTask {
  if (pattern !== undefined) return { kind: "pattern", pattern, rewrite: null, files };
  return name === undefined ? { kind: "outline", files } : { kind: "name", name, files };
}

function nothingOf({ operation, name = "" }: CodeInput): string {
  if (operation === "outline") return "No definition";
  if (operation === "search") return "No match (a pattern that is no whole expression, statement or rule matches nothing)";
  return `No ${operation === "definitions" ? "definition" : "use"} of ${makeVisibleLine(name)}`;
}

function heading({ path, problem, isCut, hasErrors }: FileAnswer, setting: ToolSetting): string {
  const notes = [...(problem === null ? [] : [problem]), ...(isCut ? ["there is more"] : []), ...(hasErrors ? ["parts of it are no valid syntax"] : [])];
  return `${makeVisibleLine(showPath(path, setting))}${notes.length === 0 ? "" : ` [${makeVisibleLine(notes.join("; "))}]`}`;
}

function linesOf({ definitions, uses }: FileAnswer, operation: CodeInput["operation"], isDirectory: boolean): readonly string[] {
  if (operation === "references" || operation === "search") return uses.map(({ line, column, text }) => `${line}:${column} ${makeVisibleLine(text)}`);
  if (operation === "definitions") return definitions.map(definitionLine);
  return definitions.filter(({ depth }) => !isDirectory || depth < DIRECTORY_DEPTH).map((one) => `${"  ".repeat(one.depth)}${definitionLine(one)}`);
}

function definitionLine({ kind, name, fromLine, toLine, text }: Definition): string {
  const lines = fromLine === toLine ? String(fromLine) : `${fromLine}-${toLine}`;
  return makeVisibleLine(text.includes(name) ? `${lines} ${kind}: ${text}` : `${lines} ${kind} ${name}: ${text}`);
}
