import type { Readable, Writable } from "node:stream";
import {
  CompletionItemKind,
  CompletionRequest,
  createProtocolConnection,
  DefinitionRequest,
  type Diagnostic,
  DiagnosticSeverity,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  HoverRequest,
  InitializeRequest,
  type InitializeParams,
  type Position,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  TextDocumentSyncKind,
} from "vscode-languageserver-protocol/node";
import { fileURLToPath, pathToFileURL } from "node:url";
import { dirname } from "node:path";
import { systemClock } from "../../base/clock.ts";
import type { PolicyDiagnostic } from "../../policy/text/diagnostic.ts";
import { yamlPartAt } from "../../policy/text/yaml-parts.ts";
import { type Names, proposalsAt } from "./completion.ts";
import { inspect, type Inspection, isPolicy, openText, type OpenText, parentUri } from "./documents.ts";
import { hoverText } from "./hover.ts";
import type { SchemaNode } from "./schema-place.ts";

export type LanguageOptions = {
  readonly input: Readable;
  readonly output: Writable;
  readonly version: string;
  readonly schema: SchemaNode;
  readonly names: Names;
  readonly home: string;
  /** Where a policy is judged when the editor names no folder. Absent: beside the policy. */
  readonly workspace?: string;
  /** Says something to whoever reads the process's messages. */
  readonly say: (text: string) => void;
};

/** As long as somebody who types pauses. */
const PAUSE_MS = 150;

type Open = { text: OpenText; timer: NodeJS.Timeout | undefined; last: Inspection | null };

/**
 * Serves an editor at the other end of two streams by the Language Server Protocol, until it says `exit` or closes its end. Returns whether it said
 * `shutdown` before, as the protocol wants it. Runs nothing and writes no file.
 */
export async function serveLanguage({ input, output, version, schema, names, home, workspace, say }: LanguageOptions): Promise<boolean> {
  const connection = createProtocolConnection(new StreamMessageReader(input), new StreamMessageWriter(output), {
    error: say,
    warn: say,
    info: () => undefined,
    log: () => undefined,
  });
  const ended = Promise.withResolvers<undefined>();
  const open = new Map<string, Open>();
  let folder = workspace;
  let isShutDown = false;

  const check = async (state: Open): Promise<Inspection | null> => {
    const { text } = state;
    if (!isPolicy(text)) return null;
    const found = await inspect(text, folder ?? dirname(text.path));
    // Somebody typed on meanwhile.
    if (state.text === text) state.last = found;
    return found;
  };
  const publish = async (state: Open): Promise<void> => {
    const { text } = state;
    const found = await check(state);
    if (open.get(text.uri) !== state || state.text !== text) return;
    const diagnostics = (found?.diagnostics ?? []).map((each) => toDiagnostic(each, text));
    await connection.sendNotification(PublishDiagnosticsNotification.type, { uri: text.uri, version: text.version, diagnostics });
  };
  const later = (state: Open): void => {
    clearTimeout(state.timer);
    state.timer = setTimeout(() => {
      publish(state).catch((error: unknown) => say(error instanceof Error ? error.message : "unknown fault"));
    }, PAUSE_MS);
  };
  const forget = (uri: string): void => {
    clearTimeout(open.get(uri)?.timer);
    open.delete(uri);
  };
  const policyAt = (uri: string): Open | null => {
    const state = open.get(uri);
    return state !== undefined && isPolicy(state.text) ? state : null;
  };

  connection.onRequest(InitializeRequest.type, (params) => {
    folder ??= folderOf(params);
    return {
      serverInfo: { name: "warder", version },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Full },
        hoverProvider: true,
        definitionProvider: true,
        completionProvider: { triggerCharacters: [" ", "-"] },
      },
    };
  });
  connection.onNotification(DidOpenTextDocumentNotification.type, ({ textDocument: { uri, version: edition, text } }) => {
    const opened = openText(uri, edition, text);
    if (opened === null) return;
    const state: Open = { text: opened, timer: undefined, last: null };
    open.set(uri, state);
    later(state);
  });
  connection.onNotification(DidChangeTextDocumentNotification.type, ({ textDocument: { uri, version: edition }, contentChanges }) => {
    const state = open.get(uri);
    const change = contentChanges.at(-1);
    if (state === undefined || change === undefined) return;
    state.text = { ...state.text, version: edition, text: change.text };
    later(state);
  });
  connection.onNotification(DidCloseTextDocumentNotification.type, async ({ textDocument: { uri } }) => {
    forget(uri);
    await connection.sendNotification(PublishDiagnosticsNotification.type, { uri, diagnostics: [] });
  });
  connection.onRequest(HoverRequest.type, async ({ textDocument: { uri }, position }) => {
    const state = policyAt(uri);
    const part = state === null ? null : yamlPartAt(state.text.text, placeOf(position));
    if (state === null || part === null) return null;
    const { loaded } = state.last ?? (await check(state)) ?? { loaded: null };
    const setting = { workspace: folder ?? dirname(state.text.path), home, nowMs: systemClock.nowMs() };
    const value = hoverText(part, schema, loaded, setting);
    return value === null ? null : { contents: { kind: "markdown", value }, range: { start: positionOf(part.from), end: positionOf(part.to) } };
  });
  connection.onRequest(CompletionRequest.type, ({ textDocument: { uri }, position }) => {
    const state = open.get(uri);
    if (state === undefined) return [];
    return proposalsAt(state.text.text, placeOf(position), schema, names).map(({ kind, label, detail, isRequired }) => ({
      label,
      kind: kind === "key" ? CompletionItemKind.Property : CompletionItemKind.Value,
      ...(detail === "" ? {} : { documentation: detail }),
      // What must be there comes first.
      sortText: `${isRequired ? "0" : "1"}${label}`,
      insertText: kind === "key" ? `${label}: ` : label,
    }));
  });
  connection.onRequest(DefinitionRequest.type, ({ textDocument: { uri }, position }) => {
    const state = policyAt(uri);
    const part = state === null ? null : yamlPartAt(state.text.text, placeOf(position));
    if (state === null || part === null || part.isKey || part.path.join(".") !== "extends") return null;
    const parent = parentUri(state.text, part.text);
    return parent === null ? null : { uri: parent, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } };
  });
  connection.onRequest(ShutdownRequest.type, () => {
    isShutDown = true;
  });
  connection.onNotification(ExitNotification.type, () => ended.resolve(undefined));
  connection.onClose(() => ended.resolve(undefined));
  connection.onError(([error]) => say(error.message));
  connection.listen();
  await ended.promise;
  for (const uri of open.keys()) forget(uri);
  connection.dispose();
  return isShutDown;
}

function folderOf({ workspaceFolders, rootUri }: InitializeParams): string | undefined {
  const uri = workspaceFolders?.[0]?.uri ?? rootUri ?? "";
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

const placeOf = ({ line, character }: Position): { readonly line: number; readonly column: number } => ({ line: line + 1, column: character + 1 });
const positionOf = ({ line, column }: { readonly line: number; readonly column: number }): Position => ({ line: line - 1, character: column - 1 });

/** One of a parent's stands at the line that names the parent. */
function toDiagnostic({ severity, message, why, remedy, at, code }: PolicyDiagnostic, { path, text }: OpenText): Diagnostic {
  const isOwn = at.file === path || pathToFileURL(at.file).href === pathToFileURL(path).href;
  const line = isOwn ? at.line : Math.max(1, text.split("\n").findIndex((row) => row.startsWith("extends:")) + 1);
  const start = { line, column: isOwn ? at.column : 1 };
  const part = yamlPartAt(text, start);
  const rowEnd = (text.split("\n")[line - 1] ?? "").length;
  const end = part !== null && part.from.line === line && part.to.line === line ? part.to : { line, column: Math.max(rowEnd + 1, start.column) };
  return {
    severity: severity === "error" ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    source: "warder",
    ...(code === undefined ? {} : { code }),
    range: { start: positionOf(start), end: positionOf(end) },
    message: [isOwn ? message : `${at.file}:${String(at.line)}: ${message}`, why, remedy].filter((each) => each !== "").join("\n"),
  };
}
