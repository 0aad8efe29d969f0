import { z } from "zod";
import { languageOf } from "../../sandbox/syntax/languages.ts";
import { describeEnding } from "../contract/result.ts";
import type { Message, ToolContext } from "../contract/tool.ts";
import type { LanguageServer } from "./servers.ts";

/** One request to a server about an opened file, and the text of what it answered: or why there is none. */
export type Question = { readonly server: LanguageServer; readonly path: string; readonly text: string; readonly method: string; readonly params: object };
export type Reply = { readonly result: unknown } | { readonly problem: string };

const READY = "warder-initialize";
const ANSWER = "warder-answer";
const TOLD = "textDocument/publishDiagnostics";
const MOST_STDERR = 500;

const answerSchema = z.union([
  z.looseObject({ error: z.looseObject({ message: z.string() }) }),
  z.looseObject({ method: z.literal(TOLD), params: z.unknown() }),
  z.looseObject({ result: z.unknown() }),
]);

/** Starts the server, asks, and ends it. */
export async function ask(context: ToolContext, question: Question): Promise<Reply> {
  const { server } = question;
  const outcome = await context.handles.shell.converse(server.command, context.workspace, messagesOf(context.workspace, question));
  const subject = `the language server \`${server.command}\``;
  if (outcome.kind !== "completed") return { problem: describeEnding(outcome, subject) };
  if (outcome.result.kind !== "exec") return { problem: "The sandbox answered with something else." };
  const { stdout, stderr, exitCode } = outcome.result;
  if (stdout.cutBytes > 0) return { problem: `What ${subject} answered is longer than the policy's output limit. Ask about one file or name.` };
  const answer = stdout.text.trimEnd().split("\n").at(-1) ?? "";
  if (exitCode !== 0 || !(answer.includes(ANSWER) || answer.includes(TOLD)))
    return { problem: `Failed: ${subject} ended before it answered: ${stderr.text.trim().slice(-MOST_STDERR) || "it said nothing"}\n${server.remedy}` };
  return replyOf(answer);
}

function replyOf(answer: string): Reply {
  const parsed = answerSchema.safeParse(jsonOf(answer));
  if (!parsed.success) return { problem: "Failed: the language server's answer is none of its protocol." };
  if ("error" in parsed.data) return { problem: `The language server refused: ${(parsed.data.error as { message: string }).message.slice(0, MOST_STDERR)}` };
  return { result: "method" in parsed.data ? parsed.data["params"] : parsed.data["result"] };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function messagesOf(workspace: string, { server, path, text, method, params }: Question): readonly Message[] {
  const rootUri = uriOf(workspace);
  const textDocument = { diagnostic: {}, publishDiagnostics: {}, definition: {}, references: {}, hover: { contentFormat: ["plaintext"] }, rename: {} };
  const capabilities = { general: { positionEncodings: ["utf-16"] }, textDocument, workspace: { workspaceEdit: { documentChanges: false } } };
  const initialize = { processId: null, rootUri, workspaceFolders: [{ uri: rootUri, name: "workspace" }], capabilities };
  const languageId = server.languages[languageOf(path) ?? ""] ?? "";
  const isTold = method === "textDocument/diagnostic" && server.diagnostics === "told";
  const say = (message: object, awaits: string | null): Message => ({ text: JSON.stringify({ jsonrpc: "2.0", ...message }), awaits });
  return [
    say({ id: READY, method: "initialize", params: initialize }, READY),
    say({ method: "initialized", params: {} }, null),
    say({ method: "textDocument/didOpen", params: { textDocument: { uri: uriOf(path), languageId, version: 1, text } } }, isTold ? TOLD : null),
    ...(isTold ? [] : [say({ id: ANSWER, method, params: { textDocument: { uri: uriOf(path) }, ...params } }, ANSWER)]),
  ];
}

export function uriOf(path: string): string {
  return `file://${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Null: it is no file's. */
export function pathOf(uri: string): string | null {
  try {
    return uri.startsWith("file:///") ? decodeURIComponent(uri.slice("file://".length)) : null;
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** Counted from 0, in UTF-16 units. */
export const positionSchema = z.looseObject({ line: z.int().min(0), character: z.int().min(0) });
export const rangeSchema = z.looseObject({ start: positionSchema, end: positionSchema });
export type Position = z.output<typeof positionSchema>;

/** Where a name stands in a text: in that line (from 1), else where it comes first. Null: nowhere. */
export function positionOf(text: string, name: string, line: number | undefined): Position | null {
  const lines = text.split("\n");
  const [from, to] = line === undefined ? [0, lines.length] : [line - 1, line];
  for (let index = from; index < Math.min(to, lines.length); index += 1) {
    const character = columnOf(lines[index] ?? "", name);
    if (character !== null) return { line: index, character };
  }
  return null;
}

const WORD = /[\p{L}\p{N}_$]/u;

/** A whole word, not a part of one. */
function columnOf(line: string, name: string): number | null {
  for (let from = line.indexOf(name); from >= 0; from = line.indexOf(name, from + 1)) {
    if (!WORD.test(line.charAt(from - 1)) && !WORD.test(line.charAt(from + name.length))) return from;
  }
  return null;
}
