import type { SeenServer } from "../../src/app/mcp/trust.ts";
import type { SeenDocument } from "../../src/app/openapi/documents.ts";

/** A catalogue of a hundred tools, in one of two shapes. */
function catalogue(shape: number) {
  const description = `Shape ${String(shape)}. ${"Said. ".repeat(20)}`;
  const tools = Array.from({ length: 100 }, (_, at) => ({ name: `tool${String(at)}`, description, inputSchema: { type: "object" }, annotations: {} }));
  return { tools, refused: [] };
}

/** An MCP server at an address, as a person saw it. */
export function seenServer(shape: number): SeenServer {
  const server = { name: "remote", url: "http://127.0.0.1:9/mcp", command: [], roots: [], hosts: [], env: [], timeoutMs: 1_000 };
  return { server, pin: null, problem: null, catalogue: catalogue(shape), changes: [] };
}

/** A document at an address, as a person saw it. */
export function seenDocument(shape: number): SeenDocument {
  const api = { name: "shop", url: "http://127.0.0.1:9/shop.json", operations: [], tags: [], paths: [] };
  return { api, pin: null, problem: null, content: `sha256:${String(shape)}`, catalogue: catalogue(shape), changes: [] };
}
