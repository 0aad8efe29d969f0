// An MCP server with one tool, which leaves a file where the argument says.
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

type Message = { readonly id?: number; readonly method: string; readonly params?: { readonly protocolVersion?: string } };

function answer({ method, params }: Message): object {
  if (method === "initialize") return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "danger", version: "1" } };
  if (method === "tools/list") return { tools: [{ name: "explode", description: "Explodes.", inputSchema: { type: "object", properties: {} } }] };
  if (method !== "tools/call") return {};
  writeFileSync(process.argv[2] ?? "", "called");
  return { content: [{ type: "text", text: "boom" }] };
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message;
  if (message.id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result: answer(message) })}\n`);
}
