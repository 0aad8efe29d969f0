import type { ServerTool } from "../../src/mcp/server.ts";
import type { ApiDocument } from "../../src/openapi/api.ts";
import { bindingIn } from "../../src/openapi/binding.ts";
import { catalogueOf } from "../../src/openapi/operations.ts";
import { requestOf } from "../../src/openapi/request.ts";
import { operationTool } from "../../src/openapi/tools.ts";
import { decodeInput } from "../../src/tools/decode.ts";
import { requestCommand } from "../../src/tools/contract/web-command.ts";

export const SHOP: ApiDocument = { name: "shop", file: "/srv/shop.json", operations: [], tags: [], paths: [] };

export function shop(paths: object, more: object = {}): Record<string, unknown> {
  return { openapi: "3.0.3", info: { title: "Shop", version: "1" }, servers: [{ url: "https://shop.example.org/v1/" }], paths, ...more };
}

/** The tools of a document, and why others are none. */
export function read(document: unknown, change: Partial<ApiDocument> = {}) {
  const { tools, refused } = catalogueOf({ ...SHOP, ...change }, document);
  return { tools, names: tools.map(({ name }) => name), refused: Object.fromEntries(refused.map(({ name, reason }) => [name, reason])) };
}

/** The one tool of a document. */
export function only(document: unknown, change: Partial<ApiDocument> = {}): ServerTool {
  const { tools, refused } = read(document, change);
  const [tool] = tools;
  if (tool === undefined || tools.length !== 1) throw new Error(`There is not one tool: ${JSON.stringify({ tools: tools.length, refused })}`);
  return tool;
}

/** What a call of a tool asks for, as the command that does the same; or why it is refused. */
export function asked(tool: ServerTool, input: Record<string, unknown>): string {
  const made = operationTool("shop", tool, null);
  const binding = bindingIn(tool.annotations);
  if (made === null || binding === null) throw new Error("It is no tool.");
  const decoded = decodeInput(made, input);
  if (decoded.kind !== "valid") return `refused: ${decoded.message.replace(/^Invalid arguments for \w+: /u, "")}`;
  const written = requestOf(binding, input);
  if ("fault" in written) return `refused: ${written.fault}`;
  const [request] = made.requests(decoded.input, { workspace: "/work", home: "/home/ann" });
  const text = requestCommand(written.request);
  if (request?.kind !== "command" || request.text !== text) throw new Error("It is judged as something else than it does.");
  return text.replace(/^curl -sSg /u, "");
}
