import { mkdtempSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performRequest } from "../../../src/sandbox/egress/client/perform.ts";
import type { WebRequest } from "../../../src/sandbox/egress/client/web-request.ts";
import { readDocument } from "../../../src/sandbox/documents/ask.ts";
import type { ConnectionRecord } from "../../../src/sandbox/egress/traffic/connection-record.ts";
import { startEgress } from "../../../src/sandbox/egress/start.ts";
import { resultText, type SearchEngine, type ToolContext, type ToolResult } from "../../../src/tools/contract/tool.ts";
import { webFetchTool } from "../../../src/tools/web/fetch.ts";
import { webSearchTool } from "../../../src/tools/web/search.ts";
import { listen, portOf } from "../../sandbox/egress/local-servers.ts";

export type Fetched = { readonly text: string; readonly isError: boolean };

/** `web_fetch` and `web_search` over a real egress proxy, that lets it reach a server on loopback. */
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
    const result = await performRequest({ ...wanted, timeoutMs }, { egress }, bound);
    return { kind: "completed", result: { kind: "request", result }, durationMs: 0 } as const;
  };
  const context = (timeoutMs: number, search: SearchEngine | null): ToolContext =>
    ({
      workspace: "/",
      home: "/",
      search,
      signal: new AbortController().signal,
      handles: {
        web: { request: (wanted: WebRequest) => request(wanted, timeoutMs) },
        documents: { read: (task: Parameters<typeof readDocument>[0]) => readDocument(task, new AbortController().signal) },
      },
    }) as unknown as ToolContext;
  const told = (result: ToolResult): Fetched => ({ text: resultText(result), isError: result.isError });
  return {
    port,
    records,
    search: async (engine: SearchEngine, query: string, most?: number): Promise<Fetched> =>
      told(await webSearchTool.execute({ query, ...(most === undefined ? {} : { max_results: most }) }, context(30_000, engine))),
    get: async (path: string, { from, timeoutMs = 30_000 }: { readonly from?: number; readonly timeoutMs?: number } = {}): Promise<Fetched> => {
      const url = path.startsWith("/") ? `http://127.0.0.1:${port}${path}` : path;
      return told(await webFetchTool.execute({ url, ...(from === undefined ? {} : { from }) }, context(timeoutMs, null)));
    },
    close: async (): Promise<void> => {
      await egress.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
