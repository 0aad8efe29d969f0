import { spawn } from "node:child_process";
import { join } from "node:path";
import { answererOf } from "../../src/mcp/asked.ts";
import { connect } from "../../src/mcp/connection.ts";
import { readCatalogue } from "../../src/mcp/catalogue.ts";
import { liveServer, type LiveServer, type ServerCall, type ServerEvent } from "../../src/mcp/live-server.ts";
import { resultOf } from "../../src/mcp/result.ts";
import { serverDigest, type McpServer, type Pin } from "../../src/mcp/server.ts";
import type { ServerAsksHandle } from "../../src/tools/contract/run-handles.ts";
import type { StartPipe } from "../../src/mcp/transport.ts";
import { resultText } from "../../src/tools/contract/tool.ts";

export const NOTES: McpServer = { name: "notes", command: ["node"], roots: [], hosts: [], env: [], timeoutMs: 300_000 };

/** The server of these tests as a process of this machine: the protocol is real, and no sandbox is needed to see what the client does. */
export function startProcess(modes: readonly string[] = []): StartPipe {
  return (onText) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "../support/mcp/server.mjs"), ...modes], { stdio: ["pipe", "pipe", "pipe"] });
    let noise = "";
    child.stdin.on("error", () => undefined);
    child.stdout.setEncoding("utf8").on("data", onText);
    child.stderr.setEncoding("utf8").on("data", (text: string) => (noise += text));
    const exited = new Promise<string>((resolve) =>
      child.on("exit", (code, signal) => resolve(signal === null ? `it ended with exit code ${String(code)}` : `${signal} ended it`)),
    );
    return Promise.resolve({
      write: (text) => void child.stdin.write(text),
      ended: exited.then((why) => ({ why, noise })),
      close: async () => {
        child.kill("SIGKILL");
        await exited;
      },
    });
  };
}

export async function pinOf(modes: readonly string[] = []): Promise<Pin> {
  const connection = await connect(startProcess(modes), { onToolsChanged: () => undefined, canAsk: false });
  const { tools } = readCatalogue("notes", await connection.tools(), connection.offers);
  await connection.close();
  return { server: "notes", digest: serverDigest(NOTES), tools };
}

export type TestServer = LiveServer & {
  readonly events: readonly ServerEvent[];
  /** Lets time pass for its pauses. */ pass(ms: number): void;
  /** The text of an answer, or why there is none. */ ask(tool: string, input?: Readonly<Record<string, unknown>>): Promise<string>;
};

/** A server that was confirmed as `pin`, and starts in `modes`, the first of them first. */
export function testServer(
  pin: Pin,
  modes: readonly (readonly string[])[],
  { timeoutMs = NOTES.timeoutMs, asks }: { readonly timeoutMs?: number; readonly asks?: ServerAsksHandle } = {},
): TestServer {
  const events: ServerEvent[] = [];
  const left = [...modes];
  let nowMs = 0;
  const live = liveServer({ ...NOTES, timeoutMs }, pin, {
    connect: (onToolsChanged) => connect(startProcess(left.length > 1 ? left.shift() : left[0]), { onToolsChanged, canAsk: asks !== undefined }),
    nowMs: () => nowMs,
    onEvent: (event) => events.push(event),
  });
  return {
    ...live,
    events,
    pass: (ms) => {
      nowMs += ms;
    },
    ask: async (tool, input = {}) => {
      const onAsked = (what: string): void => void events.push({ event: "asked", what });
      const answerer = asks === undefined ? undefined : answererOf({ server: "notes", tool, asks, onAsked });
      const called = pin.tools.find(({ name }) => name === tool) ?? { name: tool };
      return textOf(await live.call(called, input, { signal: new AbortController().signal, onProgress: () => undefined, answerer }));
    },
  };
}

function textOf(called: ServerCall): string {
  if (called.kind !== "answered") return `${called.kind}: ${called.reason}`;
  return resultText(resultOf(called.answer));
}
