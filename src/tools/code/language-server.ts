import { z } from "zod";
import { makeVisible, makeVisibleLine } from "../../base/text.ts";
import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { languageOf } from "../../sandbox/syntax/languages.ts";
import { defineTool } from "../contract/define.ts";
import { languageServerSchema } from "../contract/input-schemas.ts";
import { locate, showPath } from "../contract/location.ts";
import { trustedError, untrustedError, untrustedText } from "../contract/result.ts";
import type { ToolRequest, ToolSetting } from "../contract/tool.ts";
import { ask, pathOf, positionOf, rangeSchema } from "./conversation.ts";
import { readWhole } from "./read-whole.ts";
import { serverFor } from "./servers.ts";

type ServerInput = z.output<typeof languageServerSchema>;

const MOST_LINES = 500;

/** Asks a language server, which runs in the sandbox for the call, about a name or a file. */
export const languageServerTool = defineTool({
  name: "language_server",
  aliases: TOOL_NAMES.language_server,
  description:
    "Asks the project's language server about a name (definition, references, hover) or a file (diagnostics): types and imports are followed, which code does not. It is started in the sandbox for each call. TypeScript 7 of the workspace, or what the image has: typescript-language-server, pyright, gopls, clangd, rust-analyzer.",
  schema: languageServerSchema,
  traits: { timeoutMs: "policy", history: { summaryArgument: "path" } },
  validate: ({ operation, name, line }) => {
    if (operation === "diagnostics") return name === undefined && line === undefined ? null : "diagnostics takes no name and no line";
    return name === undefined ? `${operation} needs a name` : null;
  },
  requests: (input, setting) => serverRequests(input, setting),
  async execute({ operation, path: said, name = "", line, server: named }, context) {
    const path = locate(said, context);
    const server = serverFor(languageOf(path), named);
    if (server === null) return trustedError(noServer(named));
    const files = await readWhole(context, [path]);
    if (typeof files === "string") return untrustedError(files);
    const text = files[0]?.before ?? "";
    const position = operation === "diagnostics" ? null : positionOf(text, name, line);
    if (operation !== "diagnostics" && position === null)
      return untrustedError(`${makeVisibleLine(name)} is no word of ${line === undefined ? "" : `line ${line} of `}${showPath(path, context)}.`);
    const method = operation === "diagnostics" ? "textDocument/diagnostic" : `textDocument/${operation}`;
    const params = { ...(position === null ? {} : { position }), ...(operation === "references" ? { context: { includeDeclaration: true } } : {}) };
    const reply = await ask(context, { server, path, text, method, params });
    if ("problem" in reply) return untrustedError(makeVisible(reply.problem));
    const lines = linesOf(operation, reply.result, context);
    if (lines === null) return untrustedError("Failed: the language server's answer is none of its protocol.");
    const cut = lines.length > MOST_LINES ? [`[${lines.length - MOST_LINES} more]`] : [];
    return untrustedText(lines.length === 0 ? `No ${operation}.` : [...lines.slice(0, MOST_LINES), ...cut].join("\n"));
  },
});

/** To read the file and what the server reads, which is a command as any other. */
export function serverRequests({ path, server }: Pick<ServerInput, "path" | "server">, setting: ToolSetting): readonly ToolRequest[] {
  const file = locate(path, setting);
  const command = serverFor(languageOf(file), server)?.command;
  return [
    { kind: "read", path: file, isRecursive: false },
    ...(command === undefined ? [] : [{ kind: "command" as const, text: command, cwd: setting.workspace }]),
  ];
}

export function noServer(named: string | undefined): string {
  return `Failed: no language server is known for this file's language${named === undefined ? "" : ` by the name ${named}`}. Known: JavaScript and TypeScript, Python, Go, C and C++, Rust. code finds names in others by their syntax.`;
}

const locationSchema = z.union([
  z.looseObject({ uri: z.string(), range: rangeSchema }),
  z.looseObject({ targetUri: z.string(), targetSelectionRange: rangeSchema }).transform((link) => ({ uri: link.targetUri, range: link.targetSelectionRange })),
]);
const locationsSchema = z.union([z.array(locationSchema), locationSchema.transform((one) => [one]), z.null().transform(() => [])]);
const diagnosticSchema = z.looseObject({
  range: rangeSchema,
  severity: z.int().optional(),
  code: z.union([z.string(), z.number()]).optional(),
  message: z.string(),
});
const diagnosticsSchema = z.union([
  z.looseObject({ items: z.array(diagnosticSchema) }).transform(({ items }) => items),
  z.looseObject({ diagnostics: z.array(diagnosticSchema) }).transform(({ diagnostics }) => diagnostics),
]);
const marked = z.union([z.string(), z.looseObject({ value: z.string() }).transform(({ value }) => value)]);
const hoverSchema = z.union([
  z.null().transform(() => ""),
  z.looseObject({ contents: z.union([marked, z.array(marked).transform((parts) => parts.join("\n"))]) }).transform(({ contents }) => contents),
]);
const SEVERITIES = ["", "error", "warning", "information", "hint"];

/** Null: it is no answer to this. */
function linesOf(operation: ServerInput["operation"], result: unknown, setting: ToolSetting): readonly string[] | null {
  if (operation === "hover") {
    const hover = hoverSchema.safeParse(result).data;
    return hover === undefined ? null : hover === "" ? [] : hover.split("\n").map(makeVisibleLine);
  }
  if (operation === "diagnostics") {
    const found = diagnosticsSchema.safeParse(result).data ?? null;
    return (
      found?.map(({ range, severity = 0, code = "", message }) =>
        makeVisibleLine(`${range.start.line + 1}:${range.start.character + 1} ${SEVERITIES[severity] ?? ""} ${code}: ${message}`),
      ) ?? null
    );
  }
  const locations = locationsSchema.safeParse(result).data ?? null;
  return (
    locations?.map(({ uri, range }) => {
      const path = pathOf(uri);
      return makeVisibleLine(`${path === null ? uri : showPath(path, setting)}:${range.start.line + 1}:${range.start.character + 1}`);
    }) ?? null
  );
}
