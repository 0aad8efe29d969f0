import { mkdtempSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performRequest } from "../../../src/sandbox/egress/client/perform.ts";
import type { WebRequest } from "../../../src/sandbox/egress/client/web-request.ts";
import { readDocument } from "../../../src/sandbox/documents/ask.ts";
import type { ConnectionRecord } from "../../../src/sandbox/egress/traffic/connection-record.ts";
import { startEgress } from "../../../src/sandbox/egress/start.ts";
import { resultText, type ToolContext } from "../../../src/tools/contract/tool.ts";
import { webFetchTool } from "../../../src/tools/web/fetch.ts";
import { listen, portOf } from "../../sandbox/egress/local-servers.ts";

export type Fetched = { readonly text: string; readonly isError: boolean };

/** `web_fetch` over a real egress proxy, that lets it reach a server on loopback. */
export async function fetchScene(answer: RequestListener, allow: (port: number) => readonly string[] = (port) => [`127.0.0.1:${port}`]) {
  const server: Server = createServer({ maxHeaderSize: 64 * 1024 }, answer);
  await listen(server);
  const port = portOf(server);
  const records: ConnectionRecord[] = [];
  const egress = await startEgress({
    directory: join(mkdtempSync(join(tmpdir(), "web-")), "egress"),
    network: { allow: allow(port) },
    names: { "inner.example.org": ["10.1.2.3"] },
    onConnection: (record) => void records.push(record),
  });
  const request = async (wanted: WebRequest, timeoutMs: number) => {
    const bound = AbortSignal.timeout(timeoutMs);
    const result = await performRequest(wanted, { egress }, bound);
    return { kind: "completed", result: { kind: "request", result }, durationMs: 0 } as const;
  };
  return {
    port,
    records,
    get: async (path: string, { from, timeoutMs = 30_000 }: { readonly from?: number; readonly timeoutMs?: number } = {}): Promise<Fetched> => {
      const url = path.startsWith("/") ? `http://127.0.0.1:${port}${path}` : path;
      const context = {
        workspace: "/",
        home: "/",
        signal: new AbortController().signal,
        handles: {
          web: { request: (wanted: WebRequest) => request(wanted, timeoutMs) },
          documents: { read: (task: Parameters<typeof readDocument>[0]) => readDocument(task, new AbortController().signal) },
        },
      } as unknown as ToolContext;
      const result = await webFetchTool.execute({ url, ...(from === undefined ? {} : { from }) }, context);
      return { text: resultText(result), isError: result.isError };
    },
    close: async (): Promise<void> => {
      await egress.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
