import type { ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  type Diagnostic,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { once, until } from "../../support/until.ts";
import { place } from "../../support/test-place.ts";
import { type Place, startWarder } from "../../support/warder-cli.ts";

const POLICY =
  'version: 1\nname: mine\nextends: ./parent.yaml\ncommands:\n  rules:\n    - id: scripts\n      allow: "npm run *"\n      because: "The project\'s own."\n';
const PARENT = "version: 1\nname: parent\nextends: supervised\n";

type Editor = {
  readonly connection: ProtocolConnection;
  readonly child: ChildProcess;
  readonly uri: string;
  readonly open: (text: string, uri?: string) => void;
  readonly change: (text: string) => void;
  /** What the server last said of the text with this version. */
  readonly told: (version: number) => Promise<readonly Diagnostic[]>;
};

async function editor(here: Place): Promise<Editor> {
  mkdirSync(join(here.workspace, "policies"));
  const path = join(here.workspace, "policies", "mine.yaml");
  writeFileSync(join(here.workspace, "policies", "parent.yaml"), PARENT);
  const child = startWarder(here, ["policy", "lsp"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const connection = createProtocolConnection(new StreamMessageReader(child.stdout as Readable), new StreamMessageWriter(child.stdin as Writable));
  const uri = pathToFileURL(path).href;
  const said = new Map<number, readonly Diagnostic[]>();
  connection.onNotification("textDocument/publishDiagnostics", (message: { uri: string; version?: number; diagnostics: Diagnostic[] }) => {
    if (message.uri === uri) said.set(message.version ?? -1, message.diagnostics);
  });
  connection.listen();
  await connection.sendRequest("initialize", { processId: null, capabilities: {}, workspaceFolders: [{ uri: pathToFileURL(here.workspace).href, name: "w" }] });
  let version = 1;
  return {
    connection,
    child,
    uri,
    open: (text, other = uri) =>
      void connection.sendNotification("textDocument/didOpen", { textDocument: { uri: other, languageId: "yaml", version: 1, text } }),
    change: (text) => {
      version += 1;
      void connection.sendNotification("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ text }] });
    },
    told: async (of) => {
      await until(`the server speaks of version ${String(of)}`, () => said.has(of));
      return said.get(of) ?? [];
    },
  };
}

describe("warder policy lsp", () => {
  test("tells an editor what is wrong, what a rule decides, what may be typed, and where the parent lies", async () => {
    const { connection, child, uri, open, change, told } = await editor(place());
    open(POLICY);
    expect(await told(1)).toEqual([]);
    const textDocument = { uri };
    const hover = await connection.sendRequest("textDocument/hover", { textDocument, position: { line: 6, character: 16 } });
    expect(hover).toMatchObject({
      contents: { value: expect.stringContaining("The policy says **allow** to `npm run a`") },
      range: { start: { line: 6, character: 13 } },
    });
    expect(await connection.sendRequest("textDocument/hover", { textDocument, position: { line: 2, character: 2 } })).toMatchObject({
      contents: { value: expect.stringContaining("The name of a shipped policy") },
    });
    expect(await connection.sendRequest("textDocument/definition", { textDocument, position: { line: 2, character: 14 } })).toMatchObject({
      uri: uri.replace("mine", "parent"),
    });
    // What is typed is judged, not what is on the disk: there is no such file.
    change(`${POLICY}autonomy: much\n`);
    expect(await told(2)).toMatchObject([{ severity: 1, source: "warder", range: { start: { line: 8, character: 10 }, end: { line: 8, character: 14 } } }]);
    const proposed = await connection.sendRequest<{ label: string }[]>("textDocument/completion", { textDocument, position: { line: 8, character: 10 } });
    expect(proposed.map(({ label }) => label)).toEqual(["read-only", "supervised", "full"]);
    change(POLICY.replace('"npm run *"', '"git **"'));
    expect(await told(3)).toMatchObject([{ severity: 2, message: expect.stringContaining("git") }]);
    await connection.sendRequest("shutdown");
    await connection.sendNotification("exit");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("lives through texts that are broken, huge or somebody else's, and ends when its editor does", async () => {
    const { connection, child, uri, open, change, told } = await editor(place());
    writeFileSync(fileURLToPath(uri), "");
    open("version: 1\nname: x\nextends: ./mine.yaml\n");
    expect(await told(1)).toMatchObject([{ severity: 1, message: expect.stringContaining("extends it") }]);
    for (const text of [
      "version: 1\nname: x\ncommands: {{{",
      `version: 1\nname: x\ncommands:\n  only: [${"a, ".repeat(400_000)}]\n`,
      `version: 1\nname: x\nextends: ./none.yaml\n`,
    ])
      change(text);
    expect(await told(4)).toMatchObject([{ severity: 1, message: expect.stringContaining("no policy file") }]);
    change("services:\n  web: {}\n");
    expect(await told(5)).toEqual([]);
    open("version: 1\nname: x\nextends: base\n", "untitled:Untitled-1");
    expect(
      await connection.sendRequest("textDocument/hover", { textDocument: { uri: "file:///nowhere/x.yaml" }, position: { line: 0, character: 0 } }),
    ).toBeNull();
    expect(await connection.sendRequest("textDocument/hover", { textDocument: { uri }, position: { line: 99_999, character: 99_999 } })).toBeNull();
    child.stdin?.end();
    expect(await once(child, "exit")).toEqual([1, null]);
  });
});
